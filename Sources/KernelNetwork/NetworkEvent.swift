import CNetlink
package import TunnelModel

/// A change of the network, as the kernel announced it.
package enum NetworkEvent: Equatable, Sendable {
    /// A link is new or has changed.
    case linkChanged(Link)

    /// A link has gone, and with it its addresses and routes.
    case linkRemoved(index: UInt32, name: String)

    /// A link has got an address, or one has changed.
    case addressAdded(index: UInt32, prefix: IPPrefix)

    /// A link has lost an address.
    case addressRemoved(index: UInt32, prefix: IPPrefix)

    /// A unicast route is new or has replaced another.
    case routeAdded(Route)

    /// A unicast route has gone.
    ///
    /// IPv4 routes that go with their link, or because it was set down, are not announced.
    case routeRemoved(Route)

    /// A rule that a `PolicyRule` describes is new.
    case ruleAdded(PolicyRule)

    /// A rule that a `PolicyRule` describes has gone.
    case ruleRemoved(PolicyRule)

    /// Another rule is new or has gone: one that refuses packets, say, or is about some addresses.
    case otherRuleChanged

    /// Events were lost: all that is of interest must be read anew.
    case overflow
}

extension NetworkEvent {
    /// The events in one message: none, or one for each next hop of a route.
    static func events(_ message: OpaquePointer) -> [NetworkEvent] {
        switch Int(nlmsg_hdr(message)?.pointee.nlmsg_type ?? 0) {
        case RTM_NEWLINK: Link(message).map { [.linkChanged($0)] } ?? []
        case RTM_DELLINK: Link(message).map { [.linkRemoved(index: $0.index, name: $0.name)] } ?? []
        case RTM_NEWADDR:
            InterfaceAddress(message).map {
                [.addressAdded(index: $0.interfaceIndex, prefix: $0.prefix)]
            } ?? []
        case RTM_DELADDR:
            InterfaceAddress(message).map {
                [.addressRemoved(index: $0.interfaceIndex, prefix: $0.prefix)]
            } ?? []
        case RTM_NEWROUTE: Route.routes(message).map { .routeAdded($0) }
        case RTM_DELROUTE: Route.routes(message).map { .routeRemoved($0) }
        case RTM_NEWRULE: [PolicyRule(message).map { .ruleAdded($0) } ?? .otherRuleChanged]
        case RTM_DELRULE: [PolicyRule(message).map { .ruleRemoved($0) } ?? .otherRuleChanged]
        default: []
        }
    }
}
