import CNetlink
import Glibc

/// A subscription to changes of the firewall, for an event loop.
package struct FirewallEventSocket: ~Copyable {
    /// What has changed since the last look.
    package struct Changes: Equatable, Sendable {
        /// The names of tables of which something has changed.
        package var tables: Set<String> = []
        /// Whether events were lost: then anything may have.
        package var hasLost = false

        /// Whether a table may have changed.
        package func mayConcern(_ table: String) -> Bool { hasLost || tables.contains(table) }
    }

    private let socket: NetlinkSocket
    private let callbacks: Callbacks<Set<String>>

    /// Subscribes.
    ///
    /// Corresponds to `bind(2)` with the group `NFNLGRP_NFTABLES`.
    package init() throws(NetlinkError) {
        let socket = try NetlinkSocket(
            .netfilter, groups: 1 << (NFNLGRP_NFTABLES.rawValue - 1), receiveBuffer: 1 << 20,
            blocking: false)
        let callbacks = try Callbacks<Set<String>>(writingTo: [])
        callbacks.set(NL_CB_SEQ_CHECK) { _, _ in Verdict.proceed }
        callbacks.set(NL_CB_VALID) { message, tables in
            if let message, let name = Self.table(message) {
                tables?.assumingMemoryBound(to: Set<String>.self).pointee.insert(name)
            }
            return Verdict.proceed
        }
        self.socket = socket
        self.callbacks = callbacks
    }

    /// The descriptor to wait on; it belongs to the socket.
    package var fileDescriptor: CInt { socket.fileDescriptor }

    /// Takes the events that wait, without blocking; of very many only some at once.
    package func read() throws(NetlinkError) -> Changes {
        var changes = Changes()
        callbacks.state.pointee.removeAll(keepingCapacity: true)
        for _ in 0..<1000 {
            let result = nl_recvmsgs(socket.raw, callbacks.raw)
            guard result < 0 else { continue }
            switch NetlinkSocket.errorNumber(ofReceiving: result) {
            case EAGAIN:
                changes.tables = callbacks.state.pointee
                return changes
            case ENOBUFS, EMSGSIZE: changes.hasLost = true
            case let code:
                throw NetlinkError(
                    operation: "reading the firewall's events", subject: "", errno: code)
            }
        }
        changes.tables = callbacks.state.pointee
        return changes
    }

    /// The table that an event is about: of all objects it is the attribute 1 that names it
    /// (NFTA_TABLE_NAME, NFTA_CHAIN_TABLE, NFTA_RULE_TABLE, NFTA_SET_TABLE, …).
    private static func table(_ message: OpaquePointer) -> String? {
        // The announcement of a new generation is of no table.
        guard let header = nlmsg_hdr(message),
            Int(header.pointee.nlmsg_type) != FirewallMessage.type(NFT_MSG_NEWGEN)
        else { return nil }
        return FirewallMessage.attributes(of: message)
            .first { $0.type == Int(NFTA_TABLE_NAME.rawValue) }?.text
    }
}
