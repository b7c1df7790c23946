import CNetlink
import Glibc
package import TunnelModel

/// A packet of which the kernel is asked where it would go.
package struct RouteQuestion: Equatable, Sendable {
    /// Where the packet goes to.
    package var destination: IPAddress
    /// The mark that it carries.
    package var mark: UInt32?
    /// The user whose packet it is.
    package var user: UInt32?
    /// The link by which it came in, and where it came from: a packet that is forwarded.
    package var incoming: (interfaceIndex: UInt32, source: IPAddress)?

    /// A packet of this host.
    package init(
        to destination: IPAddress,
        mark: UInt32? = nil,
        user: UInt32? = nil
    ) {
        self.destination = destination
        self.mark = mark
        self.user = user
    }

    package static func == (left: RouteQuestion, right: RouteQuestion) -> Bool {
        left.destination == right.destination && left.mark == right.mark
            && left.user == right.user
            && left.incoming?.interfaceIndex == right.incoming?.interfaceIndex
            && left.incoming?.source == right.incoming?.source
    }
}

/// What the kernel does with a packet.
package enum RouteAnswer: Equatable, Sendable {
    /// It takes the route.
    case route(Route)
    /// It is for this host itself, by that route, whichever table the kernel names.
    ///
    /// Where no rule was ever set, the table of own addresses is part of the main one.
    case local(Route)
    /// A route says that it goes nowhere.
    case unreachable
    /// No route leads there.
    case noRoute
}

extension RouteSocket {
    /// What the kernel would do with a packet.
    ///
    /// Corresponds to one `RTM_GETROUTE`.
    package func lookUp(_ question: RouteQuestion) throws(NetlinkError) -> RouteAnswer {
        let destination = question.destination
        var header = rtmsg()
        header.rtm_family = destination.family.number
        header.rtm_dst_len = UInt8(destination.family.bitWidth)
        // IPv6 always names the table, and refuses to be asked.
        if destination.family == .v4 { header.rtm_flags = UInt32(RTM_F_LOOKUP_TABLE) }
        if question.incoming != nil { header.rtm_src_len = UInt8(destination.family.bitWidth) }
        let message = try Message(RTM_GETROUTE, header)
        message.put(Int(RTA_DST.rawValue), destination)
        if let mark = question.mark { message.put(Int(RTA_MARK.rawValue), mark) }
        if let user = question.user { message.put(Int(RTA_UID.rawValue), user) }
        if let incoming = question.incoming {
            message.put(Int(RTA_SRC.rawValue), incoming.source)
            message.put(Int(RTA_IIF.rawValue), incoming.interfaceIndex)
        }
        var route: Route?
        var isLocal = false
        do {
            try conversation.perform(message, "looking for a route to", "\(destination)") {
                route = Route.routes($0, anyKind: true).first
                let header = nlmsg_data(nlmsg_hdr($0)).loadUnaligned(as: rtmsg.self)
                isLocal = header.rtm_type == UInt8(RTN_LOCAL)
            }
        } catch {
            switch error.errno {
            // A route or a rule that refuses, prohibits, or drops without a word.
            case EHOSTUNREACH, EACCES, EINVAL: return .unreachable
            // Without IPv6 nothing leads to an IPv6 address.
            case ENETUNREACH, EAFNOSUPPORT, EOPNOTSUPP: return .noRoute
            default: throw error
            }
        }
        guard let route else { return .noRoute }
        if isLocal { return .local(route) }
        return route.kind == .unreachable ? .unreachable : .route(route)
    }

    /// The route that a packet would take, by its mark if it has one; nil where nothing leads
    /// there.
    package func routeLookup(
        to destination: IPAddress,
        mark: UInt32? = nil
    ) throws(NetlinkError) -> Route? {
        switch try lookUp(RouteQuestion(to: destination, mark: mark)) {
        case .route(let route), .local(let route): return route
        case .unreachable, .noRoute: return nil
        }
    }
}
