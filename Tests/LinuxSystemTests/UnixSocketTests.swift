import Glibc
import LinuxSystem
import Testing

@Suite struct UnixSocketTests {
    private let directory: TemporaryDirectory

    init() throws {
        SignalDescriptor.ignoreBrokenPipes()
        directory = try TemporaryDirectory()
    }

    private func socketError(_ body: () throws -> Void) -> CInt? {
        do {
            try body()
            return nil
        } catch {
            return (error as? SystemError)?.errno
        }
    }

    @Test func aLongRootDoesNotBreakSockets() throws {
        var path = directory.path
        while path.utf8.count < 600 { path += "/" + String(repeating: "d", count: 100) }
        try Directory.create(path, mode: 0o700)
        let place = try FileDescriptor.openDirectory(path)
        let listener = try UnixSocket.listen(at: "x.sock", in: place, mode: 0o660)
        #expect(Files.mode("\(path)/x.sock") == 0o660)

        let client = try UnixSocket.connect(to: "x.sock", in: place)
        let accepted = try UnixSocket.accept(on: listener)
        guard let accepted else {
            Issue.record("nothing was accepted")
            return
        }
        try client.write("hello".utf8)
        #expect(try accepted.read(atMost: 9) == Array("hello".utf8))
        let none = try UnixSocket.accept(on: listener) == nil
        #expect(none)
        #expect(fcntl(accepted.raw, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(accepted.raw, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test func theOtherEndIsTheProcessThatItIs() throws {
        let place = try FileDescriptor.openDirectory(directory.path)
        let listener = try UnixSocket.listen(at: "x.sock", in: place, mode: 0o600)
        let client = try UnixSocket.connect(to: "x.sock", in: place)
        let peer = try UnixSocket.peer(of: client)
        #expect(peer.pid == getpid() && peer.uid == geteuid() && peer.gid == getegid())
        let pair = try UnixSocket.pair()
        #expect(try UnixSocket.peer(of: pair.first).pid == getpid())
        _ = listener
    }

    @Test func whatIsInTheWayIsToldApart() throws {
        let place = try FileDescriptor.openDirectory(directory.path)
        #expect(
            socketError { _ = try UnixSocket.connect(to: "x.sock", in: place) } == ENOENT)
        do { _ = try UnixSocket.listen(at: "x.sock", in: place, mode: 0o600) }
        // The file of a listener that is gone leads nowhere, at once, and stays in the way.
        #expect(
            socketError { _ = try UnixSocket.connect(to: "x.sock", in: place) } == ECONNREFUSED)
        #expect(
            socketError { _ = try UnixSocket.listen(at: "x.sock", in: place, mode: 0o600) }
                == EADDRINUSE)
        _ = try directory.write("file", "")
        #expect(
            socketError { _ = try UnixSocket.connect(to: "file", in: place) } == ECONNREFUSED)
        let long = String(repeating: "n", count: 120)
        #expect(
            socketError { _ = try UnixSocket.listen(at: long, in: place, mode: 0o600) }
                == ENAMETOOLONG)
    }

    @Test func aListenerThatDoesNotAcceptHoldsNobodyUp() throws {
        let place = try FileDescriptor.openDirectory(directory.path)
        let listener = try UnixSocket.listen(at: "x.sock", in: place, mode: 0o600)
        var clients: [FileDescriptorBox] = []
        var failure: CInt?
        while failure == nil, clients.count < 1000 {
            failure = socketError {
                clients.append(
                    FileDescriptorBox(try UnixSocket.connect(to: "x.sock", in: place)))
            }
        }
        #expect(failure == EAGAIN)
        _ = listener
    }
}

@Suite final class LineClientTests {
    private let client: LineClient
    private let peer: FileDescriptor

    init() throws {
        SignalDescriptor.ignoreBrokenPipes()
        // Blocking ends, as of a socket pair that a child inherits.
        let (first, second) = try socketPair()
        client = LineClient(FileDescriptor(taking: first))
        peer = FileDescriptor(taking: second)
    }

    private func elapsed(_ body: () throws -> Void) throws -> Int64 {
        let before = Clock.monotonicNanoseconds
        try body()
        return (Clock.monotonicNanoseconds - before) / 1_000_000
    }

    @Test func answersComeLineByLine() throws {
        try peer.write("one\ntwo\nhal".utf8)
        #expect(try client.receive(until: .never) == .line(Array("one".utf8)))
        #expect(try client.receiveIfReady() == .line(Array("two".utf8)))
        #expect(try client.receiveIfReady() == nil)
        try peer.write("f\n".utf8)
        #expect(try client.receive(until: .never) == .line(Array("half".utf8)))
    }

    @Test func aPeerThatIsSilentIsWaitedForUpToTheDeadlineAndNoLonger() throws {
        try peer.write("half a line".utf8)
        let time = try elapsed { () throws in
            #expect(try client.receive(until: .after(milliseconds: 50)) == .timedOut)
        }
        #expect((45..<5000).contains(time))
        #expect(try client.receive(until: .after(milliseconds: -1)) == .timedOut)
    }

    @Test func aPeerThatHangsUpIsNoTimeOut() throws {
        try peer.write("last\nhalf".utf8)
        shutdown(peer.raw, CInt(SHUT_RDWR))
        #expect(try client.receive(until: .never) == .line(Array("last".utf8)))
        #expect(try client.receive(until: .never) == .closed)
        #expect(try client.receive(until: .never) == .closed)
        #expect(throws: SystemError("sendmsg", errno: EPIPE)) { try client.send([0x0A]) }
    }

    @Test func aPeerThatDoesNotReadIsWrittenToUpToTheDeadline() throws {
        let line = [UInt8](repeating: 0x78, count: 4 << 20)
        let time = try elapsed { () throws in
            #expect(throws: SystemError("sendmsg", errno: EAGAIN)) {
                try client.send(line, until: .after(milliseconds: 50))
            }
        }
        #expect((45..<5000).contains(time))
    }

    @Test func whatIsSentComesWhole() throws {
        try client.send(Array("question\n".utf8))
        #expect(try peer.read(atMost: 99) == Array("question\n".utf8))
    }

    @Test func ofSeveralDescriptorsThoseThatAreReadyAreAnswered() throws {
        let (reading, writing) = try rawPipe()
        defer { close(reading); close(writing) }
        let both: [(CInt, EventLoop.Interest)] = [(client.raw, .readable), (reading, .readable)]
        #expect(try LineClient.wait(for: both, until: .after(milliseconds: 5)).isEmpty)
        var byte = UInt8(0)
        write(writing, &byte, 1)
        #expect(try LineClient.wait(for: both, until: .never) == [reading])
        #expect(try LineClient.wait(for: [(writing, .writable)], until: .never) == [writing])
    }
}

@Suite struct DeadlineTests {
    @Test func whatIsLeftIsRoundedUp() {
        let deadline = Deadline.after(milliseconds: 1000)
        #expect((1...1000).contains(deadline.remainingMilliseconds) && !deadline.hasPassed)
        #expect(Deadline.after(milliseconds: 0).hasPassed)
        #expect(Deadline.after(milliseconds: -1).remainingMilliseconds == 0)
        #expect(Deadline.never.remainingMilliseconds == -1 && !Deadline.never.hasPassed)
    }

    @Test(arguments: [Int64.max, .max / 1_000_000, 1 << 41, .min])
    func theFarthestDeadlineDoesNotOverflow(milliseconds: Int64) {
        let deadline = Deadline.after(milliseconds: milliseconds)
        #expect(deadline.hasPassed == (milliseconds < 0))
    }
}
