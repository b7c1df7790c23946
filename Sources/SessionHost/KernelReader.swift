package import KernelNetwork
package import Preferences
package import TunnelModel

/// Reads what the kernel holds of our tunnels, recognised by their marks.
package final class KernelReader {
    /// The protocol number of our routes and rules.
    package static let routeProtocol: UInt8 = 117

    private let socket: RouteSocket
    private let layout: FileLayout

    package init(_ layout: FileLayout) throws(NetlinkError) {
        socket = try RouteSocket()
        self.layout = layout
    }

    /// All interfaces of this root by the identifier in their mark, in one dump.
    package func markedLinks() throws(NetlinkError) -> [String: Link] {
        var marked: [String: Link] = [:]
        for link in try socket.links() {
            if let identifier = layout.identifier(inMark: link.alias) { marked[identifier] = link }
        }
        return marked
    }

    /// The interface of a configuration, asked for by its index alone; `nil` when that index
    /// is free or belongs to something else.
    package func link(index: Int, identifier: String) throws(NetlinkError) -> Link? {
        let link = try socket.link(index: UInt32(index))
        return link?.alias == layout.mark(of: identifier) ? link : nil
    }

    /// The rules of all tunnels by the index of their interface, as ip(8) shows them, in one dump.
    package func rules() throws(NetlinkError) -> [UInt32: [String]] {
        var rules: [UInt32: [String]] = [:]
        for rule in try socket.rules(protocol: Self.routeProtocol) {
            if let index = TunnelTable.link(of: rule) {
                rules[index, default: []].append(rule.description)
            }
        }
        return rules
    }

    /// The whole reading of an interface that was found, with `rules` of all tunnels.
    package func reading(of link: Link?, rules: [UInt32: [String]]) throws(NetlinkError)
        -> KernelReading
    {
        var reading = KernelReading()
        guard let link else { return reading }
        reading.link = KernelReading.Link(link)
        do throws(NetlinkError) {
            reading.addresses = try socket.addresses(ofLink: link.index).map(\.prefix)
            reading.routes = try socket.routes(
                ofLink: link.index, protocol: Self.routeProtocol
            ).map(\.destination)
            reading.rules = rules[link.index] ?? []
        } catch {
            // Deleted between two questions: that is what there is to be read.
            guard error.isMissingDevice else { throw error }
            return KernelReading()
        }
        return reading
    }

    /// The interfaces that tunnels may run over, with their counters.
    package func underlyingInterfaces() throws(NetlinkError) -> [UnderlyingInterface] {
        Link.underlyingLinks(of: try socket.links()).map { link in
            UnderlyingInterface(
                name: link.name, index: Int(link.index), kind: UnderlyingKind(of: link).rawValue,
                counters: link.statistics)
        }
    }

    /// The tables that rules of tunnels lead to whose interface is gone: nobody's any more, of
    /// whichever root they were, as a living tunnel's rules never outlive its interface.
    func orphanedTables() throws(NetlinkError) -> [UInt32] {
        let tables = Set(try orphanedRules().compactMap { TunnelTable.link(of: $0) })
        return tables.map { TunnelTable.number(ofLink: $0) }.sorted()
    }

    /// Removes the rules that lead to such tables, and answers which tables these were.
    func removeOrphanedRules() throws(NetlinkError) -> [UInt32] {
        var tables: Set<UInt32> = []
        for rule in try orphanedRules() where try socket.remove(rule) {
            if let index = TunnelTable.link(of: rule) {
                tables.insert(TunnelTable.number(ofLink: index))
            }
        }
        return tables.sorted()
    }

    private func orphanedRules() throws(NetlinkError) -> [PolicyRule] {
        // Rules before links: a tunnel that is being made has its interface first.
        let rules = try socket.rules(protocol: Self.routeProtocol)
        guard rules.contains(where: { TunnelTable.link(of: $0) != nil }) else { return [] }
        // Those of a kill switch that stands block with it.
        let living = Set(try socket.links().filter { FileLayout.isMark($0.alias) }.map(\.index))
            .union(try FirewallReader.blockedLinks())
        return rules.filter { rule in
            TunnelTable.link(of: rule).map { !living.contains($0) } ?? false
        }
    }

    /// Deletes the interface of a configuration, if its index still carries the mark.
    ///
    /// - Returns: whether there was one.
    package func deleteLink(index: Int, identifier: String) throws(NetlinkError)
        -> Bool
    {
        guard try link(index: index, identifier: identifier) != nil else { return false }
        return try socket.deleteLink(index: UInt32(index))
    }
}

extension KernelReading.Link {
    init(_ link: Link) {
        self = .init(
            name: link.name, index: Int(link.index), mtu: link.mtu, isUp: link.isUp,
            hasCarrier: link.hasCarrier, counters: link.statistics)
    }
}
