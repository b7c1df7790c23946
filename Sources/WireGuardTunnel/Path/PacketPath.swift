import CLinux
import Glibc
import LinuxSystem
import ProviderKit
import WireGuard

/// The way of packets between the TUN and the sockets, with the device in between.
///
/// One thread does both directions. Two cores are busy as it is (2.0 of 2 at full load between two
/// namespaces), so that a second thread would find none free. Of more cores one tunnel uses one,
/// and several tunnels several. A tunnel that is to use more takes a queue of the TUN for each
/// worker (IFF_MULTI_QUEUE), and needs counters and replay windows that workers share.
///
/// Everything a packet touches is allocated once and has no reference counts.
struct PacketPath: ~Copyable {
    /// How a turn of the loop ended.
    enum Turn {
        /// Nothing waits any more, or others have their turn.
        case served
        /// The network takes no more now: no packet is taken from the TUN meanwhile.
        case blocked
        /// The TUN fails for good, with this `errno`.
        case gone(CInt)
    }

    /// The longest packet of a TUN, with room for its header.
    private static let longestPacket = OffloadHeader.byteCount + 65_535 + 40
    /// Packets in one turn, so that the other direction has its own.
    private static let turnPackets = 64
    /// Messages wait for others until they are so many bytes.
    private static let fullBatch = 120 * 1024

    var device: Device
    let sockets: MessageSockets
    private(set) var counts = PathCounts()
    /// The padding of a message stays within it; bytes.
    var mtu: Int

    private let queue: CInt
    private var batch = MessageBatch()
    private var sender: MessageSender
    private var receiver = MessageReceiver()
    private(set) var merger: PacketMerger
    private let input: UnsafeMutableRawPointer
    private var lastPeer = AllowedAddresses.none

    /// A path over descriptors that stay their owner's.
    init(
        _ device: consuming Device, queue: CInt, sockets: MessageSockets, mtu: Int,
        ability: PacketMerger.Ability
    ) {
        self.device = device
        self.queue = queue
        self.sockets = sockets
        self.mtu = mtu
        sender = MessageSender(sockets: sockets)
        merger = PacketMerger(queue: queue, ability: ability)
        input = .allocate(byteCount: Self.longestPacket, alignment: 64)
    }

    deinit {
        input.deallocate()
    }

    /// The socket that takes no more now.
    var blockedSocket: CInt { sender.blockedSocket }

    /// What made the kernel refuse to cut messages, if it did.
    var segmentationError: CInt { sender.segmentationError }

    // MARK: Out of the TUN

    /// Takes packets from the TUN and sends them.
    mutating func takePackets(now: Int64) -> Turn {
        guard send(now: now) else { return .blocked }
        for _ in 0..<Self.turnPackets {
            let count = Glibc.read(queue, input, Self.longestPacket)
            guard count >= 0 else {
                let error = errno
                if error == EINTR { continue }
                finishPeer(now: now)
                guard send(now: now) else { return .blocked }
                return error == EAGAIN ? .served : .gone(error)
            }
            forward(count, now: now)
            if batch.used >= Self.fullBatch {
                finishPeer(now: now)
                guard send(now: now) else { return .blocked }
            }
        }
        finishPeer(now: now)
        return send(now: now) ? .served : .blocked
    }

    /// Sends what waits; false when the network takes no more now.
    mutating func send(now: Int64) -> Bool {
        guard !batch.isEmpty else { return true }
        guard sender.send(&batch) else { return false }
        if sender.hasFailures { handleFailures(now: now) }
        return true
    }

    private mutating func handleFailures(now: Int64) {
        counts.unsentMessages &+= sender.takeUnsent()
        for number in sender.takeWrongSources() { device.forgetLocalAddress(of: number) }
    }

    private mutating func forward(_ count: Int, now: Int64) {
        let length = count - OffloadHeader.byteCount
        guard length >= PacketFields.V4.headerLength else { return counts.malformedPackets &+= 1 }
        let packet = input + OffloadHeader.byteCount
        let number = device.route(packet, count: length)
        guard number >= 0 else { return }
        if number != lastPeer {
            finishPeer(now: now)
            lastPeer = number
        }
        let isReady = device.canSeal(number, now: now)
        let header = OffloadHeader(input)
        guard header.cutKind != OffloadHeader.Cut.none else {
            guard complete(packet, length, header) else { return counts.malformedPackets &+= 1 }
            guard isReady else { return stage(packet, length, now: now) }
            guard let place = room(for: length, now: now) else { return }
            (place + Device.headerBytes).copyMemory(from: packet, byteCount: length)
            return seal(place, length)
        }
        guard let cutter = PacketCutter(packet, count: length, header) else {
            return counts.malformedPackets &+= 1
        }
        guard isReady else { return stage(cutter, now: now) }
        for index in 0..<cutter.segments {
            let length = cutter.length(of: index)
            guard let place = room(for: length, now: now) else { return }
            cutter.write(index, to: place + Device.headerBytes)
            seal(place, length)
        }
    }

