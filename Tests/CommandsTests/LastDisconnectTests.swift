import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

/// Every way in which a session ends is told with whose matter it is and who mends it.
@Suite struct LastDisconnectTests {
    private let root: TemporaryRoot
    private let identifier: String

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider()
        let saved = try root.run(["save", "office", "--json"]).json?["saved"]?.array?.first
        identifier = try #require(saved?.object?["identifier"]?.string)
    }

    private var now: Timestamp { Timestamp(microseconds: Clock.wallMicroseconds) }

    /// A record of a session that ended so.
    private func record(_ code: DisconnectCode, at time: Timestamp) throws {
        try root.makeDirectory("/run/utunctl")
        try root.write(
            "/run/utunctl/\(identifier).session.json",
            """
            {"formatVersion": 1, "identifier": "\(identifier)", "name": "office", "generation": 1,
             "attempt": "\(identifier)", "origin": "user", "started": "2026-01-01T00:00:00Z",
             "networkNamespace": "net:[1]", "controlSocket": null, "changes": [],
             "end": {"attempt": "\(identifier)", "time": "\(time.text)", "code": "\(code.rawValue)",
                     "text": "why so"}}
            """, mode: 0o600)
    }

    @Test(arguments: DisconnectCode.allCases)
    func statusTellsWhoMendsIt(code: DisconnectCode) throws {
        try record(code, at: now)
        let answer = try root.run(["status", "--json", "office"])
        let tunnel = answer.json?["tunnels"]?.array?.first?.object
        let last = try #require(tunnel?["lastDisconnect"]?.object, "\(answer)")
        #expect(last.members.map(\.key) == ["attempt", "time", "code", "text", "kind", "hint"])
        #expect(last["code"] == .string(code.rawValue))
        #expect(last["text"] == .string("why so"))
        #expect(last["kind"] == .string(code.kind.rawValue))
        #expect(last["hint"] == code.hint.map { .string($0) } ?? .null)
        let text = try root.run(["status", "office"]).output
        #expect(text.contains("\(code.rawValue): why so"), "\(text)")
        let remedy = code.remedy(at: now, floor: nil)
        #expect(text.contains("  remedy: ") == (remedy != nil), "\(text)")
        if let remedy { #expect(text.contains(remedy), "\(text)") }
    }

    @Test func aClockBeforeTheProgramWasBuiltIsNamed() throws {
        let long = try #require(Timestamp("2001-01-01T00:00:00Z"))
        try record(.serverCertificateNotYetValid, at: long)
        let answer = try root.run(["status", "--json", "office"])
        let last = answer.json?["tunnels"]?.array?.first?.object?["lastDisconnect"]?.object
        let hint = last?["hint"]?.string ?? ""
        #expect(
            hint.contains("set this host's clock, which is behind: it said \(long.text)"), "\(hint)"
        )
        #expect(last?["kind"] == .string("trust"))
        let text = try root.run(["status", "office"]).output
        #expect(text.contains("trust: set this host's clock"), "\(text)")
    }

    @Test func aClockBeforeTheEnrolmentIsNamed() throws {
        let path = "/etc/utunctl/profiles/hq.json"
        try root.write(path, #"{"formatVersion": 1, "identifier": "hq"}"#)
        _ = try root.run(["save", "office", "--set", #"trust=["hq/gw"]"#])
        try record(.serverNotResponding, at: now)
        func hint() throws -> String? {
            let answer = try root.run(["status", "--json", "office"]).json
            let tunnel = answer?["tunnels"]?.array?.first?.object
            return tunnel?["lastDisconnect"]?.object?["hint"]?.string
        }
        #expect(try hint() == DisconnectCode.serverNotResponding.hint)
        // Enrolled when the clock was right: an hour after what it says now.
        var times = [timespec(), timespec()]
        clock_gettime(CLOCK_REALTIME, &times[0])
        times[0].tv_sec += 3600
        times[1] = times[0]
        #expect(utimensat(AT_FDCWD, root.path(path), times, 0) == 0)
        #expect(try hint()?.contains("set this host's clock, which is behind") == true)
    }
}
