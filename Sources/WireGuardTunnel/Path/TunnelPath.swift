import LinuxSystem
import WireGuard

/// The packet path on the event loop: what is ready is served, in turns.
final class TunnelPath {
    /// A peer was proved, lost or moved.
    var onNews: () -> Void = {}
    /// The kernel refuses to cut messages, with this `errno`; told once.
    var onSegmentationRefused: (CInt) -> Void = { _ in }
    /// The TUN fails for good, with this `errno`.
    var onGone: (CInt) -> Void = { _ in }

    private let loop: EventLoop
    private let queue: FileDescriptor
    private let sockets: [FileDescriptorBox]
    private var path: PacketPath
    private var timer: EventLoop.Timer?
    private var armedFor = Int64.max
    private var blockedSocket: CInt?
    private var hasToldOfSegmentation = false

    /// Serves the descriptors from now on.
    init(
        _ device: consuming Device, queue: consuming FileDescriptor, sockets: TunnelSockets,
        mtu: Int, ability: PacketMerger.Ability, on loop: EventLoop
    ) throws(SystemError) {
        self.loop = loop
        path = PacketPath(
            device, queue: queue.raw, sockets: sockets.numbers, mtu: mtu, ability: ability)
        self.queue = queue
        self.sockets = sockets.all
        try loop.add(self.queue.raw) { [unowned self] _ in takePackets() }
        for socket in [sockets.numbers.v4, sockets.numbers.v6] where socket >= 0 {
            try loop.add(socket) { [unowned self] interest in serve(socket, interest) }
        }
    }

    deinit {
        loop.cancel(timer)
        loop.remove(queue.raw)
        loop.remove(path.sockets.v4)
        loop.remove(path.sockets.v6)
    }

    /// Looks at the device, or changes it, and does what follows from it.
    func withDevice<Value>(_ body: (inout Device, _ now: Int64) -> Value) -> Value {
        let now = Clock.bootNanoseconds
        let value = body(&path.device, now)
        settle(now)
        return value
    }

    /// Keeps the padding of messages within another MTU.
    func setMTU(_ mtu: Int) { path.mtu = mtu }

    /// What of the traffic came to nothing, and why.
    var losses: PathLosses {
        PathLosses(
            drops: path.device.drops, counts: path.counts, untakenPackets: path.merger.dropped)
    }

    private func takePackets() {
        let now = Clock.bootNanoseconds
        switch path.takePackets(now: now) {
        case .served: break
        case .blocked: waitForRoom()
        case .gone(let error):
            // A descriptor that stays ready would keep the loop awake.
            loop.remove(queue.raw)
            onGone(error)
        }
        settle(now)
    }

    private func serve(_ socket: CInt, _ interest: EventLoop.Interest) {
        let now = Clock.bootNanoseconds
        if interest.contains(.writable), socket == blockedSocket { goOn(now) }
        if !interest.isDisjoint(with: [.readable, .hangUp]) {
            path.takeMessages(from: socket, now: now)
        }
        settle(now)
    }

    // The TUN keeps its packets as long as the socket has no room: its own queue is the limit.
    private func waitForRoom() {
        guard blockedSocket == nil else { return }
        let socket = path.blockedSocket
        blockedSocket = socket
        try? loop.change(queue.raw, to: [])
        try? loop.change(socket, to: [.readable, .writable])
    }

    private func goOn(_ now: Int64) {
        guard let socket = blockedSocket else { return }
        let isSent = path.send(now: now)
        if !isSent, path.blockedSocket == socket { return }
        try? loop.change(socket, to: .readable)
        blockedSocket = nil
        if isSent { try? loop.change(queue.raw, to: .readable) } else { waitForRoom() }
    }

    private func settle(_ now: Int64) {
        path.settle(now: now)
        if path.device.nextTick < armedFor { arm(now) }
        if path.segmentationError != 0, !hasToldOfSegmentation {
            hasToldOfSegmentation = true
            onSegmentationRefused(path.segmentationError)
        }
        if path.device.hasNews {
            path.device.hasNews = false
            onNews()
        }
    }

    // A timer that comes too early finds nothing to do; so most of them are never set anew.
    private func arm(_ now: Int64) {
        loop.cancel(timer)
        armedFor = path.device.nextTick
        let milliseconds = max(0, (armedFor - now + 999_999) / 1_000_000)
        timer = loop.schedule(milliseconds: milliseconds) { [unowned self] in
            timer = nil
            armedFor = .max
            let now = Clock.bootNanoseconds
            path.settle(now: now)
            settle(now)
        }
    }
}
