import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

/// A profile whose time ends is shown before it bites.
@Suite struct TrustValidityTests {
    private static let day: Int64 = 86_400 * 1_000_000
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider("org.example.noise", keys: #", "trust": "wireguard""#)
        _ = try root.run(
            ["save", "office", "--provider", "org.example.noise", "--set", #"trust=["hq/gw"]"#])
    }

    private func enrol(_ name: String = "hq", endsIn days: Int64?) throws -> Timestamp? {
        let end = days.map {
            Timestamp(microseconds: Clock.wallMicroseconds + $0 * Self.day)
        }
        try root.write(
            "/etc/utunctl/profiles/\(name).json",
            """
            {"formatVersion": 1, "identifier": "\(name)",
             "notAfter": \(end.map { "\"\($0.text)\"" } ?? "null"),
             "anchors": [{"name": "gw", "kind": "wireguard",
                          "publicKey": "\(EnrolledRoot.publicKey)"}]}
            """)
        return end
    }

    /// Days to the end, and the codes that status, save and doctor have for it.
    @Test(
        arguments: [
            (nil, nil, nil, nil), (31, nil, nil, nil),
            (29, "trustExpiring", "trustExpiring", "trustExpiring"),
            (-1, "trustExpired", "profileExpired", "profileExpired"),
        ] as [(Int64?, String?, String?, String?)])
    func itIsToldByStatusSaveAndDoctor(
        days: Int64?, status: String?, save: String?, doctor: String?
    ) throws {
        let end = try enrol(endsIn: days)
        let tunnel = try #require(
            try root.run(["status", "--json"]).json?["tunnels"]?.array?.first?.object)
        let warnings = (tunnel["warnings"]?.array ?? []).compactMap(\.object)
        #expect(warnings.compactMap { $0["code"]?.string } == [status].compactMap { $0 })
        #expect(tunnel["status"] == .string("disconnected"))
        for warning in warnings {
            #expect(warning["degrades"] == .bool(false))
            #expect(warning["text"]?.string?.contains(end?.text ?? "-") == true)
        }
        if let status {
            let text = try root.run(["status", "office"]).output
            #expect(text.contains("\(status): the profile hq "), "\(text)")
        }
        let saved = try root.run(["save", "office", "--json", "--title", "x"])
        #expect(saved.status == 0)
        let told = (saved.json?["warnings"]?.array ?? []).compactMap { $0.object?["code"]?.string }
        #expect(told == [save].compactMap { $0 })
        #expect(try root.run(["save", "office", "--strict"]).status == (save == nil ? 0 : 7))
        let findings = try root.run(["doctor", "--json"]).json?["findings"]?.array ?? []
        let codes = Set(findings.compactMap { $0.object?["code"]?.string })
        for code in ["trustExpiring", "trustExpired", "profileExpired"] {
            #expect(codes.contains(code) == (code == doctor), "\(code)")
        }
    }

    @Test func aProfileThatNobodyNamesIsToldByDoctor() throws {
        _ = try enrol(endsIn: nil)
        _ = try enrol("old", endsIn: -5)
        _ = try enrol("soon", endsIn: 5)
        try root.write("/etc/utunctl/profiles/broken.json", "{")
        let output = try root.run(["doctor"]).output
        #expect(output.contains("advice   trustExpired: the profile old ended at"), "\(output)")
        #expect(output.contains("advice   trustExpiring: the profile soon ends at"), "\(output)")
        #expect(output.contains("problem  profileUnusable: the profile broken"), "\(output)")
        #expect(!output.contains("profile hq"), "\(output)")
    }

    @Test func onlyTheProfilesThatAConfigurationNamesAreItsMatter() throws {
        _ = try enrol(endsIn: nil)
        _ = try enrol("old", endsIn: -5)
        let tunnel = try root.run(["status", "--json"]).json?["tunnels"]?.array?.first?.object
        #expect(tunnel?["warnings"] == .array([]))
    }
}
