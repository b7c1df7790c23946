import CNetlink
import Glibc

extension RouteSocket {
    /// The rules that a protocol made, of both families, in the order in which they are asked.
    ///
    /// Corresponds to a dump by `RTM_GETRULE`; rules that do more than a `PolicyRule` says are
    /// left out.
    package func rules(protocol protocolNumber: UInt8) throws(NetlinkError) -> [PolicyRule] {
        // AF_UNSPEC: asked for a family that it lacks, the kernel would refuse.
        let message = try Message(RTM_GETRULE, flags: NLM_F_DUMP, fib_rule_hdr())
        return try conversation.dump(message, "reading the rules", "") {
            PolicyRule($0).map { $0.protocolNumber == protocolNumber ? [$0] : [] } ?? []
        }
    }

    /// Adds a rule behind all others of its priority, even where an equal one is there.
    ///
    /// Corresponds to `RTM_NEWRULE`.
    package func add(_ rule: PolicyRule) throws(NetlinkError) {
        let message = try Message()
        rule.write(to: message, RTM_NEWRULE, flags: NLM_F_ACK | NLM_F_CREATE)
        try conversation.perform(message, "adding the rule", "\(rule)")
    }

    /// Removes the first of the rules that equal one, and answers whether there was any.
    ///
    /// Corresponds to `RTM_DELRULE`.
    @discardableResult
    package func remove(_ rule: PolicyRule) throws(NetlinkError) -> Bool {
        let message = try Message()
        rule.write(to: message, RTM_DELRULE, flags: NLM_F_ACK)
        do {
            try conversation.perform(message, "removing the rule", "\(rule)")
            return true
        } catch {
            switch error.errno {
            // Without IPv6 there is no rule of it.
            case ENOENT, EAFNOSUPPORT, EOPNOTSUPP: return false
            default: throw error
            }
        }
    }
}
