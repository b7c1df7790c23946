import Glibc
import LinuxSystem
import TestSupport

/// Another host on a network of its own with this one, which answers on port 7.
final class Neighbour {
    static let interface = "under0"
    static let v4 = "192.0.2.1"
    static let v6 = "2001:db8::1"
    /// What the neighbour is the way to, once this host's default routes lead to it.
    static let beyond4 = "203.0.113.5"
    static let beyond6 = "2001:db8:5::5"

    private static let echo = """
        import select, socket
        def datagrams(family, address, free):
            made = socket.socket(family, socket.SOCK_DGRAM)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                made.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            # IP_FREEBIND and IPV6_FREEBIND: the address may come later.
            level = socket.IPPROTO_IP if family == socket.AF_INET else socket.IPPROTO_IPV6
            made.setsockopt(level, free, 1)
            made.bind((address, 7))
            return made
        # Of an address of its own, so that it answers from there.
        listening = [
            datagrams(socket.AF_INET, address, 15) for address in ["", "\(beyond4)"]
        ] + [datagrams(socket.AF_INET6, address, 78) for address in ["::", "\(beyond6)"]]
        stream = socket.create_server(("", 7))
        print("ready", flush=True)
        while True:
            for ready in select.select(listening + [stream], [], [])[0]:
                if ready is stream:
                    connection, _ = stream.accept()
                    connection.sendall(connection.recv(2048))
                    connection.close()
                else:
                    data, peer = ready.recvfrom(2048)
                    ready.sendto(data, peer)
        """

    private let process: Command

    init() throws {
        // Without any address the kernel takes each that is bound for a broadcast.
        let begin = #"ip link set lo up && exec python3 -c "$0""#
        process = try Command(["unshare", "-n", "sh", "-c", begin, Self.echo])
        guard try process.output(until: "ready").contains("ready") else {
            throw Unexpected("the neighbour does not come up")
        }
        let pid = "\(process.pid)"
        try Kernel.ip(
            "link", "add", Self.interface, "type", "veth", "peer", "name", "far0", "netns", pid)
        try Kernel.ip("link", "set", Self.interface, "addrgenmode", "none")
        try Kernel.ip("addr", "add", "192.0.2.2/24", "dev", Self.interface)
        try Kernel.ip("addr", "add", "2001:db8::2/64", "dev", Self.interface, "nodad")
        try Kernel.ip("link", "set", Self.interface, "up")
        for arguments in [
            ["addr", "add", "\(Self.v4)/24", "dev", "far0"],
            ["addr", "add", "\(Self.v6)/64", "dev", "far0", "nodad"],
            ["link", "set", "far0", "up"],
        ] {
            let result = try Command.run(["nsenter", "-t", pid, "-n", "ip"] + arguments)
            guard result.status == 0 else { throw Unexpected("\(arguments): \(result)") }
        }
    }

    /// Gives this host default routes over the neighbour, and it what lies beyond.
    func becomeGateway() throws {
        for (family, gateway, beyond) in [
            ("-4", Self.v4, [Self.beyond4]), ("-6", Self.v6, [Self.beyond6, "nodad"]),
        ] {
            let far = ["nsenter", "-t", "\(process.pid)", "-n", "ip", family, "addr", "add"]
            let added = try Command.run(far + beyond + ["dev", "far0"])
            guard added.status == 0 else { throw Unexpected("\(added)") }
            try Kernel.ip(
                family, "route", "add", "default", "via", gateway, "dev", Self.interface)
        }
    }

    deinit {
        process.signal(SIGKILL)
        _ = try? process.finish()
        // The namespace goes in its own time; the pair goes at once with one end.
        _ = try? Command.run(["ip", "link", "delete", Self.interface])
    }
}
