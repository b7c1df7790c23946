internal import KernelNetwork
internal import TunnelModel

extension TunnelInterface {
    /// What was set on the interface, in the kernel's terms.
    struct InForce: Equatable {
        var settings: EffectiveSettings?
        var plan = RoutePlan()
        /// The routes over the interface.
        var routes: [Route] = []
        /// The routes of its tables that lead nowhere.
        var barriers: [Route] = []
        var rules: [PolicyRule] = []

        /// Nothing.
        init() {}

        /// Settings, with each route where it belongs; without settings what is in force
        /// before there are any.
        init(
            _ settings: EffectiveSettings?,
            _ surroundings: RouteSurroundings,
            link index: UInt32,
            owner: UInt32
        ) {
            self.settings = settings
            plan = RoutePlan(settings, surroundings)
            let table = TunnelTable.number(ofLink: index)
            let number = KernelReader.routeProtocol
            routes = plan.own.map { network in
                // The kernel's own route to the network of an address would name that source.
                let address = plan.addressesWithoutRoute.first { $0.masked == network }
                return Route(
                    destination: network, interfaceIndex: index, table: table,
                    protocolNumber: number, preferredSource: address?.address)
            }
            routes += plan.main.map { network in
                Route(destination: network, interfaceIndex: index, protocolNumber: number)
            }
            let blockTable = TunnelTable.blockNumber(ofLink: index)
            barriers = plan.thrown.map { Route(.throw, $0, table: table, protocolNumber: number) }
            barriers += plan.spared.map {
                Route(.throw, $0, table: blockTable, protocolNumber: number)
            }
            barriers += plan.blocked.map { network in
                Route(
                    .unreachable, network, table: blockTable, protocolNumber: number,
                    // Of a block that stands alone this alone tells whose it is.
                    metric: plan.blockStands && network.isDefault ? owner : nil)
            }
            rules = TunnelTable.rules(for: plan, link: index)
        }

        var addresses: [IPPrefix] { settings?.addresses ?? [] }

        /// Whether the kernel is to make no route to the network of an address.
        func isWithoutRoute(_ address: IPPrefix) -> Bool {
            plan.addressesWithoutRoute.contains(address)
        }

        /// What is left of it when the tunnel has gone and its block stays.
        var standingBlock: InForce {
            var left = InForce()
            left.rules = rules.filter { TunnelTable.isStandingBlock($0) }
            let tables = Set(left.rules.map(\.table))
            left.barriers = barriers.filter { tables.contains($0.table) }
            return left
        }
    }
}
