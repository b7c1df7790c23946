import Glibc
import LinuxSystem
import Testing

@Suite struct EventLoopTests {
    @Test func aStopBeforeTheRunEndsItAtOnce() throws {
        let loop = try EventLoop()
        loop.stop()
        try loop.run()
        loop.schedule(milliseconds: 1) { loop.stop() }
        try loop.run()
    }

    @Test func timersRunInTheOrderInWhichTheyAreDue() throws {
        let loop = try EventLoop()
        var order: [Int] = []
        loop.schedule(milliseconds: 30) {
            order.append(3)
            loop.stop()
        }
        loop.schedule(milliseconds: 1) { order.append(1) }
        loop.schedule(milliseconds: 15) { order.append(2) }
        loop.schedule(milliseconds: -5) { order.append(0) }
        try loop.runBriefly()
        #expect(order == [0, 1, 2, 3])
    }

    @Test func timersOfTheSameMomentRunInTheOrderOfTheirMaking() throws {
        let loop = try EventLoop()
        var order: [Int] = []
        for number in 0..<100 { loop.schedule(milliseconds: 0) { order.append(number) } }
        loop.schedule(milliseconds: 1) { loop.stop() }
        try loop.runBriefly()
        #expect(order == Array(0..<100))
    }

    @Test func aTimerIsCancelledByOneThatIsDueWithIt() throws {
        let loop = try EventLoop()
        var second: EventLoop.Timer?
        var hasRun = false
        let first = loop.schedule(milliseconds: 0) { loop.cancel(second) }
        second = loop.schedule(milliseconds: 0) { hasRun = true }
        loop.schedule(milliseconds: 10) { loop.stop() }
        try loop.runBriefly()
        #expect(!hasRun)
        // One that has run, and none at all, do no harm.
        loop.cancel(first)
        loop.cancel(nil)
    }

    @Test func aTimerMadeByATimerWaitsForTheNextTurn() throws {
        let loop = try EventLoop()
        var runs = 0
        func again() {
            runs += 1
            if runs < 5 { loop.schedule(milliseconds: 0, again) } else { loop.stop() }
        }
        loop.schedule(milliseconds: 0, again)
        try loop.runBriefly()
        #expect(runs == 5)
    }

    @Test func theFarthestTimerDoesNotOverflow() throws {
        let loop = try EventLoop()
        loop.schedule(milliseconds: .max) { Issue.record("it is not due") }
        loop.schedule(milliseconds: .min) { loop.stop() }
        try loop.runBriefly()
    }

    @Test func aHandlerIsToldWhatIsReady() throws {
        let loop = try EventLoop()
        let (raw, other) = try socketPair()
        let socket = FileDescriptor(taking: raw)
        var peer: FileDescriptor? = FileDescriptor(taking: other)
        var told: [EventLoop.Interest] = []
        try loop.add(socket.raw, .writable) { ready in
            told.append(ready)
            loop.stop()
        }
        try loop.runBriefly()
        #expect(told == [.writable])

        try loop.change(socket.raw, to: .readable)
        peer = nil
        try loop.runBriefly()
        #expect(told.count == 2 && told[1].contains(.readable))
        #expect(!told[1].isDisjoint(with: .hangUp))
        _ = peer
    }

    @Test func withoutAnyInterestAHangUpIsToldAllTheSame() throws {
        let loop = try EventLoop()
        let (raw, other) = try socketPair()
        let socket = FileDescriptor(taking: raw)
        try loop.add(socket.raw, []) { ready in
            #expect(!ready.isDisjoint(with: .hangUp))
            loop.stop()
        }
        loop.schedule(milliseconds: 1) { _ = FileDescriptor(taking: other) }
        try loop.runBriefly()
    }

    @Test func handlersRemoveThemselvesAndOthersWhileTheyRun() throws {
        let loop = try EventLoop()
        let pairs = try (0..<8).map { _ in try socketPair() }
        defer { for (first, second) in pairs { close(first); close(second) } }
        var calls = 0
        for (first, second) in pairs {
            var byte = UInt8(0)
            write(second, &byte, 1)
            // Whoever comes first removes all: the others are ready, and are not called.
            try loop.add(first) { _ in
                calls += 1
                for (first, _) in pairs { loop.remove(first) }
            }
        }
        loop.schedule(milliseconds: 20) { loop.stop() }
        try loop.runBriefly()
        #expect(calls == 1)
    }

    @Test func aDescriptorClosedAndReusedGetsNoEventOfItsPredecessor() throws {
        let loop = try EventLoop()
        let pairs = try (0..<2).map { _ in try socketPair() }
        let (idle, idlePeer) = try socketPair()
        defer {
            for (first, second) in pairs { close(first); close(second) }
            close(idle)
            close(idlePeer)
        }
        var successorCalls = 0
        var calls = 0
        for (index, (first, second)) in pairs.enumerated() {
            var byte = UInt8(0)
            write(second, &byte, 1)
            let other = pairs[1 - index].0
            try loop.add(first) { _ in
                calls += 1
                loop.remove(first)
                guard calls == 1 else { return }
                // Both are ready in this turn; the other's number comes to mean a socket
                // on which nothing has happened.
                loop.remove(other)
                dup2(idle, other)
                try? loop.add(other) { _ in successorCalls += 1 }
            }
        }
        loop.schedule(milliseconds: 20) { loop.stop() }
        try loop.runBriefly()
        #expect(calls == 1)
        #expect(successorCalls == 0)
        var byte = UInt8(0)
        write(idlePeer, &byte, 1)
        loop.schedule(milliseconds: 20) { loop.stop() }
        try loop.runBriefly()
        #expect(successorCalls > 0)
    }

    @Test func afterStopNoFurtherHandlerRuns() throws {
        let loop = try EventLoop()
        let pairs = try (0..<4).map { _ in try socketPair() }
        defer { for (first, second) in pairs { close(first); close(second) } }
        var calls = 0
        for (first, second) in pairs {
            var byte = UInt8(0)
            write(second, &byte, 1)
            try loop.add(first) { _ in
                calls += 1
                loop.stop()
            }
        }
        loop.schedule(milliseconds: 0) { calls += 100 }
        try loop.run()
        #expect(calls == 1)
        // What was ready is still told when the loop runs on.
        let before = calls
        try loop.run()
        #expect(calls > before)
    }

    @Test func anIdleLoopDoesNotWakeUp() throws {
        let loop = try EventLoop()
        let (first, second) = try socketPair()
        defer { close(first); close(second) }
        try loop.add(first) { _ in Issue.record("nothing was sent") }
        loop.schedule(milliseconds: 3_600_000) { Issue.record("not yet") }
        loop.schedule(milliseconds: 400) { loop.stop() }
        func threadTime() -> Int64 {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        }
        let before = threadTime()
        try loop.runBriefly()
        #expect(threadTime() - before < 40_000_000)
    }

    @Test func aDescriptorThatCannotBeWatchedIsAnError() throws {
        let loop = try EventLoop()
        #expect(throws: SystemError("epoll_ctl", errno: EBADF)) { try loop.add(-1) { _ in } }
        // What is not there is neither changed nor removed.
        try loop.change(1_000_000, to: .readable)
        loop.remove(1_000_000)
    }
}
