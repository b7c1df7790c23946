import Testing
import TunnelModel

@testable import Commands

@Suite struct OlderHostTests {
    private static func warnings(version: String?) -> [TunnelWarning] {
        var report = SessionReport(
            configuration: Configuration(
                identifier: "7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c001", name: "office"),
            attempt: "07000000-0000-4000-8000-000000000000", origin: .systemd, status: .connected,
            started: Timestamp(microseconds: 5), networkNamespace: "net:[4026531840]", hostPID: 42,
            interface: .init(name: "utun0", index: 7, mtu: 1420))
        report.hostVersion = version
        return StatusDifferences.between(report, nil, nil)
    }

    @Test func aHostOfThisVersionIsNotNoted() {
        #expect(Self.warnings(version: Program.version).isEmpty)
    }

    @Test(arguments: ["0.0.9", "99.0.0", ""])
    func aHostOfAnotherVersionIsNotedAndNotDegraded(version: String) {
        let warnings = Self.warnings(version: version)
        #expect(warnings.map(\.code) == [.olderHost])
        #expect(warnings.allSatisfy { !$0.degrades })
        #expect(warnings[0].text.contains("of version \(version), "))
        #expect(warnings[0].text.contains("of version \(Program.version);"))
        #expect(warnings[0].text.hasSuffix("utunctl restart office"))
    }

    @Test func aHostThatDoesNotTellItsVersionIsNoted() {
        let warnings = Self.warnings(version: nil)
        #expect(warnings.map(\.code) == [.olderHost])
        #expect(warnings[0].text.hasPrefix("its session host is older, "))
    }
}
