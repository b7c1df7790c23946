package import TunnelModel

/// Which peer an address inside the tunnel belongs to, by longest prefix.
///
/// The same table decides where a packet goes and which sources a peer may speak for
/// ("cryptokey routing", section 2 of the paper). A binary trie with compressed paths in one
/// block of memory: a look-up visits as many nodes as prefixes nest, and allocates nothing.
package struct AllowedAddresses: ~Copyable {
    private struct Node {
        var key: Key
        var mask: Key
        var length: Int32
        var peer: Int32
        var left: Int32 = -1
        var right: Int32 = -1
    }

    /// An address as a number whose first bit is the highest; IPv4 fills the upper 32 bits.
    package struct Key {
        var high: UInt64
        var low: UInt64

        /// The key of an IPv4 address in host order.
        package init(v4 address: UInt32) {
            high = UInt64(address) << 32
            low = 0
        }

        /// The key of an IPv6 address, both halves in host order.
        package init(high: UInt64, low: UInt64) {
            self.high = high
            self.low = low
        }

        func bit(_ index: Int32) -> Bool {
            index < 64
                ? high >> (63 - UInt64(index)) & 1 == 1 : low >> (127 - UInt64(index)) & 1 == 1
        }

        static func mask(_ length: Int32) -> Key {
            Key(
                high: length == 0 ? 0 : ~0 << UInt64(max(0, 64 - length)),
                low: length <= 64 ? 0 : ~0 << UInt64(128 - length))
        }

        /// The length of the common prefix of two keys.
        func commonLength(_ other: Key) -> Int32 {
            let high = Int32((self.high ^ other.high).leadingZeroBitCount)
            return high < 64 ? high : 64 + Int32((low ^ other.low).leadingZeroBitCount)
        }
    }

    /// Nobody's address.
    package static let none: Int32 = -1

    private var nodes: UnsafeMutablePointer<Node>
    private var count: Int32 = 0
    private var capacity: Int32 = 16
    private var v4Root: Int32 = -1
    private var v6Root: Int32 = -1

    /// A table in which every address is nobody's.
    package init() {
        nodes = .allocate(capacity: 16)
    }

    deinit {
        nodes.deallocate()
    }

    /// Gives a network to a peer; a network that is there already changes hands.
    package mutating func insert(_ prefix: IPPrefix, peer: Int32) {
        let masked = prefix.masked
        switch prefix.family {
        case .v4:
            let key = Key(v4: UInt32(truncatingIfNeeded: masked.address.number))
            v4Root = insert(key, Int32(prefix.length), peer, below: v4Root)
        case .v6:
            let number = masked.address.number
            let key = Key(
                high: UInt64(truncatingIfNeeded: number >> 64),
                low: UInt64(truncatingIfNeeded: number))
            v6Root = insert(key, Int32(prefix.length), peer, below: v6Root)
        }
    }

    /// The peer that an IPv4 address belongs to, or `none`.
    @inline(__always)
    package func peer(ofV4 key: Key) -> Int32 {
        peer(of: key, below: v4Root)
    }

    /// The peer that an IPv6 address belongs to, or `none`.
    @inline(__always)
    package func peer(ofV6 key: Key) -> Int32 {
        peer(of: key, below: v6Root)
    }

    private func peer(of key: Key, below root: Int32) -> Int32 {
        var found = Self.none
        var index = root
        while index >= 0 {
            let node = nodes + Int(index)
            let differs =
                (key.high ^ node.pointee.key.high) & node.pointee.mask.high
                | (key.low ^ node.pointee.key.low) & node.pointee.mask.low
            if differs != 0 { break }
            if node.pointee.peer >= 0 { found = node.pointee.peer }
            guard node.pointee.length < 128 else { break }
            index = key.bit(node.pointee.length) ? node.pointee.right : node.pointee.left
        }
        return found
    }

    /// Puts a network below a node and answers the node that stands there then.
    private mutating func insert(_ key: Key, _ length: Int32, _ peer: Int32, below index: Int32)
        -> Int32
    {
        guard index >= 0 else { return make(key, length, peer) }
        let node = nodes[Int(index)]
        let common = min(key.commonLength(node.key), length, node.length)
        if common == node.length {
            if common == length {
                nodes[Int(index)].peer = peer
            } else if key.bit(common) {
                let child = insert(key, length, peer, below: node.right)
                nodes[Int(index)].right = child
            } else {
                let child = insert(key, length, peer, below: node.left)
                nodes[Int(index)].left = child
            }
            return index
        }
        // The new network holds the old one, or both hang below what they have in common.
        let parent: Int32
        if common == length {
            parent = make(key, length, peer)
        } else {
            parent = make(key, common, Self.none)
            let leaf = make(key, length, peer)
            if key.bit(common) {
                nodes[Int(parent)].right = leaf
            } else {
                nodes[Int(parent)].left = leaf
            }
        }
        if node.key.bit(common) {
            nodes[Int(parent)].right = index
        } else {
            nodes[Int(parent)].left = index
        }
        return parent
    }

    private mutating func make(_ key: Key, _ length: Int32, _ peer: Int32) -> Int32 {
        if count == capacity {
            let larger = UnsafeMutablePointer<Node>.allocate(capacity: Int(capacity) * 2)
            larger.moveInitialize(from: nodes, count: Int(count))
            nodes.deallocate()
            nodes = larger
            capacity *= 2
        }
        let mask = Key.mask(length)
        let masked = Key(high: key.high & mask.high, low: key.low & mask.low)
        (nodes + Int(count)).initialize(
            to: Node(key: masked, mask: mask, length: length, peer: peer))
        count += 1
        return count - 1
    }
}
