import CLinux
import Glibc

/// A stream of lines in both directions on an event loop; never blocks.
///
/// Reading is bounded in bytes and in time: a peer that floods, or whose lines are costly, is
/// read in portions, with the loop's other work in between, and its own writes block
/// meanwhile. Writing is bounded as well: a peer that
/// does not read loses its connection.
package final class LineChannel {
    /// Why a channel closed.
    package enum Ending: Equatable, Sendable {
        case closedByPeer
        case lineTooLong
        case peerDoesNotRead
        case failed(SystemError)
    }

    private struct Outgoing {
        var bytes: ArraySlice<UInt8>
        let descriptor: CInt?
    }

    /// Portions of reading: after this many bytes within a period the channel pauses.
    private static let portion = 256 * 1024
    private static let period: Int64 = 50
    /// The share of a period that the lines of one channel may take, in nanoseconds.
    private static let turn: Int64 = 20_000_000
    /// What the last lines of a peer that is gone may take.
    private static let lastTurn: Int64 = 200_000_000
    private static let longestQueue = 4 << 20

    private let loop: EventLoop
    private let socket: FileDescriptor
    private let takesDescriptors: Bool
    private var lines: LineBuffer
    private var received: [FileDescriptorBox] = []
    private var queue: [Outgoing] = []
    private var queuedBytes = 0
    private var budget = LineChannel.portion
    private var refill: EventLoop.Timer?
    private var isPaused = false
    private var isOpen = true
    private var peerIsGone = false
    private var turnEnd: Int64 = 0

    /// Called with each line.
    package var onLine: ([UInt8]) -> Void = { _ in }
    /// Called once, when the channel has closed by itself.
    package var onEnd: (Ending) -> Void = { _ in }

    /// Takes over a connected socket.
    ///
    /// Descriptors are only for whoever asked for them: to close one may block, for as long
    /// as its sender likes.
    package init(
        _ socket: consuming FileDescriptor,
        on loop: EventLoop,
        longestLine: Int,
        takesDescriptors: Bool = false
    ) throws(SystemError) {
        self.loop = loop
        self.socket = socket
        self.takesDescriptors = takesDescriptors
        lines = LineBuffer(longest: longestLine)
        let raw = self.socket.raw
        if !takesDescriptors { ut_socket_refuse_descriptors(raw) }
        _ = try check("fcntl") { fcntl(raw, F_SETFL, O_NONBLOCK) }
        try loop.add(raw) { [weak self] ready in self?.handle(ready) }
    }

    deinit {
        loop.cancel(refill)
        loop.remove(socket.raw)
        dropQueue()
    }

    /// The oldest descriptor that came with a line and was not yet taken.
    package func takeDescriptor() -> FileDescriptor? {
        guard !received.isEmpty else { return nil }
        return received.removeFirst().take()
    }

    /// Whether lines wait to be sent.
    package var isBacklogged: Bool { !queue.isEmpty }

    /// Sends a line, which has its end; a descriptor rides on its first byte.
    package func send(_ line: [UInt8], descriptor: FileDescriptorBox? = nil) {
        guard isOpen, !peerIsGone else { return }
        queue.append(Outgoing(bytes: line[...], descriptor: descriptor?.take()?.release()))
        queuedBytes += line.count
        flush()
        if queuedBytes > Self.longestQueue { end(.peerDoesNotRead) }
    }

    /// Delivers at once what has come already, up to the end or a portion of it.
    package func drain() {
        let former = budget
        budget = Self.portion
        turnEnd = Clock.monotonicNanoseconds + Self.lastTurn
        deliver()
        while isOpen, budget > 0, Clock.monotonicNanoseconds < turnEnd {
            let before = budget
            read()
            if budget == before { break }
        }
        budget = min(former, budget)
    }

    /// Closes the channel without a word to `onEnd`; what is queued is dropped.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        loop.cancel(refill)
        loop.remove(socket.raw)
        dropQueue()
        shutdown(socket.raw, CInt(SHUT_RDWR))
    }

    private func dropQueue() {
        for case let descriptor? in queue.map(\.descriptor) { Self.close(descriptor) }
        queue = []
        queuedBytes = 0
    }

    private static func close(_ raw: CInt) {
        _ = FileDescriptor(taking: raw)
    }

    private func end(_ ending: Ending) {
        guard isOpen else { return }
        close()
        onEnd(ending)
    }

    private func handle(_ ready: EventLoop.Interest) {
        if ready.contains(.writable) { flush() }
        guard isOpen else { return }
        turnEnd = Clock.monotonicNanoseconds + Self.turn
        // A hang-up is told again and again, also to a channel that pauses; what is left to
        // read after it has its bounds.
        if ready.contains(.readable) || !ready.isDisjoint(with: .hangUp) { read() }
    }

    private func read() {
        do throws(SystemError) {
            let (bytes, descriptors) = try UnixSocket.receive(
                atMost: 65_536, takingDescriptors: takesDescriptors, on: socket.raw)
            received += descriptors.map { FileDescriptorBox(FileDescriptor(taking: $0)) }
            // A peer that sends descriptors nobody asked for does not fill our table.
            if received.count > 16 { received.removeFirst(received.count - 16) }
            guard !bytes.isEmpty else { return endOfStream() }
            spend(bytes.count)
            lines.append(bytes)
            deliver()
        } catch {
            if error.errno == EAGAIN { return }
            end(error.errno == ECONNRESET ? .closedByPeer : .failed(error))
        }
    }

    private func endOfStream() {
        // What it said last may still wait for its turn.
        turnEnd = Clock.monotonicNanoseconds + Self.lastTurn
        deliver()
        end(.closedByPeer)
    }

    private func deliver() {
        do {
            while isOpen, let line = try lines.next() {
                onLine(line)
                if isOpen, Clock.monotonicNanoseconds >= turnEnd { return pause() }
            }
        } catch {
            end(.lineTooLong)
        }
    }

    private func spend(_ count: Int) {
        budget -= count
        scheduleRefill()
        if budget <= 0 { setPaused(true) }
    }

    private func scheduleRefill() {
        guard refill == nil else { return }
        refill = loop.schedule(milliseconds: Self.period) { [weak self] in self?.renew() }
    }

    private func pause() {
        scheduleRefill()
        setPaused(true)
    }

    private func renew() {
        refill = nil
        guard isOpen else { return }
        budget = Self.portion
        guard isPaused else { return }
        setPaused(false)
        // Lines that were received already make no descriptor ready.
        turnEnd = Clock.monotonicNanoseconds + Self.turn
        deliver()
    }

    private func setPaused(_ pause: Bool) {
        isPaused = pause
        updateInterest()
    }

    private func updateInterest() {
        guard isOpen else { return }
        var interest: EventLoop.Interest = []
        if !isPaused { interest.insert(.readable) }
        if !queue.isEmpty { interest.insert(.writable) }
        do { try loop.change(socket.raw, to: interest) } catch { end(.failed(error)) }
    }

    // What the peer said before it went is still to be read, and may say why; not here, as
    // the line that is being answered has its handler's whole attention.
    private func giveUpSending() {
        dropQueue()
        peerIsGone = true
        loop.schedule(milliseconds: 0) { [weak self] in
            self?.drain()
            self?.end(.closedByPeer)
        }
    }

    private func flush() {
        let hadQueue = !queue.isEmpty
        do throws(SystemError) {
            while let first = queue.first {
                let descriptors = first.descriptor.map { [$0] } ?? []
                let sent = try UnixSocket.send(
                    first.bytes, descriptors: descriptors, on: socket.raw)
                queuedBytes -= sent
                for descriptor in descriptors { Self.close(descriptor) }
                let rest = first.bytes.dropFirst(sent)
                if rest.isEmpty {
                    queue.removeFirst()
                } else {
                    queue[0] = Outgoing(bytes: rest, descriptor: nil)
                }
            }
        } catch {
            switch error.errno {
            case EAGAIN: break
            case EPIPE, ECONNRESET: return giveUpSending()
            default: return end(.failed(error))
            }
        }
        if hadQueue || !queue.isEmpty { updateInterest() }
    }
}

/// A descriptor in a place that can hold no `~Copyable` value, such as an array.
package final class FileDescriptorBox {
    private var descriptor: FileDescriptor?

    /// The number, while the box holds the descriptor.
    package private(set) var raw: CInt?

    /// Takes over a descriptor.
    package init(_ descriptor: consuming FileDescriptor) {
        raw = descriptor.raw
        self.descriptor = consume descriptor
    }

    /// Moves the descriptor out.
    package func take() -> FileDescriptor? {
        raw = nil
        return descriptor.take()
    }
}
