import Glibc
import JSON
import LinuxSystem
import Testing
import TunnelModel

@Suite struct LoopbackProviderTests {
    /// The far end that the packets of `Packets` are addressed to.
    private static let addressed = """
        "addresses": ["10.9.0.2/24", "fd00:9::2/64"], "peerAddresses": ["10.9.0.1", "fd00:9::1"]
        """

    @Test func aWholeSession() throws {
        let provider = try ProviderProcess(
            "{\(Self.addressed), \"includedRoutes\": [\"10.9.0.0/16\"]}")
        let settings = try provider.connect()
        #expect(settings.addresses.map(\.description) == ["10.9.0.2/24", "fd00:9::2/64"])
        #expect(settings.includedRoutes?.map(\.description) == ["10.9.0.0/16"])
        #expect(settings.mtu == nil && settings.overhead == nil && settings.remoteAddress == nil)

        for (request, reply) in zip(Packets.requests, Packets.replies) {
            try provider.sendPacket(request)
            #expect(try provider.receivePacket() == reply)
        }
        try provider.sendPacket([0x45, 0, 0, 20])
        try provider.send(.message(id: 9, data: "a \"quoted\" line\n"))
        #expect(try provider.next() == .reply(id: 9, data: "a \"quoted\" line\n"))

        let before = Clock.wallMicroseconds
        let report = try provider.report()
        let verified = try #require(report.lastVerified)
        #expect((before...Clock.wallMicroseconds).contains(verified.microseconds))
        #expect(report.details["answeredPackets"] == .integer(4))
        #expect(report.details["droppedPackets"] == .integer(1))
        let peers = report.details["peers"]?.array?.map { $0.object?["name"]?.string }
        #expect(peers == ["10.9.0.1", "fd00:9::1"])

        try provider.send(.stop(reason: .stoppedByUser))
        #expect(try provider.next() == .stopped)
        #expect(try provider.exit() == .status(0))
    }

    @Test func withoutAddressesTheyFollowFromTheIdentifier() throws {
        let provider = try ProviderProcess(#"{"mtu": 1400}"#)
        let settings = try provider.connect()
        let expected = LoopbackConfiguration().tunnelAddresses(
            identifier: ProviderProcess.identifier)
        #expect(settings.addresses == expected)
        #expect(settings.addresses.map(\.length) == [30, 126])
        #expect(settings.mtu == 1400)
    }

    @Test func nothingIsServedBeforeTheSettingsAreApplied() throws {
        let provider = try ProviderProcess("{\(Self.addressed)}")
        guard case .settings(let id, _) = try provider.next() else {
            throw Unexpected(text: "no settings")
        }
        try provider.sendPacket(Packets.icmp)
        #expect(try provider.receivePacket(within: 100) == nil)
        #expect(try provider.report().lastVerified == nil)
        try provider.send(.settingsApplied(id: id + 1))
        try provider.send(.settingsRejected(id: id, errors: [.init(key: "mtu", text: "too big")]))
        #expect(try provider.next(within: 100) == nil)
        try provider.send(.stop(reason: .networkSettingsRejected))
        #expect(try provider.next() == .stopped)
        #expect(try provider.exit() == .status(0))
    }

    @Test func aFloodLeavesTheChannelServed() throws {
        let provider = try ProviderProcess("{\(Self.addressed)}")
        _ = try provider.connect()
        var answers = 0
        for round in 0..<50 {
            for _ in 0..<100 { try provider.sendPacket(Packets.udp) }
            try provider.send(.message(id: Int64(round), data: ""))
            #expect(try provider.next() == .reply(id: Int64(round), data: ""))
            for _ in 0..<100 where try provider.receivePacket() == Packets.udpReply { answers += 1 }
        }
        #expect(answers == 5000)
        #expect(try provider.report().details["answeredPackets"] == .integer(5000))
    }

    @Test func anIdleProviderNeverWakesUp() throws {
        let provider = try ProviderProcess()
        _ = try provider.connect()
        // Half a second after its start it lets go of what that needed.
        usleep(800_000)
        let before = try switches(of: provider.pid)
        usleep(400_000)
        #expect(try switches(of: provider.pid) == before)
    }

    @Test func aTunThatIsGoneDoesNotKeepItAwake() throws {
        let provider = try ProviderProcess()
        _ = try provider.connect()
        provider.tun = nil
        _ = try provider.report()
        usleep(150_000)
        let before = try switches(of: provider.pid)
        usleep(200_000)
        #expect(try switches(of: provider.pid) == before)
        _ = try provider.report()
    }

    @Test func itEndsWhenTheHostIsGone() throws {
        var provider: ProviderProcess? = try ProviderProcess()
        _ = try provider?.connect()
        let ended = try OtherProcess(pid: try #require(provider?.pid))
        try shutDownChannel(of: try #require(provider))
        #expect(try provider?.exit() == .status(0))
        provider = nil
        #expect(throws: SystemError.self) { try ended.signal(0) }
    }

    @Test func whatItDoesNotUnderstandIsNoEnd() throws {
        let provider = try ProviderProcess()
        _ = try provider.connect()
        for line in ["{\"type\":\"later\"}\n", "{\"type\":\"sleep\"}\n", "{\"type\":\"wake\"}\n"] {
            try provider.client.send(Array(line.utf8))
        }
        try provider.client.send(Array("{\"type\":\"query\"}\n".utf8))
        guard case .log("warning", _) = try provider.next() else {
            throw Unexpected(text: "no warning")
        }
        _ = try provider.report()
    }

    @Test func byHandItSaysWhoStartsIt() throws {
        let pair = try UnixSocket.pair()
        let output = pair.first
        var theirs: FileDescriptor? = pair.second
        let child = try ChildProcess.launch(
            executable: try FileDescriptor.open(ProviderProcess.executable, O_RDONLY),
            name: "utunctl-loopback", arguments: ["utunctl-loopback"], environment: [],
            descriptors: [nil, theirs?.raw, theirs?.raw])
        theirs = nil
        let text = String(decoding: try output.readAll(limit: 4096), as: UTF8.self)
        #expect(text == "utunctl-loopback: started by utunctl for a tunnel, not by hand\n")
        _ = try LineClient.wait(
            for: [(child.descriptor.raw, .readable)], until: .after(milliseconds: 5000))
        #expect(try child.reap() == .status(2))
    }

    private func shutDownChannel(of provider: ProviderProcess) throws {
        #expect(shutdown(provider.client.raw, CInt(SHUT_RDWR)) == 0)
    }

    private func switches(of pid: Int32) throws -> [Substring] {
        let status = try FileDescriptor.open("/proc/\(pid)/status", O_RDONLY)
        let lines = String(decoding: try status.readAll(limit: 65_536), as: UTF8.self)
            .split(separator: "\n").filter { $0.hasPrefix("voluntary_ctxt_switches") }
        try #require(lines.count == 1)
        return lines
    }
}
