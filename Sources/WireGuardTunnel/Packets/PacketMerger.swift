import Glibc
import ProviderKit

/// Hands packets to the TUN, those of one stream of data as one (GRO, the reverse of TSO).
///
/// A packet waits until the next one shows whether it belongs to it, at most to the end of the
/// batch; packets are never put into another order. Bytes stay where they are: `writev(2)`
/// gathers them.
struct PacketMerger: ~Copyable {
    /// What the kernel may be handed.
    enum Ability: Comparable {
        case nothing, tcp, tcpAndUDP
    }

    /// The most packets that one may become.
    private static let most = 64
    private static let longest = 65_535

    private let queue: CInt
    private let header: UnsafeMutableRawPointer
    private let vectors: UnsafeMutablePointer<iovec>
    private let ability: Ability

    private var first: UnsafeMutableRawPointer?
    private var flow = PacketFlow.nothing
    private var count = 0
    private var payload = 0
    private var isFirstIntact = false
    private var isClosed = false

    /// Packets that the kernel did not take, and what it said last.
    private(set) var dropped: UInt64 = 0
    private(set) var lastError: CInt = 0

    /// Writes to a queue, which stays its owner's.
    init(queue: CInt, ability: Ability) {
        self.queue = queue
        self.ability = ability
        header = .allocate(byteCount: OffloadHeader.byteCount, alignment: 8)
        vectors = .allocate(capacity: Self.most + 1)
    }

    deinit {
        header.deallocate()
        vectors.deallocate()
    }

    /// Takes a packet, whose bytes stay until `flush`.
    @inline(__always)
    mutating func add(_ packet: UnsafeMutableRawPointer, count length: Int) {
        guard ability > .nothing, let flow = PacketFlow(packet, count: length),
            flow.isTCP || ability == .tcpAndUDP
        else {
            flush()
            return writeAlone(packet, Self.length(of: packet, count: length))
        }
        if append(packet, flow) { return }
        flush()
        begin(packet, flow)
    }

    /// Hands over what still waits.
    mutating func flush() {
        guard let first else { return }
        self.first = nil
        if count == 1 {
            writeAlone(first, flow.length)
        } else {
            writeMerged(first)
        }
    }

    private mutating func begin(_ packet: UnsafeMutableRawPointer, _ flow: PacketFlow) {
        first = packet
        self.flow = flow
        count = 1
        payload = flow.payload
        isFirstIntact = false
        isClosed = isPushed(packet, flow)
        vectors[1] = iovec(iov_base: packet, iov_len: flow.length)
    }

    @inline(__always)
    private mutating func append(_ packet: UnsafeMutableRawPointer, _ flow: PacketFlow) -> Bool {
        guard let first, !isClosed, count < Self.most, flow.payload <= self.flow.payload,
            self.flow.headers + payload + flow.payload <= Self.longest,
            flow.continues(self.flow, first, at: payload, packet)
        else { return false }
        if !isFirstIntact {
            guard self.flow.isIntact(first) else { return false }
            isFirstIntact = true
        }
        guard flow.isIntact(packet) else { return false }
        count += 1
        vectors[count] = iovec(iov_base: packet + flow.headers, iov_len: flow.payload)
        payload += flow.payload
        // Nothing comes after the shorter one, nor after what the receiver is to see at once.
        isClosed = flow.payload < self.flow.payload || isPushed(packet, flow)
        if flow.isTCP {
            let place = flow.transport + PacketFields.TCP.flags
            let flags = first.load(fromByteOffset: place, as: UInt8.self)
            let its = packet.load(fromByteOffset: place, as: UInt8.self)
            first.storeBytes(of: flags | its, toByteOffset: place, as: UInt8.self)
        }
        return true
    }

    @inline(__always)
    private func isPushed(_ packet: UnsafeMutableRawPointer, _ flow: PacketFlow) -> Bool {
        guard flow.isTCP else { return false }
        let flags = packet.load(
            fromByteOffset: flow.transport + PacketFields.TCP.flags, as: UInt8.self)
        return flags & PacketFields.TCP.push != 0
    }

    private mutating func writeMerged(_ first: UnsafeMutableRawPointer) {
        let length = flow.headers + payload
        var offload = OffloadHeader()
        offload.flags = OffloadHeader.needsChecksum
        offload.headerLength = UInt16(truncatingIfNeeded: flow.headers)
        offload.segment = UInt16(truncatingIfNeeded: flow.payload)
        offload.checksumStart = UInt16(truncatingIfNeeded: flow.transport)
        if flow.isIPv6 {
            first.store16(
                UInt16(truncatingIfNeeded: length - PacketFields.V6.headerLength),
                PacketFields.V6.payloadLength)
        } else {
            first.store16(UInt16(truncatingIfNeeded: length), PacketFields.V4.length)
            first.storeBytes(of: 0, toByteOffset: PacketFields.V4.checksum, as: UInt16.self)
            let sum = PacketSum.of(first, count: PacketFields.V4.headerLength)
            first.storeChecksum(sum, PacketFields.V4.checksum)
        }
        let start = first + flow.transport
        let kind: UInt8
        let field: Int
        if flow.isTCP {
            offload.cut = flow.isIPv6 ? OffloadHeader.Cut.tcpV6 : OffloadHeader.Cut.tcpV4
            kind = PacketFields.tcp
            field = PacketFields.TCP.checksum
        } else {
            offload.cut = OffloadHeader.Cut.udp
            kind = PacketFields.udp
            field = PacketFields.UDP.checksum
            start.store16(
                UInt16(truncatingIfNeeded: length - flow.transport), PacketFields.UDP.length)
        }
        offload.checksumOffset = UInt16(truncatingIfNeeded: field)
        // The kernel wants the sum of the pseudo header there, and adds the rest.
        let sum =
            PacketSum.pseudo(first, isIPv6: flow.isIPv6, transport: kind)
            &+ PacketSum.length(length - flow.transport)
        start.storeBytes(of: PacketSum.fold(sum), toByteOffset: field, as: UInt16.self)
        offload.write(to: header)
        write(vectorCount: count + 1, packets: UInt64(count))
    }

    private mutating func writeAlone(_ packet: UnsafeMutableRawPointer, _ length: Int) {
        OffloadHeader().write(to: header)
        vectors[1] = iovec(iov_base: packet, iov_len: length)
        write(vectorCount: 2, packets: 1)
    }

    private mutating func write(vectorCount: Int, packets: UInt64) {
        vectors[0] = iovec(iov_base: header, iov_len: OffloadHeader.byteCount)
        while writev(queue, vectors, CInt(vectorCount)) < 0 {
            let error = errno
            if error == EINTR { continue }
            lastError = error
            dropped &+= packets
            return
        }
    }

    // What is after the packet is the padding of its message.
    private static func length(of packet: UnsafeMutableRawPointer, count: Int) -> Int {
        let packet = UnsafeRawPointer(packet)
        let length =
            packet.byte(0) >> 4 == 4
            ? Int(packet.number16(PacketFields.V4.length))
            : Int(packet.number16(PacketFields.V6.payloadLength)) + PacketFields.V6.headerLength
        return length <= count ? length : count
    }
}

extension PacketFlow {
    fileprivate static let nothing = PacketFlow()

    private init() {
        isIPv6 = false
        isTCP = false
        transport = 0
        headers = 0
        length = 0
    }
}
