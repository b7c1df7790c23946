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
    ///
    /// The kernel would take it, and then send the packets of one of the two through the other.
    func addressTaken(of addresses: [IPPrefix]) throws(NetlinkError) -> TakenAddress? {
        let others = try kernel.addresses().filter { $0.interfaceIndex != index }
        for address in addresses {
            let other = others.first { Self.collides($0.prefix, address) }
            guard let other, let link = try kernel.link(index: other.interfaceIndex) else {
                continue
            }
            return TakenAddress(address: address, interface: link.name)
        }
        return nil
    }

    /// Who has a route already that could not be added (EEXIST), in words.
    func holder(ofRouteIn error: NetlinkError) -> String? {
        guard error.errno == EEXIST, let prefix = IPPrefix(error.subject) else { return nil }
        let routes = (try? kernel.routes(table: Route.mainTable)) ?? []
        guard let route = routes.first(where: { $0.destination == prefix.masked }),
            let link = try? kernel.link(index: route.interfaceIndex)
        else { return nil }
        let way = prefix.isDefault ? "; two routes of half its length would pass beside it" : ""
        return "\(link.name) has a route to \(prefix) already\(way)"
    }

    /// Refuses addresses that another interface has, where they are known before the start.
    func refuseTaken(_ addresses: [IPPrefix]) throws(SessionError) {
        let taken: TakenAddress?
        do { taken = try addressTaken(of: addresses) } catch { throw .kernel(error) }
        guard let taken else { return }
        throw .addressTaken(address: taken.address, interface: taken.interface)
    }

    private static func collides(_ present: IPPrefix, _ wanted: IPPrefix) -> Bool {
        present.address == wanted.address
            || (present.masked == wanted.masked && wanted.length < wanted.family.bitWidth)
    }
}
