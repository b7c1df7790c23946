package import KernelNetwork
package import Preferences
package import TunnelModel

/// Reads what the kernel holds of our tunnels, recognised by their marks.
package final class KernelReader {
    /// The protocol number of our routes and rules.
    package static let routeProtocol: UInt8 = 117

    let socket: RouteSocket
    let layout: FileLayout

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

    /// The rules of tunnels.
    package struct Rules: Sendable {
        /// Those of each tunnel by the index of its interface, as ip(8) shows them.
        var texts: [UInt32: [String]] = [:]
        /// Whether one of them is that of a block which stands by itself.
        package var haveBlock = false

        /// The indexes of the interfaces whose they are.
        package var links: Set<UInt32> { Set(texts.keys) }

        /// No rules.
        package init() {}
    }

    /// The rules of all tunnels, in one dump.
    package func rules() throws(NetlinkError) -> Rules {
        var rules = Rules()
        for rule in try socket.rules(protocol: Self.routeProtocol) {
            guard let index = TunnelTable.link(of: rule) else { continue }
            rules.texts[index, default: []].append(rule.description)
            if TunnelTable.isStandingBlock(rule) { rules.haveBlock = true }
        }
        return rules
    }

    /// The whole reading of an interface that was found, with `rules` of all tunnels;
    /// `hasBarriers` asks for the routes that lead nowhere too.
    package func reading(of link: Link?, rules: Rules, hasBarriers: Bool)
        throws(NetlinkError) -> KernelReading
    {
        var reading = KernelReading()
        guard let link else { return reading }
        reading.link = KernelReading.Link(link)
        do throws(NetlinkError) {
            reading.addresses = try socket.addresses(ofLink: link.index).map(\.prefix)
            reading.routes = try socket.routes(
                ofLink: link.index, protocol: Self.routeProtocol
            ).map(\.destination)
            reading.rules = rules.texts[link.index] ?? []
            if hasBarriers {
                reading.barriers = try socket.barriers(ofLink: link.index).map(\.description)
            }
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
    /// What is read of a link.
    package init(_ link: Link) {
        self = .init(
            name: link.name, index: Int(link.index), mtu: link.mtu, isUp: link.isUp,
            hasCarrier: link.hasCarrier, counters: link.statistics)
    }
}
