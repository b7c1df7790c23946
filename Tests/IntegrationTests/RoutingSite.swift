import Glibc
import JSON
import LinuxSystem
import TestSupport

/// This host with a tunnel that answers by itself, behind a router that counts what reaches it
/// beside the tunnel.
final class RoutingSite {
    /// What lies beyond the router.
    static let beyond4 = "203.0.113.5"
    static let beyond6 = "2001:db8:5::5"
    static let beyond = [beyond4, beyond6]
    private static let networks = ["203.0.113.0/24", "2001:db8:5::/48"]

    let router: FarHost
    let installation: Installation

    init() throws {
        router = try FarHost()
        installation = try Installation()
        let place = router.place
        try place.run(
            "nft",
            """
            table inet count {
              counter v4 {}
              counter v6 {}
              chain before {
                type filter hook prerouting priority -300;
                ip daddr \(Self.networks[0]) counter name v4
                ip6 daddr \(Self.networks[1]) counter name v6
              }
            }
            """)
        for (address, family, gateway) in [
            (Self.beyond4, "-4", router.v4), (Self.beyond6, "-6", router.v6),
        ] {
            try place.run("ip", "address", "add", address, "dev", "lo")
            try Kernel.ip(
                family, "route", "add", "default", "via", gateway, "dev", router.interface)
        }
        // What the link itself has to find out is no change of ours.
        _ = try eventually {
            try !Command.run(["ip", "-6", "addr"]).output.contains("tentative")
        }
    }

    deinit {
        _ = try? installation.utunctl("stop", "--all", "--timeout=3")
    }

    /// Saves a tunnel of the loopback provider.
    func save(_ name: String = "office", _ settings: String...) throws {
        let given = Set(settings.map { $0.prefix { $0 != "=" } })
        let defaults = [
            #"providerConfiguration.addresses=["10.98.0.1/30","fd98::1/64"]"#,
            #"routing.includedRoutes=["203.0.113.0/24","2001:db8:5::/48"]"#,
        ].filter { !given.contains($0.prefix { $0 != "=" }) }
        let edits = (settings + defaults).flatMap { ["--set", $0] }
        let save = try Command.run(installation.command(["save", name] + edits))
        guard save.status == 0 else { throw Unexpected("save \(name): \(save)") }
    }

    func start(_ name: String = "office") throws {
        let start = try installation.utunctl("start", "--wait", name)
        guard start.status == 0 else { throw Unexpected("start \(name): \(start)") }
    }

    func stop(_ name: String = "office") throws {
        let stop = try installation.utunctl("stop", name)
        guard stop.status == 0 else { throw Unexpected("stop \(name): \(stop)") }
    }

    /// How many packets to what lies beyond have reached the router beside the tunnel.
    func leaked() throws -> (v4: Int, v6: Int) {
        func count(_ name: String) throws -> Int {
            let words = try router.place.run("nft", "list", "counter", "inet", "count", name)
                .split(whereSeparator: \.isWhitespace)
            guard let place = words.firstIndex(of: "packets"), let packets = Int(words[place + 1])
            else { throw Unexpected("no count of \(name): \(words)") }
            return packets
        }
        return (try count("v4"), try count("v6"))
    }

    /// Sends a datagram to each of some addresses, and answers how many of each family have
    /// reached the router.
    func leaks(
        to addresses: [String] = RoutingSite.beyond,
        from place: Place = .here
    ) throws -> (v4: Int, v6: Int) {
        let before = try leaked()
        for address in addresses { _ = try Self.send(to: address, from: place) }
        usleep(30_000)
        let after = try leaked()
        return (after.v4 - before.v4, after.v6 - before.v6)
    }

    /// Sends a datagram; false where the kernel refuses it.
    @discardableResult
    static func send(to address: String, from place: Place = .here) throws -> Bool {
        try Command.run(
            place.command(["/bin/bash", "-c", "echo probe >/dev/udp/\(address)/7"])
        ).status == 0
    }

    /// The codes of a tunnel's warnings.
    func warnings(_ name: String = "office") throws -> [String] {
        try installation.status(name)["warnings"]?.array?.compactMap(\.object)
            .compactMap { $0["code"]?.string } ?? []
    }

    /// The interface of a tunnel.
    func interface(_ name: String = "office") throws -> String {
        try installation.status(name).value("interface.name")?.string ?? ""
    }

    /// How many packets have gone into a tunnel.
    func sent(_ name: String = "office") throws -> Int {
        Int(try installation.status(name).value("counters.sentPackets")?.integer ?? -1)
    }
}

extension Kernel {
    /// Everything that a tunnel may change of this host: as `snapshot`, with all settings.
    static func wholeSnapshot() throws -> String {
        let settings = try Command.run([
            "grep", "-r", ".", "/proc/sys/net/ipv4/conf", "/proc/sys/net/ipv6/conf",
            "/proc/sys/net/ipv4/ip_forward",
        ]).output.split(separator: "\n").filter { !$0.contains("stable_secret") }.sorted()
        return try snapshot() + settings.joined(separator: "\n")
    }
}
