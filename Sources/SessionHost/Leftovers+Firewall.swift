internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
package import TunnelModel

extension Leftovers {
    /// What became of lifting a block.
    package enum Lifting: Equatable, Sendable {
        /// There was none.
        case nothing
        case lifted([Finding])
        /// It is to be there until it is lifted on demand.
        case kept
    }

    /// The firewall tables of this root; none where this user may not know, or this kernel has no
    /// such firewall.
    package func firewalls() -> [FirewallReader.Found] {
        (try? FirewallReader(layout)).flatMap { try? $0.tables() } ?? []
    }

    /// Lifts the block of a configuration whose session is gone, in the firewall and in the routes.
    ///
    /// One that is to be there always is lifted on demand alone.
    package func lift(_ identifier: String, onDemand: Bool) throws(SessionError) -> Lifting {
        var findings: [Finding] = []
        do throws(NetlinkError) {
            let reader = try FirewallReader(layout)
            if let found = try reader.table(of: identifier), found.label.mode.blocks {
                guard onDemand || found.label.lockdown == .session else { return .kept }
                try reader.delete(of: identifier)
                findings.append(
                    Finding(identifier: identifier, kind: .block, subject: found.table))
            }
        } catch {
            // Who may not ask the kernel has no block of a firewall to lift either.
            let isForbidden = error.errno == EPERM && !onDemand
            if !isForbidden, !Self.meansNoFirewall(error) { throw .kernel(error) }
        }
        findings += try liftBlock(of: identifier)
        return findings.isEmpty ? .nothing : .lifted(findings)
    }

    /// Lifts the block of a session that is gone for some seconds, or no longer where these are
    /// none; answers whether there is any.
    ///
    /// What holds packets back in the routes goes for good: nothing would put it back; so does
    /// what else its session left, such as a resolver that nobody answers at. The firewall's own
    /// pause is ended by the kernel.
    package func pauseBlock(of identifier: String, seconds: UInt32) throws(SessionError) -> Bool {
        let found: FirewallReader.Found?
        do throws(NetlinkError) { found = try FirewallReader(layout).table(of: identifier) } catch {
            throw .kernel(error)
        }
        guard let found, found.label.mode.blocks else { return false }
        do throws(FirewallError) {
            try RuleWriter.write(FirewallPlan.pauseText(table: found.table, seconds: seconds))
        } catch {
            throw .firewall(error)
        }
        guard seconds > 0 else { return true }
        _ = try repair(identifier, recording: .hostCrashed)
        _ = try liftBlock(of: identifier)
        return true
    }

    /// Blocks this host for a configuration, unless it is blocked for it already.
    package func lockDown(_ configuration: Configuration) throws(SessionError) {
        let configuration = configuration.normalized().configuration
        let isHeld: Bool
        do throws(NetlinkError) {
            let found = try FirewallReader(layout).table(of: configuration.identifier)
            if let found, found.label.mode.blocks, found.isInForce { return }
        } catch {
            throw .firewall(.kernel(error))
        }
        do throws(SystemError) {
            isHeld = try SessionDirectory(layout, identifier: configuration.identifier)
                .lockIsHeld()
        } catch {
            throw .system(error)
        }
        guard !isHeld else { return }
        // No link has a network yet.
        let plan = FirewallPlan(
            configuration, layout, RouteSurroundings(configuration.routing))
        do { try RuleWriter.write(plan.blocked.text) } catch { throw .firewall(error) }
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
