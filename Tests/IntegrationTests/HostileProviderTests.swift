import Glibc
import JSON
import TestSupport
import Testing

/// Providers that break the protocol, or use what they were given against their host.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct HostileProviderTests {
    private static let makePersistent = """
        connect()
        TUNSETPERSIST = 0x400454cb
        fcntl.ioctl(4, TUNSETPERSIST, 1)

        """

    @Test(arguments: ["stop", "host", "provider"])
    func aTunThatWasMadePersistentGoesAllTheSame(by end: String) throws {
        let site = try Installation()
        try site.save("office", hostile: Self.makePersistent + "serve()")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(
            try eventually {
                try Command.run(["ip", "-d", "link", "show", "type", "tun"]).output
                    .contains("persist on")
            })
        switch end {
        case "stop": #expect(try site.utunctl("stop", "office").status == 0)
        case "provider": kill(try site.livingProvider(of: "office"), SIGKILL)
        default:
            kill(try site.livingHost(of: "office"), SIGKILL)
            #expect(try eventually { try site.warnings("office") == ["leftovers"] })
            #expect(try site.word("office") == "disconnected")
            #expect(try site.utunctl("repair", "office").status == 0)
        }
        #expect(try eventually(seconds: 2) { try Kernel.tunnels().isEmpty })
        #expect(try site.warnings("office").isEmpty)
    }

    @Test func aPersistentLeftoverGivesWayToTheNextStart() throws {
        let site = try Installation()
        try site.save("office", hostile: Self.makePersistent + "serve()", "interface.name=wan9")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(
            try eventually {
                try Command.run(["ip", "-d", "link", "show", "wan9"]).output.contains("persist on")
            })
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try site.warnings("office") == ["leftovers"] })
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 0, "\(start)")
        #expect(start.output == "office: connected (wan9)\n")
    }

    @Test(arguments: [
        "garbage", "[]", "{}", #"{"type": 7}"#, #"{"type": "settings"}"#,
        #"{"type": "settings", "id": -1}"#, #"{"type": "failed", "code": "stoppedByUser"}"#,
        #"{"type": "log", "text": "\ud800"}"#, #"{"type": "connected", "type": "stopped"}"#,
        "\u{0}\u{1}\u{2}",
    ])
    func garbageIsAProtocolError(_ line: String) throws {
        let site = try Installation()
        let bytes = line.utf8.map { String($0) }.joined(separator: ",")
        try site.save("office", hostile: "say(bytes([\(bytes)]) + b'\\n')\nserve()")
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start)")
        #expect(start.output.isEmpty)
        #expect(try site.lastDisconnect("office").code == "providerProtocolError")
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func deepNestingIsAProtocolError() throws {
        let site = try Installation()
        try site.save(
            "office",
            hostile: """
                say(b'{"type":"x","y":' + b'[' * 500000 + b']' * 500000 + b'}\\n')
                serve()
                """)
        #expect(try site.utunctl("start", "--wait", "office").status == 6)
        #expect(try site.lastDisconnect("office").code == "providerProtocolError")
    }

    @Test func unknownKindsAndKeysAreIgnored() throws {
        let site = try Installation()
        try site.save(
            "office",
            hostile: """
                send(type="weather", rain=True)
                settle(colour="blue", further={"a": [1, 2]})
                send(type="connected", really=True)
                serve()
                """)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test func aClaimToBeConnectedWithoutSettingsIsNotBelieved() throws {
        let site = try Installation()
        try site.save(
            "office", hostile: "send(type='connected')\nserve()", "startTimeout=1")
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start)")
        #expect(start.output.isEmpty)
        #expect(try site.lastDisconnect("office").code == "startTimedOut")
    }

    @Test(arguments: [
        #"routes=["0.0.0.0/0"]"#, #"routes=["0.0.0.0/1", "128.0.0.0/1"]"#, #"routes=["::/0"]"#,
        #"routes=["127.0.0.0/8"]"#, #"routes=["224.0.0.0/4"]"#, #"routes=["fe80::/64"]"#,
        #"addresses=["127.0.0.2/8"]"#, #"addresses=["224.0.0.9/24"]"#, #"addresses=["::1/128"]"#,
        #"addresses=["ff02::7/64"]"#, #"addresses=["0.0.0.0/24"]"#, "addresses=[]",
        #"addresses=["10.98.%d.1/30" % n for n in range(100)]"#,
        #"routes=["%d.%d.%d.0/24" % (n >> 16, n >> 8 & 255, n & 255) for n in range(65536, 117000)]"#,
        #"routes=["127.%d.%d.0/24" % (n >> 8, n & 255) for n in range(40000)]"#,
    ])
    func settingsThatNoTunnelMayHaveAreRejected(_ wish: String) throws {
        let site = try Installation()
        try site.save("office", hostile: "settle(\(wish))\nserve()")
        let before = try Kernel.snapshot()
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start.status)")
        #expect(start.errors.utf8.count < 4096)
        let last = try site.lastDisconnect("office")
        #expect(last.code == "networkSettingsRejected")
        #expect(!last.text.isEmpty && last.text.utf8.count < 2048)
        #expect(try Kernel.snapshot() == before)
    }

    @Test func routesWiderThanThoseOfTheConfigurationAreRejected() throws {
        let site = try Installation()
        try site.save(
            "office", hostile: #"settle(routes=["10.0.0.0/8"])"# + "\nserve()",
            #"routing.includedRoutes=["10.20.0.0/16"]"#)
        #expect(try site.utunctl("start", "--wait", "office").status == 6)
        let last = try site.lastDisconnect("office")
        #expect(last.code == "networkSettingsRejected")
        #expect(last.text.contains("10.0.0.0/8 is wider"), "\(last.text)")
    }

    @Test func aLineOfMoreThanAMebibyteIsAProtocolError() throws {
        let site = try Installation()
        try site.save(
            "office",
            hostile: #"""
                settle(routes=["%d.%d.%d.0/24" % (1 + (n >> 16), n >> 8 & 255, n & 255) for n in range(100000)])
                serve()
                """#)
        #expect(try site.utunctl("start", "--wait", "office").status == 6)
        #expect(try site.lastDisconnect("office").code == "providerProtocolError")
    }

    @Test func descriptorsThatNobodyAskedForAreClosed() throws {
        let site = try Installation()
        try site.save(
            "office",
            hostile: """
                connect()
                serve_aside()
                while True:
                    try:
                        socket.send_fds(channel, [b'{"type":"x"}\\n'], [0] * 8)
                    except OSError:
                        time.sleep(0.001)
                """)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        usleep(300_000)
        #expect(try site.utunctl("status", "office").status == 0)
        let open = try Command.run(["ls", "/proc/\(site.livingHost(of: "office"))/fd"]).output
        #expect(open.split(separator: "\n").count < 64)
    }

    @Test func aProviderThatClosesItsChannelAndGoesOnIsEnded() throws {
        let site = try Installation()
        try site.save(
            "office",
            hostile: """
                connect()
                channel.shutdown(socket.SHUT_RDWR)
                os.close(3)
                time.sleep(60)
                """)
        _ = try site.utunctl("start", "office")
        #expect(try eventually(seconds: 2) { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "providerProtocolError")
        #expect(try site.hasNoProcess())
    }

    @Test(arguments: ["", "connect()\n"])
    func anExitWithoutAWordIsACrash(after beginning: String) throws {
        let site = try Installation()
        try site.save("office", hostile: beginning + "os._exit(0)")
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 6 || (start.status == 0 && !beginning.isEmpty))
        #expect(try eventually(seconds: aSecond) { try site.word("office") == "disconnected" })
        let last = try site.lastDisconnect("office")
        #expect(last.code == "providerCrashed")
        #expect(last.text == "the provider exited with status 0")
    }

    @Test func aProviderThatCannotBeRunEndsItsSessionAtOnce() throws {
        let site = try Installation()
        try site.save("office", hostile: "")
        try site.write("#!/no/such/program\n", to: "usr/libexec/utunctl/office", mode: 0o755)
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 6 || start.status == 7, "\(start)")
        #expect(try eventually(seconds: 2) { try site.hasNoProcess() })
        #expect(try site.word("office") == "disconnected")
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func aProviderThatStopsUnaskedHasCrashed() throws {
        let site = try Installation()
        try site.save("office", hostile: "connect()\nsend(type='stopped')\nos._exit(0)")
        _ = try site.utunctl("start", "--wait", "office")
        #expect(try eventually(seconds: aSecond) { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "providerCrashed")
    }

    @Test(arguments: ["SIGSEGV", "SIGBUS", "SIGILL"])
    func aFaultOfTheProviderIsNamed(_ signal: String) throws {
        let site = try Installation()
        try site.save("office", #"providerConfiguration.crashSignal="\#(signal)""#)
        _ = try site.utunctl("start", "--wait", "office")
        #expect(try eventually(seconds: aSecond) { try site.word("office") == "disconnected" })
        let last = try site.lastDisconnect("office")
        #expect(last.code == "providerCrashed")
        #expect(last.text.contains("(\(signal))"), "\(last.text)")
    }

    @Test func aFailureAfterTheStartIsTheAnswerOfTheWait() throws {
        let site = try Installation()
        try site.save(
            "office", "providerConfiguration.hangOnStart=true",
            #"providerConfiguration.fail={"code":"authenticationFailed","after":300}"#)
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 6)
        #expect(start.output.isEmpty)
        #expect(start.errors.contains("authenticationFailed"), "\(start.errors)")
        let inJSON = try site.utunctl("start", "--wait", "--json", "office")
        #expect(inJSON.status == 6)
        let error = try Installation.parse(inJSON.output)["error"]?.object
        #expect(error?["code"] == .string("authenticationFailed"))
        #expect(error?["exitStatus"] == .integer(6))
        #expect(try site.lastDisconnect("office").code == "authenticationFailed")
    }
}
