internal import Glibc
internal import KernelNetwork
internal import Preferences
internal import TunnelModel

extension Leftovers {
    /// What became of lifting a block.
    package enum Lifting: Equatable, Sendable {
        /// There was none.
        case nothing
        case lifted(Finding)
        /// It is to be there until it is lifted on demand.
        case kept
    }

    /// The firewall tables of this root; none where this user may not know, or this kernel has no
    /// such firewall.
    package func firewalls() -> [FirewallReader.Found] {
        (try? FirewallReader(layout)).flatMap { try? $0.tables() } ?? []
    }

    /// Lifts the block of a configuration whose session is gone.
    ///
    /// One that is to be there always is lifted on demand alone.
    package func liftBlock(of identifier: String, onDemand: Bool) throws(SessionError)
        -> Lifting
    {
        do throws(NetlinkError) {
            let reader = try FirewallReader(layout)
            guard let found = try reader.table(of: identifier), found.label.mode.blocks else {
                return .nothing
            }
            guard onDemand || found.label.lockdown == .session else { return .kept }
            try reader.delete(of: identifier)
        } catch {
            if Self.meansNoFirewall(error) { return .nothing }
            throw .kernel(error)
        }
        _ = try clearTables()
        let table = layout.firewallTable(of: identifier)
        return .lifted(Finding(identifier: identifier, kind: .block, subject: table))
    }

    /// Deletes the table of a session that is gone, unless it blocks.
    func clearFirewall(of identifier: String) throws(SessionError) {
        do throws(NetlinkError) {
            let reader = try FirewallReader(layout)
            guard let found = try reader.table(of: identifier), !found.label.mode.blocks else {
                return
            }
            try reader.delete(of: identifier)
        } catch {
            guard !Self.meansNoFirewall(error) else { return }
            throw .kernel(error)
        }
    }

    private static func meansNoFirewall(_ error: NetlinkError) -> Bool {
        [EPROTONOSUPPORT, EAFNOSUPPORT, EINVAL, EOPNOTSUPP].contains(error.errno)
    }
}
