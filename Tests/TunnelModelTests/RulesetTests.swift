import JSON
import Testing
import TunnelModel

/// What chains of other firewalls do with packets of which little is known.
@Suite struct RulesetTests {
    private static let tunnel = PacketTraits([
        "meta mark": .number(0), "meta oifname": .beginning("utun"), "ct state": .text("new"),
        "meta nfproto": .text("ipv4"),
    ])
    private static let own = PacketTraits([
        "meta mark": .number(0x7500_0075), "meta oifname": .anythingBut("lo"),
        "meta l4proto": .text("udp"), "ct state": .text("new"), "meta nfproto": .text("ipv4"),
    ])

    private static func meta(_ key: String, _ right: String, _ op: String = "==") -> String {
        #"{"match":{"op":"\#(op)","left":{"meta":{"key":"\#(key)"}},"right":\#(right)}}"#
    }

    /// A ruleset with a base chain, of which each rule is the text of its statements.
    private static func ruleset(
        policy: String,
        _ rules: [String],
        further: [String] = [],
        family: String = "inet"
    ) throws -> Ruleset {
        func rule(_ chain: String, _ handle: Int, _ text: String) -> String {
            #"{"rule":{"family":"\#(family)","table":"t","chain":"\#(chain)","#
                + #""handle":\#(handle),"expr":[\#(text)]}}"#
        }
        let place = #""family":"\#(family)","table":"t""#
        let chains = [
            #"{"metainfo":{"version":"1"}}"#,
            #"{"chain":{\#(place),"name":"out","type":"filter","hook":"output","prio":0,"#
                + #""policy":"\#(policy)"}}"#,
            #"{"chain":{\#(place),"name":"sub"}}"#,
        ]
        let all =
            chains + rules.enumerated().map { rule("out", $0.offset + 1, $0.element) }
            + further.enumerated().map { rule("sub", $0.offset + 100, $0.element) }
        let text = #"{"nftables":[\#(all.joined(separator: ","))]}"#
        return try JSONDocument(parsing: text.utf8).withRoot { try Ruleset($0) }
    }

    private func fate(_ packet: PacketTraits, _ ruleset: Ruleset) throws -> String {
        let chain = try #require(ruleset.chains(at: "output", ipv6: false).first)
        guard let drop = RulesetWalk.drop(of: packet, in: chain, of: ruleset) else { return "pass" }
        return (drop.isCertain ? "drop " : "maybe ") + drop.by
    }

    @Test(arguments: [
        (["{\"accept\":null}"], "pass", "pass"),
        ([], "drop its policy", "drop its policy"),
        // The tunnel's interface certainly is none of these; another one may be.
        (
            [meta("oifname", "\"eth0\"") + ",{\"accept\":null}"], "drop its policy",
            "maybe its policy"
        ),
        ([meta("oifname", "\"utun*\"") + ",{\"accept\":null}"], "pass", "maybe its policy"),
        (
            [meta("oifname", "\"utun3\"") + ",{\"accept\":null}"], "maybe its policy",
            "maybe its policy"
        ),
        ([meta("oifname", "\"u*\"") + ",{\"accept\":null}"], "pass", "maybe its policy"),
        (
            [meta("oifname", "{\"set\":[\"eth0\",\"utun*\"]}") + ",{\"accept\":null}"], "pass",
            "maybe its policy"
        ),
        ([meta("mark", "1962934389") + ",{\"accept\":null}"], "drop its policy", "pass"),
        ([meta("mark", "1962934389", "!=") + ",{\"accept\":null}"], "pass", "drop its policy"),
        ([meta("skuid", "0") + ",{\"accept\":null}"], "maybe its policy", "maybe its policy"),
        // A rule behind one that takes everything is never asked.
        (["{\"reject\":null}", "{\"accept\":null}"], handled(1), handled(1)),
        (
            ["{\"counter\":{\"packets\":0,\"bytes\":0}},{\"drop\":null}"], handled(1), handled(1)
        ),
        (["{\"limit\":{\"rate\":1}},{\"accept\":null}"], "maybe its policy", "maybe its policy"),
        (["{\"xt\":null},{\"accept\":null}"], "maybe its policy", "maybe its policy"),
    ])
    func judgesRulesByWhatIsKnown(rules: [String], tunnel: String, own: String) throws {
        let ruleset = try Self.ruleset(policy: "drop", rules)
        #expect(try fate(Self.tunnel, ruleset) == tunnel)
        #expect(try fate(Self.own, ruleset) == own)
    }

    private static func handled(_ handle: Int) -> String {
        "drop the rule with the handle \(handle) of its chain out"
    }

    @Test func comesBackFromAJumpAndNotFromAGoto() throws {
        let jump = #"{"jump":{"target":"sub"}}"#
        let returns = try Self.ruleset(
            policy: "accept", [jump, "{\"drop\":null}"],
            further: ["{\"return\":null}", "{\"accept\":null}"])
        #expect(try fate(Self.tunnel, returns) == Self.handled(2))
        let goes = try Self.ruleset(
            policy: "accept", [#"{"goto":{"target":"sub"}}"#, "{\"drop\":null}"], further: [])
        #expect(try fate(Self.tunnel, goes) == "pass")
        let drops = try Self.ruleset(policy: "accept", [jump], further: ["{\"drop\":null}"])
        #expect(
            try fate(Self.tunnel, drops) == "drop the rule with the handle 100 of its chain sub")
        let loops = try Self.ruleset(policy: "drop", [jump], further: [jump, jump])
        #expect(try fate(Self.tunnel, loops).hasPrefix("maybe "))
    }

    @Test func readsMapsOfVerdicts() throws {
        let map =
            #"{"vmap":{"key":{"meta":{"key":"oifname"}},"data":{"set":[["eth0",{"accept":null}],"#
            + #"["utun*",{"drop":null}]]}}}"#
        let ruleset = try Self.ruleset(policy: "accept", [map])
        #expect(try fate(Self.tunnel, ruleset) == Self.handled(1))
        #expect(try fate(Self.own, ruleset).hasPrefix("maybe "))
    }

    @Test func masksMarks() throws {
        func rule(_ value: Int) -> String {
            #"{"match":{"op":"==","left":{"&":[{"meta":{"key":"mark"}},255]},"right":\#(value)}},"#
                + #"{"drop":null}"#
        }
        #expect(try fate(Self.own, Self.ruleset(policy: "accept", [rule(0x75)])) == Self.handled(1))
        #expect(try fate(Self.own, Self.ruleset(policy: "accept", [rule(0x74)])) == "pass")
    }

    @Test func reversePathFiltersThatKnowMarksDropNothing() throws {
        func rule(_ flags: String) -> String {
            #"{"match":{"op":"==","left":{"fib":{"result":"oif","flags":[\#(flags)]}},"#
                + #""right":false}},{"drop":null}"#
        }
        let marked = try Self.ruleset(policy: "accept", [rule(#""saddr","mark","iif""#)])
        #expect(try fate(Self.own, marked) == "pass")
        let plain = try Self.ruleset(policy: "accept", [rule(#""saddr","iif""#)])
        #expect(try fate(Self.own, plain).hasPrefix("maybe "))
    }

    @Test func chainsOfTheOtherFamilyAreNotAsked() throws {
        let ruleset = try Self.ruleset(policy: "drop", [], family: "ip6")
        #expect(ruleset.chains(at: "output", ipv6: false).isEmpty)
        #expect(ruleset.chains(at: "output", ipv6: true).count == 1)
        #expect(ruleset.chains(at: "input", ipv6: true).isEmpty)
    }
}
