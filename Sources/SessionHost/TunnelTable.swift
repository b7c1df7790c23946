internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

/// The routing table of a tunnel's own, and the rules that lead to it.
///
/// Table and rules carry the index of the tunnel's interface, so that two tunnels never meet,
/// and whoever finds them knows whose they are: without that interface they are nobody's.
enum TunnelTable {
    private static let base: UInt32 = 0x7500_0000
    private static let firstPriority: UInt32 = 5000

    /// The table of the tunnel that has the interface.
    static func number(ofLink index: UInt32) -> UInt32 { base &+ index }

    /// The interface of the tunnel that a rule belongs to; nil for rules of another kind.
    static func link(of rule: PolicyRule) -> UInt32? {
        guard rule.protocolNumber == KernelReader.routeProtocol else { return nil }
        let number = rule.table == Route.mainTable ? rule.suppressedGroup : rule.table
        guard let number, number > base else { return nil }
        return number &- base
    }

    /// The rules by which the longest prefix wins, in whichever table it is.
    ///
    /// For each length of prefix in the table two rules: first the main table, without its
    /// routes that are no longer than that, then the table of its own, without its shorter
    /// ones. The priority follows from the length, so that this holds among several tunnels
    /// too. Packets with the mark are in none of them.
    static func rules(for plan: RoutePlan, link index: UInt32) -> [PolicyRule] {
        let table = number(ofLink: index)
        return [IPAddress.Family.v4, .v6].flatMap { family in
            plan.ownLengths(family).flatMap { length in
                [
                    // No link is in such a group: it suppresses nothing and tells whose it is.
                    rule(family, length, Route.mainTable, suppressed: length, group: table),
                    rule(family, length, table, suppressed: length - 1, group: nil),
                ]
            }
        }
    }

    private static func rule(
        _ family: IPAddress.Family,
        _ length: Int,
        _ table: UInt32,
        suppressed: Int,
        group: UInt32?
    ) -> PolicyRule {
        PolicyRule(
            family: family, priority: firstPriority + UInt32(family.bitWidth - length),
            table: table, mark: .init(OutsideSocket.mark), isInverted: true,
            suppressedLength: suppressed < 0 ? nil : suppressed, suppressedGroup: group,
            protocolNumber: KernelReader.routeProtocol)
    }
}
