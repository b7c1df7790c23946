import Glibc
import LinuxSystem
import Testing
import TunnelModel

@Suite struct LoopbackFaultTests {
    @Test func hangOnStartNeverConnects() throws {
        let provider = try ProviderProcess(#"{"hangOnStart": true}"#)
        guard case .settings(let id, _) = try provider.next() else {
            throw Unexpected(text: "no settings")
        }
        try provider.send(.settingsApplied(id: id))
        #expect(try provider.next(within: 200) == nil)
        try provider.send(.stop(reason: .startTimedOut))
        #expect(try provider.next() == .stopped)
        #expect(try provider.exit() == .status(0))
    }

    @Test func failComesAfterItsTime() throws {
        let provider = try ProviderProcess(
            #"{"fail": {"code": "authenticationFailed", "after": 300}}"#)
        let start = Clock.monotonicNanoseconds
        _ = try provider.connect()
        guard case .failed(let reason) = try provider.next() else {
            throw Unexpected(text: "no failure")
        }
        #expect(reason.code == .authenticationFailed)
        #expect(Clock.monotonicNanoseconds - start > 200_000_000)
        #expect(try provider.exit() == .status(1))
    }

    @Test(arguments: [("SIGSEGV", SIGSEGV), ("SIGBUS", SIGBUS), ("SIGILL", SIGILL)])
    func crashSignalIsARealFault(name: String, signal: CInt) throws {
        let provider = try ProviderProcess(#"{"crashSignal": "\#(name)"}"#)
        _ = try provider.connect()
        #expect(try provider.exit() == .signal(signal))
    }

    @Test func stalePeerIsOldInEachReport() throws {
        let provider = try ProviderProcess(#"{"stalePeer": 3600}"#)
        _ = try provider.connect()
        for id in Int64(1)...2 {
            let verified = try #require(try provider.report(id: id).lastVerified)
            let age = Clock.wallMicroseconds - verified.microseconds
            #expect((3_600_000_000..<3_605_000_000).contains(age))
        }
    }

    @Test func silentAnswersEverythingButQueries() throws {
        let provider = try ProviderProcess(#"{"silent": true}"#)
        _ = try provider.connect()
        try provider.send(.query(id: 1))
        try provider.send(.message(id: 2, data: "hello"))
        #expect(try provider.next() == .reply(id: 2, data: "hello"))
        try provider.send(.stop(reason: .stoppedByUser))
        #expect(try provider.next() == .stopped)
    }

    @Test func ignoreStopOnlyYieldsToForce() throws {
        let provider = try ProviderProcess(#"{"ignoreStop": true}"#)
        _ = try provider.connect()
        try provider.send(.stop(reason: .stoppedByUser))
        provider.signal(SIGTERM)
        try provider.send(.message(id: 3, data: "still here"))
        #expect(try provider.next() == .reply(id: 3, data: "still here"))
        #expect(try provider.exit(within: 100) == nil)
        provider.signal(SIGKILL)
        #expect(try provider.exit() == .signal(SIGKILL))
    }

    @Test func aRequestToEndIsObeyedOtherwise() throws {
        let provider = try ProviderProcess()
        _ = try provider.connect()
        provider.signal(SIGTERM)
        #expect(try provider.exit() == .signal(SIGTERM))
    }

    @Test func optionsOverrideTheSwitchesForOneStart() throws {
        let provider = try ProviderProcess(
            #"{"hangOnStart": true, "silent": false}"#,
            options: ["hangOnStart": "false", "silent": "true"])
        _ = try provider.connect()
        try provider.send(.query(id: 1))
        #expect(try provider.next(within: 100) == nil)
    }

    @Test(arguments: [["speed": "fast"], ["silent": "perhaps"], ["mtu": "true"]])
    func anOptionThatWouldDoNothingIsRefused(options: [String: String]) throws {
        let provider = try ProviderProcess(options: options)
        guard case .failed(let reason) = try provider.next() else {
            throw Unexpected(text: "not refused")
        }
        #expect(reason.code == .providerRefused)
        #expect(reason.text.contains(try #require(options.keys.first)))
    }

    @Test(arguments: [
        #"{"hangOnstart": true}"#, #"{"crashSignal": "SIGKILL"}"#,
        #"{"fail": {"code": "stoppedByUser"}}"#, #"{"addresses": ["10.0.0.1/33"]}"#,
    ])
    func aConfigurationThatDoesNotReadIsRefused(configuration: String) throws {
        let provider = try ProviderProcess(configuration)
        guard case .failed(let reason) = try provider.next() else {
            throw Unexpected(text: "no failure")
        }
        #expect(reason.code == .providerRefused)
        #expect(reason.text.hasPrefix("providerConfiguration: "))
        #expect(try provider.exit() == .status(1))
    }
}
