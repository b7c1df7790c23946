/// What the indices of received messages stand for.
///
/// An open-addressed table in one block of memory. Indices are random numbers of our own, so
/// that nobody can make them collide.
struct IndexTable: ~Copyable {
    /// What an index stands for.
    struct Entry {
        var index: UInt32
        /// The peer whose handshake or session it is; `empty` and `removed` are no peers.
        var peer: Int32
        /// `nil` while the handshake waits for its answer.
        var keypair: KeypairPointer?
    }

    private static let empty: Int32 = -1
    private static let removed: Int32 = -2

    private var entries: UnsafeMutablePointer<Entry>
    private var capacity = 16
    private var used = 0
    private var living = 0

    init() {
        entries = Self.makeEntries(16)
    }

    deinit {
        entries.deallocate()
    }

    /// The entry of an index.
    @inline(__always)
    func find(_ index: UInt32) -> UnsafeMutablePointer<Entry>? {
        var place = Int(index) & (capacity - 1)
        while entries[place].peer != Self.empty {
            if entries[place].index == index, entries[place].peer >= 0 { return entries + place }
            place = (place + 1) & (capacity - 1)
        }
        return nil
    }

    /// Gives an index that has none a meaning.
    mutating func insert(_ index: UInt32, peer: Int32, _ keypair: KeypairPointer?) {
        if (used + 1) * 2 > capacity { rebuild() }
        var place = Int(index) & (capacity - 1)
        while entries[place].peer >= 0 { place = (place + 1) & (capacity - 1) }
        if entries[place].peer == Self.empty { used += 1 }
        living += 1
        entries[place] = Entry(index: index, peer: peer, keypair: keypair)
    }

    /// Takes the meaning from an index.
    mutating func remove(_ index: UInt32) {
        guard let entry = find(index) else { return }
        entry.pointee = Entry(index: 0, peer: Self.removed, keypair: nil)
        living -= 1
    }

    // Also when nothing but removed entries has filled it: then it keeps its size.
    private mutating func rebuild() {
        let former = entries
        let count = capacity
        while (living + 1) * 4 > capacity { capacity *= 2 }
        entries = Self.makeEntries(capacity)
        used = living
        for place in 0..<count where former[place].peer >= 0 {
            var free = Int(former[place].index) & (capacity - 1)
            while entries[free].peer != Self.empty { free = (free + 1) & (capacity - 1) }
            entries[free] = former[place]
        }
        former.deallocate()
    }

    private static func makeEntries(_ count: Int) -> UnsafeMutablePointer<Entry> {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        entries.initialize(repeating: Entry(index: 0, peer: empty, keypair: nil), count: count)
        return entries
    }
}
