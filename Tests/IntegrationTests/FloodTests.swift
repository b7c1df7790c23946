import Glibc
import JSON
import TestSupport
import Testing

/// Providers that say more than anybody can hear.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct FloodTests {
    /// Floods that a tunnel survives.
    private static let endurable: [String: String] = [
        "unknown messages": #"""
        data = b'{"type":"x"}\n' * 4096
        while True: say(data)
        """#,
        "log lines": #"""
        data = b'{"type":"log","text":"all is well"}\n' * 4096
        while True: say(data)
        """#,
        "settings": #"""
        text = b'{"type":"settings","id":9,"addresses":["10.98.0.1/30"],"includedRoutes":[]}\n'
        while True: say(text * 100)
        """#,
        "wider settings": #"""
        text = b'{"type":"settings","id":9,"addresses":["127.0.0.1/30"],"includedRoutes":["::/0"]}\n'
        while True: say(text * 100)
        """#,
        "reassertions": #"""
        data = b'{"type":"reasserting","reason":"why not"}\n{"type":"connected"}\n' * 1000
        while True: say(data)
        """#,
        "claims": #"""
        data = b'{"type":"connected"}\n' * 4096
        while True: say(data)
        """#,
        "requests for sockets": #"""
        data = b'{"type":"openSocket","id":1,"family":"inet","type2":1,"type":"x"}\n'
        data = b'{"type":"resolve","id":1,"name":"unknown.example.org"}\n' * 100
        while True: say(data)
        """#,
        "standard error": #"""
        data = b"woe is me\n" * 10000
        while True: os.write(2, data)
        """#,
        "standard error without a line end": #"""
        data = b"w" * 65536
        while True: os.write(2, data)
        """#,
    ]

    @Test(arguments: endurable.keys.sorted())
    func statusIsAnsweredWhileAProviderFloods(with kind: String) throws {
        let site = try Installation()
        let flood = try #require(Self.endurable[kind])
        try site.save(
            "office",
            hostile: """
                connect(routes=["10.95.%d.0/24" % n for n in range(200)])
                serve_aside()
                time.sleep(0.1)
                \(flood)
                """, "stopTimeout=1")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let host = try site.livingHost(of: "office")
        let provider = try site.livingProvider(of: "office")
        // The flood shall have filled what it can fill.
        usleep(500_000)
        #expect(Processes.isAlive(provider))
        for _ in 0..<4 {
            let (status, time) = try timed { try site.utunctl("status", "office") }
            #expect([0, 5].contains(status.status), "\(status)")
            #expect(time < aSecond)
        }
        let memory = try #require(Processes.residentMemory(host))
        #expect(memory < 65_536, "KiB")
        let log = site.read("run/utunctl/\(try site.identifier(of: "office")).log") ?? ""
        #expect(log.utf8.count < 1 << 20)
        let (stop, time) = try timed { try site.utunctl("stop", "office") }
        #expect(stop.status == 0 && time < 4, "\(stop)")
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func aLineWithoutAnEndIsCutOff() throws {
        let site = try Installation()
        try site.save(
            "office",
            hostile: """
                connect()
                serve_aside()
                while True: say(b"x" * 65536)
                """)
        _ = try site.utunctl("start", "--wait", "office")
        #expect(try eventually(seconds: 5) { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "providerProtocolError")
    }

    @Test func aProviderThatDoesNotReadCostsNoMemory() throws {
        let site = try Installation()
        try site.save(
            "office",
            hostile: """
                connect()
                data = b'{"type":"resolve","id":1,"name":"unknown.example.org"}\\n' * 100
                while True: say(data)
                """)
        _ = try site.utunctl("start", "--wait", "office")
        #expect(try eventually(seconds: 10) { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "providerProtocolError")
    }
}
