internal import Glibc
internal import KernelNetwork
internal import TunnelModel

/// An address, or the network of one, that another interface has already.
struct TakenAddress: Equatable, Sendable {
    let address: IPPrefix
    let interface: String

    /// The conflict in words.
    var text: String { "\(interface) has \(address) or its network already" }
}

extension TunnelInterface {
    /// The first of some addresses that another interface has, or whose network it has.
    func addressTaken(of addresses: [IPPrefix]) throws(NetlinkError) -> TakenAddress? {
        try kernel.addressTaken(of: addresses, exceptBy: index)
    }

    /// Who has a route already that could not be added (EEXIST), in words.
    func holder(ofRouteIn error: NetlinkError) -> String? {
        guard error.errno == EEXIST, let prefix = IPPrefix(error.subject) else { return nil }
        var routes = (try? kernel.routes(protocol: KernelReader.routeProtocol)) ?? []
        routes += (try? kernel.routes(table: Route.mainTable)) ?? []
        let others = routes.filter { $0.interfaceIndex != index }
        guard let route = others.first(where: { $0.destination == prefix.masked }),
            let link = try? kernel.link(index: route.interfaceIndex)
        else { return nil }
        return "\(link.name) has a route to \(prefix) already"
    }

    /// Refuses routes that another tunnel has, in whichever table: of two equal ones only the
    /// older would be used, and nobody would know.
    func refuseTaken(_ routes: [Route]) throws(NetlinkError) {
        let others = try kernel.routes(protocol: KernelReader.routeProtocol)
            .filter { $0.interfaceIndex != index }
        let taken = Set(others.map(\.destination))
        guard let route = routes.first(where: { taken.contains($0.destination) }) else { return }
        throw NetlinkError(
            operation: "adding the route", subject: "\(route.destination)", errno: EEXIST)
    }

    /// Refuses addresses that another interface has, where they are known before the start.
    func refuseTaken(_ addresses: [IPPrefix]) throws(SessionError) {
        try kernel.refuseTaken(addresses, exceptBy: index)
    }
}

extension RouteSocket {
    /// The first of some addresses that an interface has, or whose network it has, which is not
    /// the one of a tunnel itself.
    ///
    /// The kernel would take it, and then send the packets of one of the two through the other.
    func addressTaken(of addresses: [IPPrefix], exceptBy index: UInt32?) throws(NetlinkError)
        -> TakenAddress?
    {
        let others = try self.addresses().filter { $0.interfaceIndex != index }
        for address in addresses {
            let other = others.first { Self.collides($0.prefix, address) }
            guard let other, let link = try link(index: other.interfaceIndex) else { continue }
            return TakenAddress(address: address, interface: link.name)
        }
        return nil
    }

    /// Refuses such addresses.
    func refuseTaken(_ addresses: [IPPrefix], exceptBy index: UInt32?) throws(SessionError) {
        let taken: TakenAddress?
        do { taken = try addressTaken(of: addresses, exceptBy: index) } catch {
            throw .kernel(error)
        }
        guard let taken else { return }
        throw .addressTaken(address: taken.address, interface: taken.interface)
    }

    private static func collides(_ present: IPPrefix, _ wanted: IPPrefix) -> Bool {
        present.address == wanted.address
            || (present.masked == wanted.masked && wanted.length < wanted.family.bitWidth)
    }
}
