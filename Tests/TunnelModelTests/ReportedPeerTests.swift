import JSON
import Testing
import TunnelModel

/// The peers of a provider's report: how many are shown, and what of them is a fault.
@Suite struct ReportedPeerTests {
    private static func report(_ peers: [String]) throws -> ProviderReport {
        let line =
            "{\"type\":\"report\",\"id\":1,\"peers\":[\(peers.joined(separator: ","))]}"
        guard case .report(_, let report) = try ProviderMessage(line: line.utf8) else {
            throw JSONError.value(path: "", problem: "no report")
        }
        return report
    }

    private static func peer(_ name: String, _ members: String) -> String {
        "{\"name\":\"\(name)\"\(members.isEmpty ? "" : ",")\(members)}"
    }

    private static let proven = #""endpoint":"192.0.2.1:1","verified":true"#
    private static let unproven = #""endpoint":"192.0.2.1:1","verified":false"#
    private static let absent = #""endpoint":null,"verified":false"#

    private static let cases: [(peers: [(String, String)], sought: Set<String>?, text: String?)] = [
        ([], nil, nil),
        ([("a", proven)], nil, nil),
        // Alone it is no warning: the provider reasserts.
        ([("a", unproven)], nil, nil),
        ([("a", proven), ("b", unproven)], nil, "1 of 2 peers proved nothing yet: b"),
        ([("a", proven), ("b", unproven + #","optional":true"#)], nil, nil),
        // It was never there, and nobody looks for it.
        ([("a", proven), ("b", absent)], nil, nil),
        ([("a", proven), ("b", absent)], ["a", "b"], "1 of 2 peers proved nothing yet: b"),
        // A client that has gone again: it has an endpoint, and nobody looks for it.
        ([("a", proven), ("b", unproven)], ["a"], nil),
        ([("a", proven), ("b", unproven)], [], nil),
        // What a provider does not say is no fault.
        ([("a", proven), ("b", #""endpoint":"x""#)], nil, nil),
        (
            [
                ("a", proven), ("b", unproven), ("c", unproven), ("d", unproven), ("e", unproven),
                ("f", unproven),
            ], nil, "5 of 6 peers proved nothing yet: b, c, d and 2 more"
        ),
    ]

    @Test(arguments: cases)
    func whoProvesNothingIsNamed(
        peers: [(String, String)],
        sought: Set<String>?,
        text: String?
    ) throws {
        let report = try Self.report(peers.map { Self.peer($0.0, $0.1) })
        let warning = report.unverifiedWarning(sought: sought)
        #expect(warning?.text == text)
        #expect(warning.map { $0.code == .peerUnverified && $0.degrades } ?? true)
    }

    @Test func upToEightPeersAreShownAndOfMoreTheFourThatWereHeardOfLast() throws {
        func report(_ count: Int) throws -> ProviderReport {
            try Self.report(
                (0..<count).map { number in
                    let second = "0\(number * 7 % 10)"
                    let time = number % 3 == 0 ? "null" : "\"2026-11-30T01:02:\(second)Z\""
                    return Self.peer("p\(number)", "\"lastHandshake\":\(time)")
                })
        }
        var eight = try report(8)
        #expect(eight.leaveOutPeers() == 0)
        #expect(eight == (try report(8)))
        var ten = try report(10)
        #expect(ten.leaveOutPeers() == 6)
        #expect(ten.peers.map(\.name) == ["p7", "p4", "p1", "p8"])
        var silent = try Self.report((0..<1000).map { Self.peer("p\($0)", "") })
        #expect(silent.leaveOutPeers() == 996)
        #expect(silent.peers.map(\.name) == ["p0", "p1", "p2", "p3"])
    }

    @Test(arguments: [
        #"[null, 1, "x", {}, {"name": 1}]"#, "{}", "null", "7",
    ])
    func whatIsNoPeerIsNone(peers: String) throws {
        let line = "{\"type\":\"report\",\"id\":1,\"peers\":\(peers)}"
        guard case .report(_, var report) = try ProviderMessage(line: line.utf8) else { return }
        #expect(report.peers.isEmpty)
        #expect(report.leaveOutPeers() == 0)
        #expect(report.unverifiedWarning(sought: nil) == nil)
    }
}
