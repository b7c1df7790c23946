internal import Glibc
package import KernelNetwork
package import Preferences
package import TunnelModel

/// Reads and deletes the firewall tables of a root's configurations, known by their names.
package final class FirewallReader {
    /// A table of ours.
    package struct Found: Equatable, Sendable {
        /// The configuration that it is of.
        package let identifier: String
        package let table: String
        package let label: FirewallLabel
        /// Whether it does what it says.
        package let isInForce: Bool
    }

    private let socket: FirewallSocket
    private let layout: FileLayout

    package init(_ layout: FileLayout) throws(NetlinkError) {
        socket = try FirewallSocket()
        self.layout = layout
    }

    /// All tables of this root.
    package func tables() throws(NetlinkError) -> [Found] {
        try socket.tables().compactMap(found)
    }

    /// The table of a configuration.
    package func table(of identifier: String) throws(NetlinkError) -> Found? {
        try socket.table(named: layout.firewallTable(of: identifier)).flatMap(found)
    }

    /// The tables that let nothing pass beside a tunnel, of whichever root they are.
    package static func blocks(
        _ socket: borrowing FirewallSocket
    ) throws(NetlinkError) -> [(table: String, label: FirewallLabel)] {
        try socket.tables().compactMap { table in
            guard FileLayout.isFirewallTable(table.name),
                let label = FirewallLabel(table.comment), label.mode.blocks
            else { return nil }
            return (table.name, label)
        }
    }

    /// The tables of this root that let nothing pass beside a tunnel.
    package func blocks() throws(NetlinkError) -> [Found] {
        try tables().filter(\.label.mode.blocks)
    }

    /// For how long the block of a configuration is lifted, in milliseconds.
    package func pause(of identifier: String) throws(NetlinkError) -> UInt64? {
        try socket.millisecondsLeft(
            inSet: FirewallPlan.pauseSet, ofTable: layout.firewallTable(of: identifier))
    }

    /// Deletes the table of a configuration, and answers whether there was one.
    @discardableResult
    package func delete(of identifier: String) throws(NetlinkError) -> Bool {
        try socket.deleteTable(named: layout.firewallTable(of: identifier))
    }

    private func found(_ table: FirewallTable) -> Found? {
        guard let identifier = layout.identifier(inFirewallTable: table.name) else { return nil }
        // Of a table without a label nothing is known but its name.
        let label =
            FirewallLabel(table.comment)
            ?? FirewallLabel(mode: .none, link: 0, lockdown: .session, name: identifier)
        return Found(
            identifier: identifier, table: table.name, label: label,
            isInForce: !table.isDormant)
    }
}
