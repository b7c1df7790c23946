internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

/// The routing tables of a tunnel's own, and the rules that lead to them.
///
/// Tables and rules carry the index of the tunnel's interface, so that two tunnels never meet,
/// and whoever finds them knows whose they are: without that interface they are nobody's, but
/// for the block of a kill switch, which outlives it.
enum TunnelTable {
    private static let base: UInt32 = 0x7500_0000
    private static let blockBase: UInt32 = 0x7580_0000
    private static let indexMask: UInt32 = 0x007F_FFFF
    /// Where the ladder of rules begins that the main table's more specific routes go before.
    private static let firstPriority: UInt32 = 5000
    /// Where the ladder begins that goes before the main table.
    private static let firstPriorityAhead: UInt32 = 4700
    /// Behind all rules of both families that go before the main table.
    private static let blockPriority: UInt32 = 4840
    /// The place of a block that stands until somebody lifts it, which tells it from others.
    private static let standingBlockPriority: UInt32 = 4841

    /// The table with the routes of the tunnel that has the interface.
    static func number(ofLink index: UInt32) -> UInt32 { base | index & indexMask }

    /// The table that says what must not leave beside the tunnel.
    static func blockNumber(ofLink index: UInt32) -> UInt32 { blockBase | index & indexMask }

    /// The interface of the tunnel that a table belongs to; nil for tables of others.
    static func link(ofTable number: UInt32) -> UInt32? {
        guard number & ~indexMask == base || number & ~indexMask == blockBase else { return nil }
        let index = number & indexMask
        return index == 0 ? nil : index
    }

    /// The interface of the tunnel that a rule belongs to; nil for rules of another kind.
    static func link(of rule: PolicyRule) -> UInt32? {
        table(of: rule).flatMap { link(ofTable: $0) }
    }

    /// The table of a tunnel for whose sake there is a rule; nil for rules of another kind.
    static func table(of rule: PolicyRule) -> UInt32? {
        guard rule.protocolNumber == KernelReader.routeProtocol else { return nil }
        let number = rule.table == Route.mainTable ? rule.suppressedGroup : rule.table
        return number.flatMap { link(ofTable: $0) == nil ? nil : $0 }
    }

    /// Whether a rule leads to a tunnel's routes ahead of the main table.
    static func goesAhead(_ rule: PolicyRule) -> Bool {
        rule.priority < blockPriority && rule.table & ~indexMask == base
            && rule.protocolNumber == KernelReader.routeProtocol
    }

    /// Whether a rule is that of a block which stands until somebody lifts it.
    static func isStandingBlock(_ rule: PolicyRule) -> Bool {
        guard rule.priority == standingBlockPriority, let index = link(of: rule) else {
            return false
        }
        return rule.table == blockNumber(ofLink: index)
    }

    /// The interfaces, there or not, of the tunnels beside which nothing may leave.
    static func blockedLinks(_ rules: [PolicyRule]) -> Set<UInt32> {
        Set(rules.filter { isStandingBlock($0) }.compactMap { link(of: $0) })
    }

    /// The number that tells whose a block is, made of the mark of the tunnel's interface.
    ///
    /// It is the metric of the routes that block everything: a route carries no text.
    static func owner(mark: String) -> UInt32 {
        // Neither zero nor a metric that the kernel itself gives.
        UInt32(truncatingIfNeeded: Fingerprint(of: mark).value) & 0x3FFF_FFFF | 0x4000_0000
    }

    /// The rules that a plan needs, in the order in which they are asked.
    static func rules(for plan: RoutePlan, link index: UInt32) -> [PolicyRule] {
        [IPAddress.Family.v4, .v6].flatMap { family in
            let ladder =
                plan.goesAhead(family)
                ? ladderAhead(plan.ownLengths(family), family, index)
                : ladder(plan.ownLengths(family), family, index)
            return ladder + (plan.blocks(family) ? [blockRule(plan, family, index)] : [])
        }
    }

    /// The rules by which the longest prefix wins, in whichever table it is.
    ///
    /// For each length of prefix in the table two rules: first the main table, without its
    /// routes that are no longer than that, then the table of its own, without its shorter
    /// ones. The priority follows from the length, so that this holds among several tunnels
    /// too. Packets with the mark are in none of them.
    private static func ladder(_ lengths: [Int], _ family: IPAddress.Family, _ index: UInt32)
        -> [PolicyRule]
    {
        let table = number(ofLink: index)
        return lengths.flatMap { length in
            let priority = firstPriority + UInt32(family.bitWidth - length)
            return [
                // No link is in such a group: it suppresses nothing and tells whose it is.
                rule(family, priority, Route.mainTable, suppressed: length, group: table),
                rule(family, priority, table, suppressed: length - 1),
            ]
        }
    }

    /// The rules by which the longest prefix of all such tunnels wins, whatever the main table
    /// has.
    private static func ladderAhead(_ lengths: [Int], _ family: IPAddress.Family, _ index: UInt32)
        -> [PolicyRule]
    {
        lengths.map { length in
            let priority = firstPriorityAhead + UInt32(family.bitWidth - length)
            return rule(family, priority, number(ofLink: index), suppressed: length - 1)
        }
    }

    private static func blockRule(
        _ plan: RoutePlan,
        _ family: IPAddress.Family,
        _ index: UInt32
    ) -> PolicyRule {
        let priority = plan.blockStands ? standingBlockPriority : blockPriority
        return rule(family, priority, blockNumber(ofLink: index), suppressed: -1)
    }

    private static func rule(
        _ family: IPAddress.Family,
        _ priority: UInt32,
        _ table: UInt32,
        suppressed: Int,
        group: UInt32? = nil
    ) -> PolicyRule {
        PolicyRule(
            family: family, priority: priority, table: table, mark: .init(OutsideSocket.mark),
            isInverted: true, suppressedLength: suppressed < 0 ? nil : suppressed,
            suppressedGroup: group, protocolNumber: KernelReader.routeProtocol)
    }
}
