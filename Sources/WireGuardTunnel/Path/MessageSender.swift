import CLinux
import Glibc
import WireGuard

/// Sends messages, in the way that the kernel and the path to each peer allow.
struct MessageSender: ~Copyable {
    private let sockets: MessageSockets
    /// How many messages of a batch that was blocked are gone already.
    private var done = 0
    private var unsent: UInt64 = 0
    private var wrongSources: [Int32] = []

    /// The socket that takes no more now.
    private(set) var blockedSocket: CInt = -1
    /// What made the kernel refuse to cut runs at all.
    private(set) var segmentationError: CInt = 0

    init(sockets: MessageSockets) {
        self.sockets = sockets
    }

    /// Whether something went wrong that somebody has to be told.
    var hasFailures: Bool { unsent > 0 || !wrongSources.isEmpty }

    /// How many messages the network has refused since it was last asked.
    mutating func takeUnsent() -> UInt64 {
        defer { unsent = 0 }
        return unsent
    }

    /// The peers whose messages can't come from where they were heard.
    mutating func takeWrongSources() -> [Int32] {
        defer { wrongSources = [] }
        return wrongSources
    }

    /// Sends a batch and clears it; false when a socket takes no more now: then the rest waits.
    mutating func send(_ batch: inout MessageBatch) -> Bool {
        while done < batch.count {
            let first = batch.datagrams + done
            let socket = sockets.socket(isIPv6: first.pointee.is_v6)
            guard socket >= 0 else {
                refuse(1)
                done += 1
                continue
            }
            var count = 1
            while done + count < batch.count, first[count].is_v6 == first.pointee.is_v6 {
                count += 1
            }
            let sent = ut_datagrams_send(socket, first, UInt32(count))
            if sent > 0 {
                done += Int(sent)
                continue
            }
            switch -sent {
            case EINTR: continue
            case EAGAIN:
                blockedSocket = socket
                return false
            case let error: handle(error, first, batch.peer(of: done), socket, &batch)
            }
        }
        done = 0
        blockedSocket = -1
        batch.clear()
        return true
    }

    /// Sends one message by itself; false when nothing leads to where it goes.
    mutating func send(_ message: Device.OutgoingMessage) -> Bool {
        let socket = sockets.socket(isIPv6: message.endpoint.isIPv6)
        guard socket >= 0 else { return false }
        var datagram = ut_datagram()
        datagram.setRemote(message.endpoint)
        var bytes = message.bytes
        return bytes.withUnsafeMutableBytes { bytes in
            datagram.bytes = bytes.baseAddress
            datagram.length = UInt32(bytes.count)
            var sent = sendWhole(&datagram, socket)
            if sent < 0, sent != -EAGAIN, datagram.has_local {
                if message.peer >= 0 { wrongSources.append(message.peer) }
                datagram.has_local = false
                sent = sendWhole(&datagram, socket)
            }
            // A full socket loses it as the network may: it comes again.
            return sent > 0 || sent == -EAGAIN || sent == -ENOBUFS
        }
    }

    private mutating func handle(
        _ error: CInt, _ datagram: UnsafeMutablePointer<ut_datagram>, _ peer: Int32,
        _ socket: CInt, _ batch: inout MessageBatch
    ) {
        if datagram.pointee.has_local,
            error == EINVAL || error == EADDRNOTAVAIL || error == ENETUNREACH
        {
            // The address is no longer ours; the kernel chooses, now and from now on.
            wrongSources.append(peer)
            datagram.pointee.has_local = false
            return
        }
        if datagram.pointee.segment > 0, Self.forbidsSegments(error) {
            // EIO: the link can't do it (udp(7)); the others: the path has a smaller MTU.
            if error == EIO || error == EOPNOTSUPP {
                batch.hasSegmentation = false
                segmentationError = error
            }
            sendSegments(of: datagram.pointee, socket)
        } else {
            refuse(datagram.pointee.segments)
        }
        done += 1
    }

    private static func forbidsSegments(_ error: CInt) -> Bool {
        [EIO, EINVAL, EMSGSIZE, EOPNOTSUPP].contains(error)
    }

    private mutating func sendSegments(of run: ut_datagram, _ socket: CInt) {
        var datagram = run
        datagram.segment = 0
        var left = run.length
        while left > 0 {
            datagram.length = min(left, UInt32(run.segment))
            if sendWhole(&datagram, socket) < 0 { refuse(1) }
            datagram.bytes += Int(datagram.length)
            left -= datagram.length
        }
    }

    private func sendWhole(_ datagram: inout ut_datagram, _ socket: CInt) -> CInt {
        while true {
            let sent = ut_datagrams_send(socket, &datagram, 1)
            if sent != -EINTR { return sent }
        }
    }

    private mutating func refuse(_ count: Int) {
        unsent &+= UInt64(count)
    }
}

extension ut_datagram {
    /// How many datagrams the message is.
    fileprivate var segments: Int {
        segment == 0 ? 1 : (Int(length) + Int(segment) - 1) / Int(segment)
    }
}
