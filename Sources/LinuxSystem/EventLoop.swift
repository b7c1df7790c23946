import CLinux
import Glibc

/// One thread that waits for everything at once: descriptors and timers.
///
/// Handlers are plain functions that run one after the other. Without due timers the loop
/// sleeps until something happens.
package final class EventLoop {
    /// What a handler waits for, or is told.
    package struct Interest: OptionSet, Sendable {
        package let rawValue: UInt32

        package init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        package static let readable = Interest(rawValue: EPOLLIN.rawValue)
        package static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        /// The other end is gone; always told.
        package static let hangUp = Interest(rawValue: EPOLLHUP.rawValue | EPOLLERR.rawValue)
    }

    /// Names a timer, to cancel it.
    package struct Timer: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private struct Handler {
        let generation: UInt32
        let body: (Interest) -> Void
    }

    /// Events told in one turn; the others are told in the next.
    private static let mostEvents = 32

    private let epoll: FileDescriptor
    // Once for all turns: where packets come one by one, each of them is a turn.
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: mostEvents)
    private var handlers: [CInt: Handler] = [:]
    private var generation: UInt32 = 0
    private var timers: [Timer: (due: Int64, body: () -> Void)] = [:]
    /// When the first timer is due, or one that was cancelled since.
    private var firstDue = Int64.max
    private var lastTimer: UInt64 = 0
    private var isStopped = false

    /// Makes an empty loop.
    ///
    /// Corresponds to `epoll_create1(2)`.
    package init() throws(SystemError) {
        let raw = try check("epoll_create1") { epoll_create1(CInt(EPOLL_CLOEXEC)) }
        epoll = FileDescriptor(taking: raw)
    }

    deinit {
        events.deallocate()
    }

    /// Calls `body` whenever `descriptor` is ready; the descriptor stays its owner's.
    package func add(
        _ descriptor: CInt,
        _ interest: Interest = .readable,
        _ body: @escaping (Interest) -> Void
    ) throws(SystemError) {
        // The generation tells an event of a closed descriptor from one of its successor.
        generation &+= 1
        try control(EPOLL_CTL_ADD, descriptor, interest, generation)
        handlers[descriptor] = Handler(generation: generation, body: body)
    }

    /// Changes what a handler waits for; nothing at all leaves hang-ups.
    package func change(_ descriptor: CInt, to interest: Interest) throws(SystemError) {
        guard let handler = handlers[descriptor] else { return }
        try control(EPOLL_CTL_MOD, descriptor, interest, handler.generation)
    }

    /// Forgets a descriptor; to be called before it is closed.
    package func remove(_ descriptor: CInt) {
        guard handlers.removeValue(forKey: descriptor) != nil else { return }
        var event = epoll_event()
        epoll_ctl(epoll.raw, EPOLL_CTL_DEL, descriptor, &event)
    }

    /// Calls `body` once, so many milliseconds from now.
    @discardableResult
    package func schedule(milliseconds: Int64, _ body: @escaping () -> Void) -> Timer {
        lastTimer += 1
        let timer = Timer(number: lastTimer)
        let delay = min(max(milliseconds, 0), Deadline.longest) * 1_000_000
        let due = Clock.monotonicNanoseconds + delay
        timers[timer] = (due, body)
        firstDue = min(firstDue, due)
        return timer
    }

    /// Forgets a timer; one that has run or is unknown does no harm.
    package func cancel(_ timer: Timer?) {
        if let timer { timers[timer] = nil }
    }

    /// Waits and calls handlers until `stop` is called.
    package func run() throws(SystemError) {
        defer { isStopped = false }
        while !isStopped { try turn() }
    }

    /// Ends `run` after the handler that calls it; one that has yet to begin ends at once.
    package func stop() {
        isStopped = true
    }

    private func turn() throws(SystemError) {
        let timeout = nextTimeout
        let count = try check("epoll_wait") {
            epoll_wait(epoll.raw, events, CInt(Self.mostEvents), timeout)
        }
        // What is left after `stop` is told again when the loop runs again.
        for index in 0..<Int(count) where !isStopped {
            let event = events[index]
            let descriptor = CInt(truncatingIfNeeded: event.data.u64)
            let generation = UInt32(truncatingIfNeeded: event.data.u64 >> 32)
            guard let handler = handlers[descriptor], handler.generation == generation else {
                continue
            }
            handler.body(Interest(rawValue: event.events))
        }
        runDueTimers()
    }

    private var nextTimeout: CInt {
        guard !timers.isEmpty else { return -1 }
        let left = firstDue - Clock.monotonicNanoseconds
        return left <= 0 ? 0 : CInt(min((left + 999_999) / 1_000_000, 3_600_000))
    }

    private func runDueTimers() {
        guard !timers.isEmpty else { return }
        let now = Clock.monotonicNanoseconds
        guard firstDue <= now else { return }
        let due = timers.filter { $0.value.due <= now }.sorted { left, right in
            (left.value.due, left.key.number) < (right.value.due, right.key.number)
        }
        for (timer, entry) in due where !isStopped && timers.removeValue(forKey: timer) != nil {
            entry.body()
        }
        firstDue = timers.values.reduce(.max) { min($0, $1.due) }
    }

    private func control(
        _ operation: CInt,
        _ descriptor: CInt,
        _ interest: Interest,
        _ generation: UInt32
    ) throws(SystemError) {
        var event = epoll_event()
        event.events = interest.rawValue
        event.data.u64 = UInt64(UInt32(bitPattern: descriptor)) | UInt64(generation) << 32
        _ = try check("epoll_ctl") { epoll_ctl(epoll.raw, operation, descriptor, &event) }
    }
}
