import CLinux
import WireGuard

/// Messages that are about to be sent, those to one peer and of one size as one (UDP_SEGMENT).
struct MessageBatch: ~Copyable {
    /// The most segments that Linux before 6.9 sends at once (UDP_MAX_SEGMENTS).
    private static let mostSegments = 64
    /// The most bytes of a UDP datagram over IPv4.
    private static let longestRun = 65_507
    /// Room for what one packet of 64 KiB becomes when it is cut very small, and for another.
    private static let capacity = 256 * 1024

    let bytes: UnsafeMutableRawPointer
    let datagrams: UnsafeMutablePointer<ut_datagram>
    private(set) var count = 0
    /// Bytes that are taken.
    private(set) var used = 0
    /// Whether the kernel cuts runs.
    var hasSegmentation = true

    private let peers: UnsafeMutablePointer<Int32>
    private var peer = AllowedAddresses.none
    private var segment = 0
    private var segments = 0
    private var isClosed = true

    init() {
        bytes = .allocate(byteCount: Self.capacity, alignment: 64)
        datagrams = .allocate(capacity: Int(UT_MOST_DATAGRAMS))
        datagrams.initialize(repeating: ut_datagram(), count: Int(UT_MOST_DATAGRAMS))
        peers = .allocate(capacity: Int(UT_MOST_DATAGRAMS))
    }

    deinit {
        bytes.deallocate()
        datagrams.deallocate()
        peers.deallocate()
    }

    /// The peer that a message goes to.
    func peer(of index: Int) -> Int32 { peers[index] }

    var isEmpty: Bool { count == 0 }

    /// Room for a message of `length` bytes to a peer; `nil` when there is none left.
    @inline(__always)
    mutating func append(_ length: Int, to peer: Int32, _ device: borrowing Device)
        -> UnsafeMutableRawPointer?
    {
        guard used + length <= Self.capacity else { return nil }
        let place = bytes + used
        if !isClosed, peer == self.peer, length <= segment, segments < Self.mostSegments,
            Int(datagrams[count - 1].length) + length <= Self.longestRun
        {
            datagrams[count - 1].length += UInt32(truncatingIfNeeded: length)
            datagrams[count - 1].segment = UInt16(truncatingIfNeeded: segment)
            segments += 1
            isClosed = length < segment
        } else {
            guard count < Int(UT_MOST_DATAGRAMS) else { return nil }
            device.withPeer(peer) { datagrams[count].setRemote($0.endpoint) }
            datagrams[count].bytes = place
            datagrams[count].length = UInt32(truncatingIfNeeded: length)
            datagrams[count].segment = 0
            peers[count] = peer
            count += 1
            self.peer = peer
            segment = length
            segments = 1
            isClosed = !hasSegmentation
        }
        used += length
        return place
    }

    /// Nothing waits any more.
    mutating func clear() {
        count = 0
        used = 0
        isClosed = true
    }
}
