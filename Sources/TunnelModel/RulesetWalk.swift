internal import JSON

/// What a chain does with a packet, where that is to drop it.
package struct PacketDrop: Hashable, Sendable {
    /// Whether nothing lets it through; else it hangs on what cannot be known from here.
    package let isCertain: Bool
    /// What drops it: a policy, or a rule and its chain.
    package let by: String
}

/// The way of one packet through a chain and those that it jumps to.
package struct RulesetWalk {
    /// Rules that are looked at before the answer is that it cannot be known.
    private static let mostSteps = 50_000
    private static let mostJumps = 16

    private let ruleset: Ruleset
    private let packet: PacketTraits
    private var steps = 0
    private var found: PacketDrop?

    private init(_ ruleset: Ruleset, _ packet: PacketTraits) {
        self.ruleset = ruleset
        self.packet = packet
    }

    /// What drops a packet in a base chain; `nil` where nothing does.
    package static func drop(
        of packet: PacketTraits,
        in chain: Ruleset.Chain,
        of ruleset: Ruleset
    ) -> PacketDrop? {
        var walk = RulesetWalk(ruleset, packet)
        let rest = walk.follow(chain, .yes, jumps: 0)
        if chain.policy == "drop" { walk.note(rest, "its policy") }
        return walk.found
    }

    private mutating func note(_ truth: Truth, _ by: String) {
        guard truth != .no, found?.isCertain != true else { return }
        // The first that may drop it is told, unless another one certainly does.
        if truth == .yes || found == nil {
            found = PacketDrop(isCertain: truth == .yes, by: by)
        }
    }

    /// Goes through a chain that the packet reaches; whether it comes out at its end.
    private mutating func follow(_ chain: Ruleset.Chain, _ reach: Truth, jumps: Int) -> Truth {
        var reach = reach
        var returned = Truth.no
        for rule in chain.rules {
            guard reach != .no else { break }
            steps += 1
            guard steps < Self.mostSteps, jumps < Self.mostJumps else { return .maybe }
            var matches = Truth.yes
            for statement in rule.statements {
                guard matches != .no, let object = statement.object,
                    let member = object.members.first
                else { break }
                switch member.key {
                case "match":
                    matches = matches && (member.value.object.map(packet.matches) ?? .maybe)
                case "vmap":
                    for (truth, verdict) in verdicts(of: member.value) {
                        decide(verdict, matches && truth, rule, chain, jumps, &reach, &returned)
                    }
                case "accept", "drop", "reject", "return", "jump", "goto", "queue":
                    decide(object, matches, rule, chain, jumps, &reach, &returned)
                case "counter", "log", "mangle", "notrack", "comment", "set", "map", "flow",
                    "ct helper", "ct timeout", "ct expectation", "dup":
                    break
                // Limits, and what xtables know and nft does not.
                default: matches = matches && .maybe
                }
            }
        }
        return reach || returned
    }

    private mutating func decide(
        _ verdict: JSONObject,
        _ matches: Truth,
        _ rule: Ruleset.Rule,
        _ chain: Ruleset.Chain,
        _ jumps: Int,
        _ reach: inout Truth,
        _ returned: inout Truth
    ) {
        guard matches != .no, reach != .no, let member = verdict.members.first else { return }
        let comes = reach && matches
        // What goes on with the next rule when this verdict was not for the packet.
        let rest = matches == .yes ? Truth.no : .maybe
        switch member.key {
        case "drop", "reject":
            note(comes, "the rule with the handle \(rule.handle) of its chain \(chain.name)")
            reach = rest
        case "return":
            returned = returned || comes
            reach = rest
        case "jump", "goto":
            guard let name = member.value.object?["target"]?.string,
                let target = ruleset.chain(name, beside: chain)
            else {
                reach = .maybe
                return
            }
            let after = follow(target, comes, jumps: jumps + 1)
            if member.key == "goto" {
                returned = returned || after
                reach = rest
            } else {
                reach = matches == .yes ? after : .maybe
            }
        case "continue": break
        // Accepted, or handed to a program.
        default: reach = rest
        }
    }

    /// The verdicts of a map, with whether each is the packet's.
    private func verdicts(of value: JSONValue) -> [(truth: Truth, verdict: JSONObject)] {
        // Of one with a name it was not read what it holds.
        guard let map = value.object, let key = map["key"],
            let elements = map["data"]?.object?["set"]?.array
        else { return [] }
        return elements.compactMap { element in
            guard let pair = element.array, pair.count == 2, let verdict = pair[1].object else {
                return nil
            }
            return (packet.isOne(of: pair[0], key), verdict)
        }
    }
}
