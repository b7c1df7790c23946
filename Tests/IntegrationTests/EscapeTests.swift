import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Providers that try to outlive, hold up or exhaust the host that they were started by.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct EscapeTests {
    @Test func aProviderCannotTakeBackThatItDiesWithItsHost() throws {
        let site = try Installation()
        try site.save(
            "office",
            hostile: """
                import ctypes
                library = ctypes.CDLL(None)
                for signal_number in (0, signal.SIGCONT, signal.SIGTERM):
                    library.prctl(1, signal_number, 0, 0, 0)
                connect()
                serve_aside()
                time.sleep(60)
                """)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let provider = try site.livingProvider(of: "office")
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(eventually(seconds: 2) { !Processes.isAlive(provider) })
        #expect(try eventually { try Kernel.tunnels().isEmpty })
        #expect(try site.word("office") == "disconnected")
        // The probe must not be blind: what it asked for is nothing the kernel refuses itself.
        kill(provider, SIGKILL)
    }

    /// A socket that its owner wants to linger blocks whoever closes it last.
    private static let lingeringSocket = """
        import ctypes
        connect()
        serve_aside()
        if os.fork():
            time.sleep(60)
        ctypes.CDLL(None).unshare(0x10000000 | 0x40000000)
        one = socket.socket()
        fcntl.ioctl(one, 0x8914, struct.pack("16sH14x", b"lo", 1))
        other = socket.socket()
        other.bind(("127.0.0.1", 0))
        other.listen(1)
        one.connect(other.getsockname())
        reader = other.accept()
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 3600))
        one.setblocking(False)
        try:
            while True:
                one.send(b"x" * 65536)
        except BlockingIOError:
            pass
        def give(what):
            for _ in range(20):
                try:
                    socket.send_fds(channel, [b'{"type":"x"}\\n'], [what])
                except OSError:
                    pass
                time.sleep(0.005)
        give(one.fileno())
        one.close()
        give(0)
        os.write(2, b"given\\n")
        time.sleep(60)
        """

    @Test func aDescriptorThatBlocksWhoeverClosesItHoldsUpNobody() throws {
        let site = try Installation()
        try site.save("office", hostile: Self.lingeringSocket)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let log = "run/utunctl/\(try site.identifier(of: "office")).log"
        // Where it may make no network of its own, it has no such socket.
        _ = eventually(seconds: 3) { site.read(log)?.contains("given") == true }
        let (status, time) = try timed { try site.utunctl("status", "office") }
        #expect(status.status == 0, "\(status)")
        #expect(time < aSecond)
        let (stop, stopTime) = try timed { try site.utunctl("stop", "office") }
        #expect(stop.status == 0 && !stop.errors.contains("killed"), "\(stop)")
        #expect(stopTime < aSecond)
    }

    @Test func questionsForNamesMakeNoCrowdOfProcesses() throws {
        // The server is looked for: it has to be somewhere.
        let uplink = try Uplink()
        defer { withExtendedLifetime(uplink) {} }
        let site = try Installation()
        try site.write("192.0.2.1 vpn.example.org\n", to: "etc/hosts")
        try site.write("nameserver 127.0.0.1\n", to: "etc/resolv.conf")
        try site.save(
            "office",
            hostile: """
                connect()
                serve_aside()
                for n in range(2000):
                    send(type="resolve", id=7, name="vpn.example.org")
                for n in range(2000):
                    send(type="resolve", id=n, name="vpn.example.org")
                os.write(2, b"asked\\n")
                time.sleep(60)
                """, "serverAddress=vpn.example.org")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let host = try site.livingHost(of: "office")
        let log = "run/utunctl/\(try site.identifier(of: "office")).log"
        #expect(eventually { site.read(log)?.contains("asked") == true })
        var most = 0
        for _ in 0..<10 {
            most = max(most, try children(of: host))
            usleep(20_000)
        }
        #expect(most <= 10, "\(most)")
        // The provider alone is left, and nothing that waits to be reaped.
        #expect(try eventually { try children(of: host) == 1 })
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test func asManyRoutesAsThereMayBeHoldNobodyUp() throws {
        let site = try Installation()
        try site.save(
            "office",
            hostile: """
                connect(routes=["%d.%d.%d.0/24" % (11 + (n >> 16), n >> 8 & 255, n & 255)
                                for n in range(40000)])
                serve()
                """)
        let (start, time) = try timed { try site.utunctl("start", "--wait", "office") }
        #expect(start.status == 0, "\(start)")
        // The time was the square of their number: minutes.
        #expect(time < 20)
        #expect(try eventually { try site.utunctl("status", "office").status == 0 })
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try Kernel.tunnels().isEmpty)
    }

    /// The children of a process, zombies included.
    private func children(of pid: Int32) throws -> Int {
        let answer = try Command.run(["ps", "--no-headers", "-o", "pid", "--ppid", "\(pid)"])
        return answer.output.split(separator: "\n").count
    }
}
