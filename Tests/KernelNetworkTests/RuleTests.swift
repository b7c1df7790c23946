import Glibc
import KernelNetwork
import Testing
import TunnelModel

extension KernelSuite {
    @Suite struct RuleTests {
        private static let mark = PolicyRule.Mark(0x7500_0075)

        private static let kinds: [PolicyRule] = [IPAddress.Family.v4, .v6].flatMap { family in
            [
                PolicyRule(
                    family: family, priority: 4990, table: 0x7500_0007, mark: mark,
                    isInverted: true, protocolNumber: 117),
                PolicyRule(
                    family: family, priority: 4991, table: 0x7500_0007, mark: mark,
                    isInverted: true, suppressedLength: 23, protocolNumber: 117),
                PolicyRule(
                    family: family, priority: 4992, table: Route.mainTable, mark: mark,
                    isInverted: true, suppressedLength: 0, suppressedGroup: 0x7500_0007,
                    protocolNumber: 117),
                PolicyRule(family: family, priority: 4993, table: 300, protocolNumber: 117),
                PolicyRule(
                    family: family, priority: 4994, table: 301, mark: .init(0x70, mask: 0xF0),
                    protocolNumber: 117),
                PolicyRule(
                    family: family, priority: 4995, table: 301, mark: .init(0, mask: 0xFF00),
                    protocolNumber: 117),
            ]
        }

        @Test(arguments: kinds)
        func readsBackWhatItAdded(rule: PolicyRule) throws {
            let socket = try RouteSocket()
            #expect(try socket.rules(protocol: 117).isEmpty)
            try socket.add(rule)
            defer { _ = try? socket.remove(rule) }
            #expect(try socket.rules(protocol: 117) == [rule])
            #expect(try socket.rules(protocol: 118).isEmpty)
            #expect(try socket.remove(rule))
            #expect(try socket.rules(protocol: 117).isEmpty)
            #expect(try !socket.remove(rule))
        }

        @Test(arguments: kinds)
        func isTheRuleThatIpShows(rule: PolicyRule) throws {
            let socket = try RouteSocket()
            try socket.add(rule)
            defer { _ = try? socket.remove(rule) }
            let family = rule.family == .v4 ? "-4" : "-6"
            let words = try IPCommand.run(
                family, "-N", "rule", "show", "priority", "\(rule.priority)"
            ).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let own = rule.description.split(separator: " ").dropFirst().joined(separator: " ")
                .replacing("main", with: "254")
            #expect(words == "\(own) proto 117")
        }

        /// Of equal priorities the order of their making is the order of their asking.
        @Test func anEqualRuleIsAddedBehindAndTheFirstIsTheOneRemoved() throws {
            let socket = try RouteSocket()
            let one = PolicyRule(family: .v4, priority: 4990, table: 300, protocolNumber: 117)
            let two = PolicyRule(family: .v4, priority: 4990, table: 301, protocolNumber: 117)
            for rule in [one, two, one] { try socket.add(rule) }
            defer { for rule in [one, two, one] { _ = try? socket.remove(rule) } }
            #expect(try socket.rules(protocol: 117) == [one, two, one])
            #expect(try socket.remove(one))
            #expect(try socket.rules(protocol: 117) == [two, one])
        }

        /// A rule that asks for more is not what its mark and its table alone would say.
        @Test(arguments: [
            ["from", "10.0.0.0/8"], ["iif", "lo"], ["ipproto", "udp"], ["uidrange", "1-2"],
            ["tos", "0x10"],
        ])
        func rulesThatAskForMoreAreNotTakenForOthers(selector: [String]) throws {
            let rule = ["priority", "4990", "lookup", "300", "protocol", "117"]
            let socket = try RouteSocket()
            let arguments = ["rule", "add"] + selector + rule
            try IPCommand.run(arguments)
            defer { _ = try? IPCommand.run("rule", "delete", "priority", "4990") }
            #expect(try socket.rules(protocol: 117).isEmpty)
        }

        @Test func rulesOfOtherProtocolsAreNotListed() throws {
            let socket = try RouteSocket()
            #expect(try socket.rules(protocol: 2).contains { $0.table == Route.mainTable })
            #expect(try socket.rules(protocol: 117).isEmpty)
        }
    }
}
