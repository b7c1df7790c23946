internal import Glibc
internal import KernelNetwork
internal import Preferences
internal import TunnelModel

/// An address, or the network of one, that another interface has already.
struct TakenAddress: Equatable, Sendable {
    let address: IPPrefix
    let holder: LinkHolder

    /// The conflict in words.
    var text: String {
        let remedy = holder.remedy.map { "; \($0), or ask for another address" } ?? ""
        return "\(holder.text) has \(address) or its network already\(remedy)"
    }
}

extension TunnelInterface {
    /// The first of some addresses that another interface has, or whose network it has.
    func addressTaken(of addresses: [IPPrefix], _ layout: FileLayout) throws(NetlinkError)
        -> TakenAddress?
    {
        try kernel.addressTaken(of: addresses, exceptBy: index, layout)
    }

    /// Who has a route already that could not be added (EEXIST), in words.
    func holder(ofRouteIn error: NetlinkError, _ layout: FileLayout) -> String? {
        guard error.errno == EEXIST, let prefix = IPPrefix(error.subject) else { return nil }
        return kernel.holder(ofRouteTo: prefix, exceptBy: index, layout)
    }

    /// Refuses routes that another tunnel has.
    func refuseTaken(_ routes: [Route]) throws(NetlinkError) {
        guard let route = try kernel.routeTaken(of: routes, exceptBy: index) else { return }
        throw NetlinkError(
            operation: "adding the route", subject: "\(route.destination)", errno: EEXIST)
    }

    /// Refuses addresses that another interface has, where they are known before the start.
    func refuseTaken(_ addresses: [IPPrefix], _ layout: FileLayout) throws(SessionError) {
        try kernel.refuseTaken(addresses, exceptBy: index, layout)
    }
}

extension RouteSocket {
    /// The first of some routes that another tunnel has, in whichever table: of two equal ones
    /// only the older would be used, and nobody would know.
    func routeTaken(of routes: [Route], exceptBy index: UInt32?) throws(NetlinkError) -> Route? {
        let others = try self.routes(protocol: KernelReader.routeProtocol)
            .filter { $0.interfaceIndex != index }
        let taken = Set(others.map(\.destination))
        return routes.first { taken.contains($0.destination) }
    }

    /// The first of some routes that the main table has already, so that the kernel will not take
    /// it (EEXIST).
    func routeRepeated(of routes: [Route], exceptBy index: UInt32?) throws(NetlinkError) -> Route? {
        let others = try self.routes(table: Route.mainTable).filter { $0.interfaceIndex != index }
        let metrics = Dictionary(grouping: others, by: \.destination)
            .mapValues { Set($0.map(\.effectiveMetric)) }
        return routes.first { route in
            route.table == Route.mainTable
                && metrics[route.destination]?.contains(route.effectiveMetric) == true
        }
    }

    /// Who has a route to a network already, in words.
    func holder(ofRouteTo prefix: IPPrefix, exceptBy index: UInt32?, _ layout: FileLayout)
        -> String?
    {
        var routes = (try? self.routes(protocol: KernelReader.routeProtocol)) ?? []
        routes += (try? self.routes(table: Route.mainTable)) ?? []
        let others = routes.filter { $0.interfaceIndex != index }
        guard let route = others.first(where: { $0.destination == prefix.masked }),
            let link = try? link(index: route.interfaceIndex)
        else { return nil }
        let holder = LinkHolder(link, layout)
        let remedy = holder.remedy.map { "; \($0), or give this one other routes" } ?? ""
        return "\(holder.text) has a route to \(prefix) already\(remedy)"
    }
}

extension RouteSocket {
    /// The first of some addresses that an interface has, or whose network it has, which is not
    /// the one of a tunnel itself.
    ///
    /// The kernel would take it, and then send the packets of one of the two through the other.
    func addressTaken(of addresses: [IPPrefix], exceptBy index: UInt32?, _ layout: FileLayout)
        throws(NetlinkError) -> TakenAddress?
    {
        let others = try self.addresses().filter { $0.interfaceIndex != index }
        for address in addresses {
            let other = others.first { Self.collides($0.prefix, address) }
            guard let other, let link = try link(index: other.interfaceIndex) else { continue }
            return TakenAddress(address: address, holder: LinkHolder(link, layout))
        }
        return nil
    }

    /// Refuses such addresses.
    func refuseTaken(_ addresses: [IPPrefix], exceptBy index: UInt32?, _ layout: FileLayout)
        throws(SessionError)
    {
        let taken: TakenAddress?
        do { taken = try addressTaken(of: addresses, exceptBy: index, layout) } catch {
            throw .kernel(error)
        }
        guard let taken else { return }
        throw .addressTaken(address: taken.address, by: taken.holder)
    }

    private static func collides(_ present: IPPrefix, _ wanted: IPPrefix) -> Bool {
        present.address == wanted.address
            || (present.masked == wanted.masked && wanted.length < wanted.family.bitWidth)
    }
}
