import Glibc
import Testing

@testable import LinuxSystem

@Suite struct LineChannelTests {
    private let loop: EventLoop
    private let channel: LineChannel
    private let peer: Peer

    /// The bare end of the other side.
    private final class Peer {
        private(set) var raw: CInt

        init(_ raw: CInt) { self.raw = raw }

        deinit { hangUp() }

        func hangUp() {
            if raw >= 0 { close(raw) }
            raw = -1
        }

        func send(_ text: String) { _ = write(raw, text, text.utf8.count) }

        /// Bytes that are there, without waiting.
        func received() -> [UInt8] {
            (try? UnixSocket.receive(atMost: 1 << 20, on: raw).bytes) ?? []
        }

        func setNonblocking() { _ = fcntl(raw, F_SETFL, O_NONBLOCK) }
    }

    init() throws {
        SignalDescriptor.ignoreBrokenPipes()
        let (first, second) = try socketPair()
        loop = try EventLoop()
        channel = try LineChannel(
            FileDescriptor(taking: first), on: loop, longestLine: 100, takesDescriptors: true)
        peer = Peer(second)
    }

    /// Runs until the channel ends; answers its lines and why it ended.
    private func runToEnd() throws -> (lines: [String], ending: LineChannel.Ending?) {
        var lines: [String] = []
        var ending: LineChannel.Ending?
        channel.onLine = { lines.append(String(decoding: $0, as: UTF8.self)) }
        channel.onEnd = { [loop] in
            #expect(ending == nil)
            ending = $0
            loop.stop()
        }
        try loop.runBriefly()
        return (lines, ending)
    }

    @Test func linesArriveAndAHalfOneAtTheEndIsNone() throws {
        peer.send("one\n\ntwo\nhal")
        loop.schedule(milliseconds: 5) { [peer] in peer.hangUp() }
        let (lines, ending) = try runToEnd()
        #expect(lines == ["one", "", "two"])
        #expect(ending == .closedByPeer)
    }

    @Test func theLastWordsOfAPeerAreHeardThoughItTakesNothingMore() throws {
        peer.send("last words\n")
        peer.hangUp()
        channel.send(Array("too late\n".utf8))
        let (lines, ending) = try runToEnd()
        #expect(lines == ["last words"])
        #expect(ending == .closedByPeer)
    }

    @Test func aLineInSeveralPiecesIsOne() throws {
        peer.send("he")
        loop.schedule(milliseconds: 5) { [peer] in peer.send("llo") }
        loop.schedule(milliseconds: 10) { [peer] in peer.send(" world\n") }
        loop.schedule(milliseconds: 15) { [peer] in peer.hangUp() }
        #expect(try runToEnd().lines == ["hello world"])
    }

    @Test(arguments: [
        String(repeating: "x", count: 101) + "\n", String(repeating: "x", count: 5000),
    ])
    func aLineTooLongEndsTheChannel(text: String) throws {
        peer.send("ok\n" + text)
        let (lines, ending) = try runToEnd()
        #expect(lines == ["ok"])
        #expect(ending == .lineTooLong)
    }

    @Test func whatWasSentIsReceivedWhole() throws {
        var received: [UInt8] = []
        peer.setNonblocking()
        try loop.add(peer.raw) { [peer, loop] _ in
            received += peer.received()
            if received.count >= 1_000_000 { loop.stop() }
        }
        var sent: [UInt8] = []
        for number in 0..<100 {
            let line = Array("\(number) ".utf8) + [UInt8](repeating: 0x78, count: 9_997)
            sent += line + [0x0A]
            channel.send(line + [0x0A])
        }
        #expect(channel.isBacklogged)
        try loop.runBriefly()
        #expect(received == sent)
        loop.remove(peer.raw)
        loop.schedule(milliseconds: 5) { [loop] in loop.stop() }
        try loop.runBriefly()
        #expect(!channel.isBacklogged)
    }

    @Test func aPeerThatDoesNotReadLosesItsConnection() throws {
        var ending: LineChannel.Ending?
        channel.onEnd = { ending = $0 }
        let line = [UInt8](repeating: 0x78, count: 65_535) + [0x0A]
        var sent = 0
        while ending == nil, sent < 1000 {
            channel.send(line)
            sent += 1
        }
        #expect(ending == .peerDoesNotRead)
        // Some four megabytes, beside what the kernel holds.
        #expect((64..<100).contains(sent))
        #expect(!channel.isBacklogged)
        channel.send(line)
        #expect(!channel.isBacklogged)
    }

    @Test func aPeerThatFloodsDoesNotStarveATimerAndIsHeldBack() throws {
        peer.setNonblocking()
        let line = [UInt8](repeating: UInt8(ascii: "y"), count: 63) + [UInt8(ascii: "\n")]
        let portion = Array(repeatElement(line, count: 1024).joined())
        // The flood comes from the same loop, whenever the socket takes something.
        try loop.add(peer.raw, .writable) { [peer] _ in
            _ = write(peer.raw, portion, portion.count)
        }
        var received = 0
        channel.onLine = { received += $0.count + 1 }
        var ticks = 0
        func tick() {
            ticks += 1
            if ticks < 50 { loop.schedule(milliseconds: 10, tick) } else { loop.stop() }
        }
        loop.schedule(milliseconds: 10, tick)
        let started = Clock.monotonicNanoseconds
        try loop.runBriefly(milliseconds: 60_000)
        let periods = (Clock.monotonicNanoseconds - started) / 50_000_000 + 2
        #expect(ticks == 50)
        // At most a portion and the read that exceeds it in each period.
        #expect((1...Int(periods) * (256 + 64) * 1024).contains(received))
        loop.remove(peer.raw)
    }

