import CNetlink
import Glibc
package import TunnelModel

extension RouteSocket {
    /// How many requests go to the kernel at once; all may be refused and fit the receive buffer.
    private static var batchSize: Int { 200 }

    /// The routes of a link, of a table, of a kind, and made by a protocol; nil stands for any.
    ///
    /// Corresponds to a dump by `RTM_GETROUTE`, filtered by the kernel. A table that does not exist
    /// has no routes; a link that does not exist is ENODEV.
    package func routes(
        ofLink index: UInt32? = nil,
        table: UInt32? = nil,
        kind: Route.Kind? = .unicast,
        protocol protocolNumber: UInt8? = nil
    ) throws(NetlinkError) -> [Route] {
        var header = rtmsg()
        header.rtm_type = kind?.number ?? 0
        header.rtm_protocol = protocolNumber ?? 0
        let message = try Message(RTM_GETROUTE, flags: NLM_F_DUMP, header)
        if let index { message.put(Int(RTA_OIF.rawValue), index) }
        if let table { message.put(Int(RTA_TABLE.rawValue), table) }
        return try conversation.dump(
            message, "reading the routes", index.map { name(ofLink: $0) } ?? ""
        ) {
            Route.routes($0).filter { index == nil || $0.interfaceIndex == index }
        }
    }

    /// Adds routes and returns those that could not be added; one that exists fails with EEXIST.
    ///
    /// Corresponds to `RTM_NEWROUTE`.
    package func add(_ routes: [Route]) throws(NetlinkError) -> [RouteFailure] {
        try change(routes, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, "adding the route")
    }

    /// Removes routes and returns those that could not be removed; one that has gone already fails
    /// with ESRCH.
    ///
    /// Corresponds to `RTM_DELROUTE`.
    package func remove(_ routes: [Route]) throws(NetlinkError) -> [RouteFailure] {
        try change(routes, RTM_DELROUTE, 0, "removing the route")
    }

    /// The default routes of the main table, IPv4 first, then by metric.
    package func defaultRoutes() throws(NetlinkError) -> [Route] {
        try routes(table: Route.mainTable)
            .filter(\.destination.isDefault)
            .sorted {
                ($0.destination.family, $0.effectiveMetric)
                    < ($1.destination.family, $1.effectiveMetric)
            }
    }

    /// The links that the main table's default routes of a family lead to, lowest metric first.
    package func defaultRouteInterfaces(
        _ family: IPAddress.Family
    ) throws(NetlinkError) -> [UInt32] {
        var indexes: [UInt32] = []
        for route in try defaultRoutes() where route.destination.family == family {
            if !indexes.contains(route.interfaceIndex) { indexes.append(route.interfaceIndex) }
        }
        return indexes
    }

    private func change(
        _ routes: [Route],
        _ type: Int,
        _ flags: CInt,
        _ operation: String
    ) throws(NetlinkError) -> [RouteFailure] {
        var failures: [RouteFailure] = []
        for start in stride(from: 0, to: routes.count, by: Self.batchSize) {
            let batch = routes[start..<min(start + Self.batchSize, routes.count)]
            let refusals = try conversation.perform(batch.count, operation) {
                request, acknowledgement, message in
                batch[start + request].write(to: message, type, flags: flags | acknowledgement)
            }
            failures += refusals.map { request, refusal in
                let route = batch[start + request]
                return RouteFailure(
                    route: route,
                    error: NetlinkError(
                        operation: operation,
                        subject: "\(route.destination)",
                        errno: refusal.errno,
                        kernelText: refusal.text
                    )
                )
            }
        }
        return failures
    }
}

extension Route {
    /// Whether the next hops of other routes may be looked for there.
    ///
    /// In another table than the main one, which may be asked first, that goes for the networks of
    /// addresses alone: else a route that somebody makes by a gateway on another link would come
    /// to lead through this one.
    private var isOnLink: Bool {
        kind == .unicast && gateway == nil && (table == Self.mainTable || preferredSource != nil)
    }

    fileprivate func write(to message: borrowing Message, _ type: Int, flags: CInt) {
        var header = rtmsg()
        header.rtm_family = destination.family.number
        header.rtm_dst_len = UInt8(destination.length)
        header.rtm_protocol = protocolNumber
        header.rtm_type = kind.number
        if type == RTM_DELROUTE {
            header.rtm_scope = UInt8(RT_SCOPE_NOWHERE.rawValue)
        } else if destination.family == .v4, isOnLink {
            header.rtm_scope = UInt8(RT_SCOPE_LINK.rawValue)
        }
        message.begin(type, flags: flags, header)
        message.put(Int(RTA_DST.rawValue), destination.address)
        if kind == .unicast { message.put(Int(RTA_OIF.rawValue), interfaceIndex) }
        message.put(Int(RTA_TABLE.rawValue), table)
        if let metric { message.put(Int(RTA_PRIORITY.rawValue), metric) }
        if let preferredSource { message.put(Int(RTA_PREFSRC.rawValue), preferredSource) }
        guard let gateway else { return }
        if gateway.family == destination.family {
            message.put(Int(RTA_GATEWAY.rawValue), gateway)
        } else {
            message.put(via: gateway)
        }
    }
}
