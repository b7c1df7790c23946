import CLinux

/// Where messages are received, several at a time.
struct MessageReceiver: ~Copyable {
    /// Batches in one turn of the loop.
    static let turnBatches = 8
    /// Room for one message, which may be many datagrams (UDP_GRO).
    private static let room = 65_536

    let datagrams: UnsafeMutablePointer<ut_datagram>
    private let bytes: UnsafeMutableRawPointer
    /// Messages in one call: few while each of them is a heap of datagrams, so that they are
    /// still in the cache when they are decrypted.
    private(set) var batch = MessageReceiver.few

    private static let most = 8
    private static let few = 2

    init() {
        datagrams = .allocate(capacity: Self.most)
        datagrams.initialize(repeating: ut_datagram(), count: Self.most)
        bytes = .allocate(byteCount: Self.most * Self.room, alignment: 64)
    }

    deinit {
        datagrams.deallocate()
        bytes.deallocate()
    }

    /// Receives what waits, at most `batch`; 0 when nothing does.
    mutating func receive(from socket: CInt) -> Int {
        for index in 0..<batch {
            datagrams[index].bytes = bytes + index * Self.room
            datagrams[index].length = UInt32(Self.room)
        }
        // Errors of a datagram socket are news of former messages, and gone when they are told.
        let count = max(0, Int(ut_datagrams_receive(socket, datagrams, UInt32(batch))))
        if count > 0 { batch = datagrams[0].length > 8192 ? Self.few : Self.most }
        return count
    }
}
