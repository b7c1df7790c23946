internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Examination {
    /// Rules of others that come before those by which tunnels get their packets.
    func rules() -> [DoctorFinding] {
        guard let socket = try? RouteSocket(), let rules = try? socket.foreignRules() else {
            return []
        }
        let forwards = configurations.contains { $0.enabled && $0.routing.forward }
        return rules.filter { rule in
            guard rule.protocolNumber != KernelReader.routeProtocol, rule.outgoing == nil,
                forwards || rule.incoming == nil || rule.incoming == "lo",
                rule.mayTake(mark: 0) || rule.mayTake(mark: OutsideSocket.mark)
            else { return false }
            switch rule.action {
            case .none: return false
            case .refuse: return true
            // The tables that every host has, the last of which tunnels come before in any case.
            case .lookUp(let table) where (253...255).contains(table): return false
            // A table without a route takes nothing, as that which strongSwan always has.
            case .lookUp(let table):
                return
                    (try? socket.routes(table: table, kind: nil).contains {
                        $0.destination.family == rule.family
                    }) ?? true
            }
        }.map { rule in
            let subject = rule.mayTake(mark: 0) ? "packets" : "what tunnels send to their servers"
            return DoctorFinding(
                .advice, "ruleAhead",
                "\(rule) comes before the rules of tunnels or before their routes, and may take"
                    + " \(subject)",
                fix: "ip\(rule.family == .v6 ? " -6" : "") rule says whose it is;"
                    + " utunctl doctor leaks NAME what it takes of a tunnel")
        }
    }
}