    @Test func aFloodThatEndsIsReadToItsEnd() throws {
        let text = String(repeating: String(repeating: "y", count: 99) + "\n", count: 6000)
        let sender = Peer(dup(peer.raw))
        peer.hangUp()
        sender.setNonblocking()
        var rest = Array(text.utf8)[...]
        try loop.add(sender.raw, .writable) { [loop] _ in
            let count = Array(rest.prefix(65_536)).withUnsafeBytes {
                write(sender.raw, $0.baseAddress, $0.count)
            }
            if count > 0 { rest = rest.dropFirst(count) }
            if rest.isEmpty {
                loop.remove(sender.raw)
                sender.hangUp()
            }
        }
        let (lines, ending) = try runToEnd()
        #expect(lines.count == 6000)
        #expect(ending == .closedByPeer)
    }

    @Test func aHandlerMayCloseTheChannelBetweenTwoLines() throws {
        var lines = 0
        channel.onLine = { [channel, loop] _ in
            lines += 1
            channel.close()
            loop.stop()
        }
        channel.onEnd = { _ in Issue.record("it did not end by itself") }
        peer.send("one\ntwo\nthree\n")
        try loop.runBriefly()
        #expect(lines == 1)
        #expect(peer.received().isEmpty)
        channel.close()
        channel.onLine = { _ in }
    }

    @Test func aPeerThatIsGoneIsNoFailure() throws {
        peer.hangUp()
        channel.send(Array("hello\n".utf8))
        #expect(try runToEnd().ending == .closedByPeer)
    }

    @Test func drainDeliversWhatHasComeAlready() {
        var lines = 0
        channel.onLine = { _ in lines += 1 }
        peer.send("one\ntwo\n")
        channel.drain()
        #expect(lines == 2)
        channel.drain()
        #expect(lines == 2)
    }

    // MARK: Descriptors

    @Test func aDescriptorRidesOnTheFirstByteOfItsLine() throws {
        let (reading, writing) = try rawPipe()
        defer { close(reading) }
        channel.send(Array("plain\n".utf8))
        channel.send(
            Array("with\n".utf8), descriptor: FileDescriptorBox(FileDescriptor(taking: writing)))
        channel.send(Array("after\n".utf8))

        var text: [UInt8] = []
        var places: [Int] = []
        while text.count < 17 {
            let (bytes, descriptors) = try UnixSocket.receive(
                atMost: 1, takingDescriptors: true, on: peer.raw)
            for descriptor in descriptors {
                places.append(text.count)
                var byte = UInt8(7)
                #expect(write(descriptor, &byte, 1) == 1)
                #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
                close(descriptor)
            }
            text += bytes
        }
        #expect(String(decoding: text, as: UTF8.self) == "plain\nwith\nafter\n")
        #expect(places == [6])
        // The channel has closed its own: with ours the pipe has lost its last writer.
        var byte = UInt8(0)
        #expect(read(reading, &byte, 1) == 1 && byte == 7)
        #expect(read(reading, &byte, 1) == 0)
    }

    @Test func descriptorsAreTakenInTheOrderOfTheirLines() throws {
        let pipes = try (0..<3).map { _ in try rawPipe() }
        defer { for (reading, _) in pipes { close(reading) } }
        for (_, writing) in pipes {
            _ = try UnixSocket.send(Array("line\n".utf8)[...], descriptors: [writing], on: peer.raw)
            close(writing)
        }
        var taken = 0
        channel.onLine = { [channel, loop] _ in
            guard let descriptor = channel.takeDescriptor() else {
                Issue.record("a line came without its descriptor")
                return
            }
            var byte = UInt8(1)
            #expect(write(descriptor.raw, &byte, 1) == 1)
            #expect(read(pipes[taken].0, &byte, 1) == 1)
            taken += 1
            if taken == 3 { loop.stop() }
        }
        try loop.runBriefly()
        #expect(taken == 3)
        let isEmpty = channel.takeDescriptor() == nil
        #expect(isEmpty)
    }

    @Test func descriptorsThatNobodyAskedForDoNotPileUp() throws {
        let (reading, writing) = try rawPipe()
        defer { close(reading) }
        for _ in 0..<40 {
            _ = try UnixSocket.send(Array("x\n".utf8)[...], descriptors: [writing], on: peer.raw)
        }
        close(writing)
        var lines = 0
        channel.onLine = { [loop] _ in
            lines += 1
            if lines == 40 { loop.stop() }
        }
        try loop.runBriefly()
        var kept = 0
        while channel.takeDescriptor() != nil { kept += 1 }
        #expect((1...16).contains(kept))
        // All the others were closed: with those taken, the pipe has no writer left.
        var byte = UInt8(0)
        #expect(read(reading, &byte, 1) == 0)
    }

    @Test func aDescriptorThatIsStillQueuedIsClosedWithTheChannel() throws {
        let (reading, writing) = try rawPipe()
        defer { close(reading) }
        let line = [UInt8](repeating: 0x78, count: 1 << 20) + [0x0A]
        channel.send(line)
        #expect(channel.isBacklogged)
        channel.send(line, descriptor: FileDescriptorBox(FileDescriptor(taking: writing)))
        channel.close()
        var byte = UInt8(0)
        #expect(read(reading, &byte, 1) == 0)
    }
}