    @inline(__always)
    private mutating func room(for length: Int, now: Int64) -> UnsafeMutableRawPointer? {
        let whole = Device.paddedCount(length, mtu: mtu) + Device.overhead
        if let place = batch.append(whole, to: lastPeer, device) { return place }
        // Rare: a packet that is cut very small. What then is not sent is lost.
        if send(now: now), let place = batch.append(whole, to: lastPeer, device) { return place }
        counts.unsentMessages &+= 1
        return nil
    }

    @inline(__always)
    private mutating func seal(_ place: UnsafeMutableRawPointer, _ length: Int) {
        let padded = Device.paddedCount(length, mtu: mtu)
        if padded > length {
            (place + Device.headerBytes + length).initializeMemory(
                as: UInt8.self, repeating: 0, count: padded - length)
        }
        device.seal(place, count: padded, for: lastPeer)
    }

    /// Tells the device, once for all packets to a peer in a row.
    private mutating func finishPeer(now: Int64) {
        guard lastPeer >= 0 else { return }
        if device.canSeal(lastPeer, now: now) { device.dataSent(lastPeer, now: now) }
        lastPeer = AllowedAddresses.none
    }

    /// Finishes the checksum that the kernel left to do.
    private func complete(
        _ packet: UnsafeMutableRawPointer, _ length: Int, _ header: OffloadHeader
    ) -> Bool {
        guard header.flags & OffloadHeader.needsChecksum != 0 else { return true }
        let start = Int(header.checksumStart)
        let field = start + Int(header.checksumOffset)
        guard start < length, field + 2 <= length else { return false }
        packet.storeChecksum(PacketSum.of(packet + start, count: length - start), field)
        // Of UDP no checksum at all would be zero.
        if header.checksumOffset == UInt16(PacketFields.UDP.checksum),
            packet.loadUnaligned(fromByteOffset: field, as: UInt16.self) == 0
        {
            packet.storeBytes(of: 0xFFFF, toByteOffset: field, as: UInt16.self)
        }
        return true
    }

    private mutating func stage(_ packet: UnsafeRawPointer, _ length: Int, now: Int64) {
        let bytes = UnsafeRawBufferPointer(start: packet, count: length)
        device.stage(bytes, for: lastPeer, now: now)
    }

    private mutating func stage(_ cutter: PacketCutter, now: Int64) {
        withUnsafeTemporaryAllocation(byteCount: cutter.longestSegment, alignment: 16) { scratch in
            guard let place = scratch.baseAddress else { return }
            for index in 0..<cutter.segments {
                cutter.write(index, to: place)
                stage(place, cutter.length(of: index), now: now)
            }
        }
    }

    // MARK: Out of a socket

    /// Takes messages from a socket and hands their packets to the TUN.
    mutating func takeMessages(from socket: CInt, now: Int64) {
        for _ in 0..<MessageReceiver.turnBatches {
            let count = receiver.receive(from: socket)
            for index in 0..<count { open(index, now: now) }
            merger.flush()
            if count < receiver.batch { return }
        }
    }

    @inline(__always)
    private mutating func open(_ index: Int, now: Int64) {
        let datagram = receiver.datagrams + index
        let endpoint = datagram.pointee.endpoint
        let whole = Int(datagram.pointee.length)
        let segment = datagram.pointee.segment > 0 ? Int(datagram.pointee.segment) : whole
        guard var message = datagram.pointee.bytes else { return }
        var left = whole
        while left > 0 {
            let count = min(segment, left)
            if case .packet(let length) = device.receive(
                message, count: count, from: endpoint, now: now)
            {
                merger.add(message + Device.headerBytes, count: length)
            }
            message += count
            left -= count
        }
    }

    // MARK: What the device has to say

    /// Does what is due, and sends what the device wants to be sent.
    mutating func settle(now: Int64) {
        if now >= device.nextTick { device.tick(now: now) }
        // Trying another address makes another message; each peer has few addresses.
        while !device.outgoing.isEmpty {
            let messages = device.outgoing
            device.outgoing = []
            for message in messages where !sender.send(message) {
                counts.unsentMessages &+= 1
                if message.peer >= 0 { device.unreachable(message.peer, now: now) }
            }
        }
    }
}
