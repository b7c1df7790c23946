import Glibc
import LinuxSystem
import TestSupport

/// A name server at port 53 of the loopback addresses.
final class NameService {
    private let process: Command

    /// A dnsmasq that knows the given records, and nothing else of example.org.
    convenience init(_ site: Installation, _ records: String...) throws {
        try self.init(site, records)
    }

    /// The same of a list of records; what it logs has to be read in time, or it stands still.
    init(_ site: Installation, _ records: [String], logs: Bool = true) throws {
        process = try Command(
            [
                "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv",
                "--no-hosts", "--user=root", "--pid-file=\(site.root)/run/dnsmasq.pid",
                "--listen-address=127.0.0.1,::1", "--bind-interfaces", "--local=/example.org/",
                "--log-facility=-",
            ] + (logs ? ["--log-queries"] : []) + records.map { "--host-record=\($0)" })
        try Self.awaitPort()
        try site.write("nameserver 127.0.0.1\n", to: "etc/resolv.conf")
        try site.write("# none\n", to: "etc/hosts")
    }

    /// A server that takes each question and never answers.
    init(silentFor site: Installation) throws {
        let script = """
            import socket, time
            silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            silent.bind(("127.0.0.1", 53))
            time.sleep(600)
            """
        process = try Command(["/usr/bin/python3", "-c", script])
        try Self.awaitPort()
        try site.write("nameserver 127.0.0.1\n", to: "etc/resolv.conf")
        try site.write("# none\n", to: "etc/hosts")
    }

    deinit {
        process.signal(SIGKILL)
        _ = try? process.finish()
    }

    /// Ends the server, and answers what it logged of the questions it got.
    func finish() throws -> String {
        process.signal(SIGTERM)
        return try process.finish().errors
    }

    private static func awaitPort() throws {
        let isThere = eventually {
            RunningProcess(pid: getpid()).file("net/udp").contains(":0035 ")
        }
        guard isThere else { throw Unexpected("no name server comes up") }
    }
}
