import Glibc
import LinuxSystem
import TestSupport

/// Another host on a network of its own with this one, which answers on port 7.
final class Neighbour {
    static let interface = "under0"
    static let v4 = "192.0.2.1"
    static let v6 = "2001:db8::1"

    private static let echo = """
        import select, socket
        four = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        four.bind(("", 7))
        six = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        six.bind(("::", 7))
        stream = socket.create_server(("", 7))
        print("ready", flush=True)
        while True:
            for ready in select.select([four, six, stream], [], [])[0]:
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
        process = try Command(["unshare", "-n", "/usr/bin/python3", "-c", Self.echo])
        guard try process.output(until: "ready").contains("ready") else {
            throw Unexpected("the neighbour does not come up")
        }
        let pid = "\(process.pid)"
        try Kernel.ip(
            "link", "add", Self.interface, "type", "veth", "peer", "name", "far0", "netns", pid)
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

    deinit {
        process.signal(SIGKILL)
        _ = try? process.finish()
        // The namespace goes in its own time; the pair goes at once with one end.
        _ = try? Command.run(["ip", "link", "delete", Self.interface])
    }
}
