package import KernelNetwork
internal import Preferences
internal import TunnelModel

// What tunnels have in tables and rules, and what of it belongs to nobody any more.

/// A block that stands until somebody lifts it, whether its tunnel runs or not.
struct StandingBlock: Equatable {
    /// The index of its tunnel's interface, there or not.
    let interfaceIndex: UInt32
    /// The number made of the mark of that interface.
    let owner: UInt32
}

extension KernelReader {
    /// The blocks that stand, with the numbers of those whose they are.
    ///
    /// A rule that leads to a table without routes blocks nothing, and is none.
    func standingBlocks() throws(NetlinkError) -> [StandingBlock] {
        try standingBlocks(among: try socket.rules(protocol: Self.routeProtocol))
    }

    private func standingBlocks(among rules: [PolicyRule]) throws(NetlinkError)
        -> [StandingBlock]
    {
        var blocks: [StandingBlock] = []
        for index in TunnelTable.blockedLinks(rules).sorted() {
            let routes = try socket.routes(
                table: TunnelTable.blockNumber(ofLink: index), kind: .unreachable,
                protocol: Self.routeProtocol)
            guard let owner = routes.first(where: \.destination.isDefault)?.metric else {
                continue
            }
            blocks.append(StandingBlock(interfaceIndex: index, owner: owner))
        }
        return blocks
    }

    /// The number of a configuration's block.
    func owner(_ identifier: String) -> UInt32 {
        TunnelTable.owner(mark: layout.mark(of: identifier))
    }

    /// Lifts the block of a configuration, but for that of one interface, and answers which
    /// tables it was in.
    func liftBlock(of identifier: String, except index: UInt32? = nil) throws(NetlinkError)
        -> [UInt32]
    {
        let rules = try socket.rules(protocol: Self.routeProtocol)
        let owner = owner(identifier)
        let blocks = try standingBlocks(among: rules).filter {
            $0.owner == owner && $0.interfaceIndex != index
        }
        for block in blocks {
            for rule in rules where TunnelTable.link(of: rule) == block.interfaceIndex {
                try socket.remove(rule)
            }
            _ = try socket.remove(try socket.barriers(ofLink: block.interfaceIndex))
        }
        return blocks.map { TunnelTable.blockNumber(ofLink: $0.interfaceIndex) }
    }

    /// The tables of tunnels whose interface is gone: nobody's any more, of whichever root they
    /// were, as a living tunnel's tables never outlive its interface, and blocks alone stay.
    package func orphanedTables() throws(NetlinkError) -> [UInt32] {
        let orphans = try orphans()
        return Self.tables(orphans.rules, orphans.routes)
    }

    /// Removes the rules and routes of such tables, and answers which tables these were.
    func removeOrphans() throws(NetlinkError) -> [UInt32] {
        let orphans = try orphans()
        var removed: [PolicyRule] = []
        for rule in orphans.rules where try socket.remove(rule) { removed.append(rule) }
        let failures = Set(try socket.remove(orphans.routes).map(\.route))
        return Self.tables(removed, orphans.routes.filter { !failures.contains($0) })
    }

    private static func tables(_ rules: [PolicyRule], _ routes: [Route]) -> [UInt32] {
        let numbers = rules.compactMap { TunnelTable.table(of: $0) } + routes.map(\.table)
        return Set(numbers).sorted()
    }

    private func orphans() throws(NetlinkError) -> (rules: [PolicyRule], routes: [Route]) {
        // Rules and routes before links: a tunnel that is being made has its interface first.
        let rules = try socket.rules(protocol: Self.routeProtocol)
            .filter { TunnelTable.link(of: $0) != nil }
        let routes = try
            (socket.routes(kind: .throw, protocol: Self.routeProtocol)
            + socket.routes(kind: .unreachable, protocol: Self.routeProtocol))
            .filter { TunnelTable.link(ofTable: $0.table) != nil }
        guard !rules.isEmpty || !routes.isEmpty else { return ([], []) }
        let living = Set(try socket.links().filter { FileLayout.isMark($0.alias) }.map(\.index))
        // Of a block that stands the rule and its table; what led into the tunnel may go.
        let standing = Set(
            try standingBlocks(among: rules).map {
                TunnelTable.blockNumber(ofLink: $0.interfaceIndex)
            })
        return (
            rules.filter { rule in
                guard let index = TunnelTable.link(of: rule) else { return false }
                return !living.contains(index) && !standing.contains(rule.table)
            },
            routes.filter { route in
                guard let index = TunnelTable.link(ofTable: route.table) else { return false }
                return !living.contains(index) && !standing.contains(route.table)
            }
        )
    }
}

extension RouteSocket {
    /// The routes of a tunnel's tables that lead nowhere.
    func barriers(ofLink index: UInt32) throws(NetlinkError) -> [Route] {
        try routes(
            table: TunnelTable.number(ofLink: index), kind: .throw,
            protocol: KernelReader.routeProtocol)
            + routes(
                table: TunnelTable.blockNumber(ofLink: index), kind: nil,
                protocol: KernelReader.routeProtocol)
    }
}
