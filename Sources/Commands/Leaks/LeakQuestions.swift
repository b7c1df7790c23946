internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Asks the kernel where packets would go of which a tunnel promises something.
final class LeakQuestions {
    /// How many networks of a kind an address is asked about.
    private static let mostNetworks = 16
    /// A user who has no rights anywhere.
    private static let nobody: UInt32 = 65_534

    private let kernel: RouteSocket
    private let links: [UInt32: Link]
    private let tunnel: UInt32?
    private let routing: RoutingReport
    private let included: [IPPrefix]
    /// Where the tunnel's own packets go.
    private let servers: [IPAddress]
    /// Whether a firewall drops what leaves beside the tunnel.
    private let isFenced: Bool
    /// Until when somebody has lifted the block.
    private let pausedUntil: Timestamp?

    /// Prepares questions about a tunnel that runs, or about one whose block stands.
    init(_ report: TunnelReport, _ saved: Configuration?) throws(NetlinkError) {
        kernel = try RouteSocket()
        links = Dictionary(try kernel.links().map { ($0.index, $0) }) { $1 }
        tunnel = report.session.map { UInt32($0.interface.index) }
        if let session = report.session {
            routing = session.routing
        } else {
            routing = try Self.promise(ofBlock: saved, kernel)
        }
        included = report.session.map { $0.routes + $0.addresses.map(\.masked) } ?? []
        let peers = report.session?.providerReport?.peers ?? []
        let endpoints = peers.compactMap { $0.endpoint.flatMap { ServerAddress($0)?.literal } }
        servers = Set(endpoints).sorted().suffix(Self.mostNetworks)
        let firewall = report.firewall
        pausedUntil = firewall.pausedUntil
        isFenced =
            firewall.mode?.blocks == true && firewall.isPresent == true && pausedUntil == nil
    }

    /// What the block of a tunnel that does not run leaves open.
    private static func promise(ofBlock saved: Configuration?, _ kernel: borrowing RouteSocket)
        throws(NetlinkError) -> RoutingReport
    {
        guard let saved else { return RoutingReport(mode: .all) }
        var surroundings = RouteSurroundings(saved.routing)
        surroundings.linkNetworks = try kernel.underlyingNetworks()
        return RoutingReport(mode: .all, excluded: surroundings.excluded, ipv6: saved.routing.ipv6)
    }

    /// What becomes of packets to some destinations, and to those that stand for the networks
    /// of the tunnel and for everywhere else.
    func probes(_ further: [IPAddress]) throws(NetlinkError) -> [LeakProbe] {
        let everywhere = [IPPrefix.defaultV4, .defaultV6].map(\.sample)
        let networks =
            included.filter { !$0.isDefault }.prefix(Self.mostNetworks)
            + routing.excluded.filter { !$0.address.isMulticast }.prefix(Self.mostNetworks)
        let ownAddresses = Set(try kernel.addresses().map(\.prefix.address))
        var asked: Set<IPAddress> = []
        let further = further.filter { asked.insert($0).inserted }
        var seen = ownAddresses.subtracting(further)
        var probes: [LeakProbe] = []
        for destination in further + everywhere + networks.map(\.sample)
        where seen.insert(destination).inserted {
            probes.append(try probe(RouteQuestion(to: destination), .host))
        }
        for destination in further + everywhere {
            let question = RouteQuestion(to: destination, user: Self.nobody)
            probes.append(try probe(question, .otherUser))
        }
        for server in servers {
            let question = RouteQuestion(to: server, mark: OutsideSocket.mark)
            probes.append(try probe(question, .tunnel))
        }
        return probes + (try forwarded(further + everywhere))
    }

    /// Packets of other hosts, where this one hands them on.
    private func forwarded(_ destinations: [IPAddress]) throws(NetlinkError) -> [LeakProbe] {
        var probes: [LeakProbe] = []
        for address in try kernel.addresses() {
            guard let link = links[address.interfaceIndex], address.interfaceIndex != tunnel,
                !link.isLoopback, !address.prefix.isHost, !address.prefix.address.isLinkLocal,
                Self.forwards(address.prefix.family, link.name)
            else { continue }
            let family = address.prefix.family
            let neighbour = address.prefix.neighbour
            for destination in destinations
            where destination.family == family && !address.prefix.contains(destination) {
                var question = RouteQuestion(to: destination)
                question.incoming = (address.interfaceIndex, neighbour)
                probes.append(try probe(question, .forwarded(from: link.name)))
            }
        }
        return probes
    }

    private static func forwards(_ family: IPAddress.Family, _ link: String) -> Bool {
        let name = family == .v4 ? "ipv4" : "ipv6"
        return (try? KernelSetting("net/\(name)/conf/\(link)/forwarding").read()) == "1"
    }

    private func probe(_ question: RouteQuestion, _ sender: LeakProbe.Sender)
        throws(NetlinkError) -> LeakProbe
    {
        let destination = question.destination
        let promise =
            sender == .tunnel
            ? .outside : RoutePromise(of: destination, included: included, routing)
        var way = LeakProbe.Way.nowhere
        var reason: String?
        let answer = try answer(question)
        if case .local = answer {
            way = .local
        } else if case .route(let route) = answer {
            // Of those that are nobody's, such as broadcasts, too.
            if route.table == Route.localTable || links[route.interfaceIndex]?.isLoopback == true {
                way = .local
            } else if route.interfaceIndex == tunnel {
                way = .tunnel
            } else {
                let name = links[route.interfaceIndex]?.name ?? "\(route.interfaceIndex)"
                way = .outside(interface: name)
                if promise != .outside { reason = why(route) }
            }
        } else if promise == .held {
            reason = "held back, as promised"
        } else if promise == .tunnel {
            reason = "refused, or no route leads there"
        }
        return LeakProbe(
            destination: destination, sender: sender, promise: promise, way: way,
            reason: reason, isDropped: isFenced && promise != .outside)
    }

    /// A packet that would not be taken in at all goes nowhere.
    private func answer(_ question: RouteQuestion) throws(NetlinkError) -> RouteAnswer {
        do { return try kernel.lookUp(question) } catch {
            guard question.incoming != nil else { throw error }
            return .noRoute
        }
    }

    private func why(_ route: Route) -> String {
        if let pausedUntil { return "the block is lifted until \(pausedUntil.text)" }
        let fence = isFenced ? "; the kill switch drops it" : ""
        guard route.table == Route.mainTable || route.table == 0 else {
            return "a rule sends it to the table \(route.table)\(fence)"
        }
        return "a route of the main table takes it\(fence)"
    }
}

extension IPPrefix {
    /// Another address of the network of an interface's address.
    fileprivate var neighbour: IPAddress {
        let number = address.number
        return IPAddress(family, number & 1 == 0 ? number | 1 : number & ~1)
    }
}
