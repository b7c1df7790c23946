import CNetlink
import Glibc
import TunnelModel

/// A conversation with the kernel about the tables of its firewall (nf_tables).
///
/// It reads and deletes; rules are written by nft(8), who compiles them. Everything here takes
/// CAP_NET_ADMIN. The kernel finishes what a socket has deleted when that is closed, which takes
/// some milliseconds.
package struct FirewallSocket: ~Copyable {
    private let conversation: Conversation

    /// Opens a socket.
    ///
    /// Corresponds to `socket(2)` with `NETLINK_NETFILTER`; EPROTONOSUPPORT where the kernel has
    /// no such firewall.
    package init() throws(NetlinkError) {
        conversation = try Conversation(.netfilter)
    }

    /// The table of this name in the family `inet`; `nil` where there is none.
    ///
    /// Corresponds to one `NFT_MSG_GETTABLE`, not to a dump.
    package func table(named name: String) throws(NetlinkError) -> FirewallTable? {
        let message = try Message(
            FirewallMessage.type(NFT_MSG_GETTABLE), FirewallMessage.header)
        message.put(Int(NFTA_TABLE_NAME.rawValue), terminated: name)
        var table: FirewallTable?
        do throws(NetlinkError) {
            try conversation.perform(message, "reading the firewall's table", name) {
                table = FirewallTable($0)
            }
        } catch {
            guard error.errno != ENOENT else { return nil }
            throw error
        }
        return table
    }

    /// All tables of the family `inet`.
    ///
    /// Corresponds to a dump by `NFT_MSG_GETTABLE`.
    package func tables() throws(NetlinkError) -> [FirewallTable] {
        let message = try Message(
            FirewallMessage.type(NFT_MSG_GETTABLE), flags: NLM_F_DUMP, FirewallMessage.header)
        return try conversation.dump(message, "reading the firewall's tables", "") {
            FirewallTable($0).map { [$0] } ?? []
        }
    }

    /// Deletes a table with everything in it, and answers whether there was one.
    ///
    /// Corresponds to a transaction of one `NFT_MSG_DELTABLE`.
    @discardableResult
    package func deleteTable(named name: String) throws(NetlinkError) -> Bool {
        do throws(NetlinkError) {
            try conversation.perform("deleting the firewall's table", name) {
                (sequence) throws(NetlinkError) in
                let message = try Message(
                    Int(NFNL_MSG_BATCH_BEGIN), flags: 0, FirewallMessage.batchHeader)
                message.setSequence(sequence)
                var bytes = Array(message.bytes)
                message.begin(
                    FirewallMessage.type(NFT_MSG_DELTABLE), flags: NLM_F_ACK,
                    FirewallMessage.header)
                message.put(Int(NFTA_TABLE_NAME.rawValue), terminated: name)
                message.setSequence(sequence)
                bytes += message.bytes
                message.begin(
                    Int(NFNL_MSG_BATCH_END), flags: 0, FirewallMessage.batchHeader)
                message.setSequence(sequence)
                return bytes + message.bytes
            }
            return true
        } catch {
            guard error.errno != ENOENT else { return false }
            throw error
        }
    }

    /// A hash of all that decides what a table does: chains with their hooks and policies, rules,
    /// and the elements of its sets but for the sets in `transient`; `nil` where it is missing.
    package func fingerprint(
        ofTable name: String,
        without transient: Set<String> = []
    ) throws(NetlinkError) -> UInt64? {
        guard let table = try table(named: name) else { return nil }
        var bytes: [UInt8] = Array(table.comment.utf8) + [table.isDormant ? 1 : 0]
        bytes += try dump(NFT_MSG_GETCHAIN, table: name, NFTA_CHAIN_TABLE.rawValue) { message in
            Self.piece(
                message,
                [
                    NFTA_CHAIN_TABLE, NFTA_CHAIN_NAME, NFTA_CHAIN_HOOK, NFTA_CHAIN_POLICY,
                    NFTA_CHAIN_TYPE, NFTA_CHAIN_FLAGS,
                ].map(\.rawValue), ofTable: name)
        }.joined()
        bytes += try dump(NFT_MSG_GETRULE, table: name, NFTA_RULE_TABLE.rawValue) { message in
            Self.piece(
                message,
                [NFTA_RULE_TABLE, NFTA_RULE_CHAIN, NFTA_RULE_EXPRESSIONS].map(\.rawValue),
                ofTable: name)
        }.joined()
        let sets = try dump(NFT_MSG_GETSET, table: name, NFTA_SET_TABLE.rawValue) {
            Self.setName($0, ofTable: name)
        }
        for set in sets.sorted() where !transient.contains(set) {
            bytes += Array(set.utf8)
            bytes += try elements(ofSet: set, inTable: name).joined()
        }
        return Fingerprint(of: bytes).value
    }

    /// How long the elements of a set with a time limit still last, in milliseconds: the longest
    /// of them; `nil` where there is none or no such set.
    package func millisecondsLeft(inSet set: String, ofTable table: String)
        throws(NetlinkError) -> UInt64?
    {
        try elements(ofSet: set, inTable: table, parse: Self.expirations).max()
    }

    private func elements(ofSet set: String, inTable table: String) throws(NetlinkError)
        -> [[UInt8]]
    {
        // The order of a set's elements is the kernel's own.
        try elements(ofSet: set, inTable: table, parse: Self.elements)
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    private func elements<Value>(
        ofSet set: String,
        inTable table: String,
        parse: @escaping (OpaquePointer) -> [Value]
    ) throws(NetlinkError) -> [Value] {
        let message = try Message(
            FirewallMessage.type(NFT_MSG_GETSETELEM), flags: NLM_F_DUMP, FirewallMessage.header)
        message.put(Int(NFTA_SET_ELEM_LIST_TABLE.rawValue), terminated: table)
        message.put(Int(NFTA_SET_ELEM_LIST_SET.rawValue), terminated: set)
        do {
            return try conversation.dump(
                message, "reading the firewall's set", "\(table) \(set)", parse: parse)
        } catch {
            guard error.errno != ENOENT else { return [] }
            throw error
        }
    }

    private func dump<Value>(
        _ type: nf_tables_msg_types,
        table: String,
        _ attribute: UInt32,
        parse: @escaping (OpaquePointer) -> Value?
    ) throws(NetlinkError) -> [Value] {
        let message = try Message(
            FirewallMessage.type(type), flags: NLM_F_DUMP, FirewallMessage.header)
        message.put(Int(attribute), terminated: table)
        return try conversation.dump(message, "reading the firewall's table", table) { message in
            parse(message).map { [$0] } ?? []
        }
    }
}

extension FirewallSocket {
    /// The bytes of some attributes of an object, the first of which names its table; `nil` for
    /// an object of another: of chains older kernels dump those of all tables.
    fileprivate static func piece(
        _ message: OpaquePointer,
        _ types: [UInt32],
        ofTable table: String
    ) -> [UInt8]? {
        var bytes: [UInt8] = []
        for attribute in FirewallMessage.attributes(of: message) {
            guard types.contains(UInt32(attribute.type)) else { continue }
            if UInt32(attribute.type) == types[0], attribute.text != table { return nil }
            bytes += attribute.content
        }
        return bytes
    }

    fileprivate static func setName(_ message: OpaquePointer, ofTable table: String) -> String? {
        var name: String?
        for attribute in FirewallMessage.attributes(of: message) {
            switch UInt32(attribute.type) {
            case NFTA_SET_TABLE.rawValue: guard attribute.text == table else { return nil }
            case NFTA_SET_NAME.rawValue: name = attribute.text
            default: break
            }
        }
        return name
    }

    fileprivate static func elements(_ message: OpaquePointer) -> [[UInt8]] {
        lists(message).flatMap { list in list.nested().map { Array($0.content) } }
    }

    fileprivate static func expirations(_ message: OpaquePointer) -> [UInt64] {
        lists(message).flatMap { list in
            list.nested().flatMap { element in
                element.nested().compactMap { attribute -> UInt64? in
                    guard attribute.type == Int(NFTA_SET_ELEM_EXPIRATION.rawValue),
                        attribute.content.count == 8
                    else { return nil }
                    return UInt64(
                        bigEndian: attribute.content.loadUnaligned(as: UInt64.self))
                }
            }
        }
    }

    private static func lists(_ message: OpaquePointer) -> [Attribute] {
        FirewallMessage.attributes(of: message).filter {
            $0.type == Int(NFTA_SET_ELEM_LIST_ELEMENTS.rawValue)
        }
    }
}
