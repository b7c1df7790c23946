import Glibc

/// Another host, joined to this one by a cable of its own.
///
/// It has a network namespace, and a mount namespace with a /run of its own, so that the control
/// sockets of equally named interfaces do not meet. Both go with the last process there.
package final class FarHost {
    /// The interface at this host's end of the cable.
    package let interface: String
    /// The interface at its own end.
    package let farInterface: String
    /// The addresses of this host on the cable.
    package let nearV4: String
    package let nearV6: String
    /// Its own addresses on the cable.
    package let v4: String
    package let v6: String

    private let sleeper: Command

    /// Makes a host; those of one test have different numbers, from 0 to 15.
    package init(number: Int = 0) throws {
        interface = "near\(number)"
        farInterface = "far\(number)"
        nearV4 = "192.0.2.\(number * 16 + 1)"
        v4 = "192.0.2.\(number * 16 + 2)"
        nearV6 = "2001:db8:\(number + 1)::1"
        v6 = "2001:db8:\(number + 1)::2"
        // Setting up its own /run tells that it has left the namespaces of the test.
        sleeper = try Place.here.daemon([
            "unshare", "-nm", "sh", "-c",
            "mount -t tmpfs -o mode=0755 tmpfs /run && ip link set lo up && echo ready"
                + " && exec sleep infinity",
        ])
        guard try sleeper.output(until: "ready").contains("ready") else {
            throw Unexpected("the far host does not come up: \(try sleeper.finish(seconds: 1))")
        }
        try Place.here.run(
            "ip", "link", "add", interface, "type", "veth", "peer", "name", farInterface, "netns",
            "\(sleeper.pid)")
        try Self.configure(interface, [(nearV4, 28), (nearV6, 64)], at: .here)
        try Self.configure(farInterface, [(v4, 28), (v6, 64)], at: place)
    }

    deinit {
        sleeper.signal(SIGKILL)
        _ = try? sleeper.finish()
        // The namespace goes in its own time; the pair goes at once with one end.
        _ = try? Command.run(["ip", "link", "delete", interface])
    }

    /// Its namespaces, to run programs in.
    package var place: Place { Place(namespacesOf: sleeper.pid, owner: self) }

    private static func configure(
        _ interface: String,
        _ addresses: [(address: String, length: Int)],
        at place: Place
    ) throws {
        for (address, length) in addresses {
            let nodad = address.contains(":") ? ["nodad"] : []
            let arguments = ["ip", "addr", "add", "\(address)/\(length)", "dev", interface] + nodad
            let result = try Command.run(place.command(arguments))
            guard result.status == 0 else { throw Unexpected("\(arguments): \(result)") }
        }
        try place.run("ip", "link", "set", interface, "up")
    }
}
