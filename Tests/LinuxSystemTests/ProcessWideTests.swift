import Glibc
import Testing

@testable import LinuxSystem

/// What changes the whole process is tested in one of its own.
@Suite struct ProcessWideTests {
    @Test func signalsAreReadInsteadOfEndingTheProcess() async {
        await #expect(processExitsWith: .success) {
            let signals = try SignalDescriptor([SIGTERM, SIGUSR1])
            let none = try signals.next()
            #expect(none == nil)
            raise(SIGTERM)
            let ready = try LineClient.wait(
                for: [(signals.descriptor.raw, .readable)], until: .after(milliseconds: 5000))
            #expect(ready == [signals.descriptor.raw])
            raise(SIGUSR1)
            let received = Set([try signals.next(), try signals.next()])
            #expect(received == [SIGTERM, SIGUSR1])
            let after = try signals.next()
            #expect(after == nil)
        }
        await #expect(processExitsWith: .signal(SIGUSR2)) {
            _ = try SignalDescriptor([SIGTERM])
            // Raised, it would wait: the threads of the pool block all signals.
            kill(getpid(), SIGUSR2)
            sleep(5)
        }
    }

    @Test func aClosedPipeIsAnErrorAndNotTheEndOfTheProcess() async {
        await #expect(processExitsWith: .success) {
            SignalDescriptor.ignoreBrokenPipes()
            let (reading, writing) = try rawPipe()
            close(reading)
            let pipe = FileDescriptor(taking: writing)
            #expect(throws: SystemError("write", errno: EPIPE)) { try pipe.write([1]) }
        }
    }

    @Test func theServiceManagerIsToldAtItsPathOrItsAbstractAddress() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            #expect(!ServiceNotifier().isPresent)
            ServiceNotifier().send(["READY=1"])

            let directory = try TemporaryDirectory()
            let abstract = "@LinuxSystemTests.\(getpid())"
            for address in [directory.file("notify"), abstract] {
                setenv("NOTIFY_SOCKET", address, 1)
                let notifier = ServiceNotifier()
                #expect(notifier.isPresent)
                // One that does not listen is no error.
                notifier.send(["READY=1"])
                let listener = try datagramSocket(at: address)
                notifier.send(["READY=1", "STATUS=connected"])
                let text = try listener.read(atMost: 999)
                #expect(String(decoding: text, as: UTF8.self) == "READY=1\nSTATUS=connected")
            }
            setenv("NOTIFY_SOCKET", "/" + String(repeating: "x", count: 200), 1)
            ServiceNotifier().send(["READY=1"])
        }
    }

    @Test func neitherChildrenNorChannelsLeakDescriptors() async {
        await #expect(processExitsWith: .success) {
            SignalDescriptor.ignoreBrokenPipes()
            let directory = try TemporaryDirectory()
            func openDescriptors() throws -> Int { try Directory.names("/proc/self/fd").count }
            try useEverything(directory, 2)
            let before = try openDescriptors()
            try useEverything(directory, 30)
            let after = try openDescriptors()
            #expect(after == before)
            // The probe must not be blind.
            let one = dup(0)
            let more = try openDescriptors()
            #expect(more == before + 1)
            close(one)
        }
    }

    @Test func aFailedLaunchLeavesNoZombie() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let path = try directory.write("program", "no program", mode: 0o755)
            for _ in 0..<5 {
                let failure = try Child.failure(path)
                #expect(failure?.stage == .exec)
            }
            let status = waitpid(-1, nil, WNOHANG)
            #expect(status == -1)
        }
    }
}

/// Uses what opens descriptors so many times.
private func useEverything(_ directory: TemporaryDirectory, _ times: Int) throws {
    let loop = try EventLoop()
    let program = try directory.write("garbage", "no program", mode: 0o755)
    for _ in 0..<times {
        _ = try Child.shell("exit 0")
        _ = try Child.failure(program)
        let (first, second) = try socketPair()
        let channel = try LineChannel(
            FileDescriptor(taking: first), on: loop, longestLine: 9, takesDescriptors: true)
        let (reading, writing) = try rawPipe()
        channel.send(
            Array("x\n".utf8), descriptor: FileDescriptorBox(FileDescriptor(taking: writing)))
        _ = try UnixSocket.send([0x0A], descriptors: [reading], on: second)
        close(reading)
        channel.drain()
        close(second)
        try useFiles(directory)
    }
}

private func useFiles(_ directory: TemporaryDirectory) throws {
    try AtomicFile.replace(directory.file("file"), with: [1], mode: 0o600, isDurable: false)
    _ = try? AtomicFile.replace(directory.path, with: [1], mode: 0o600)
    _ = try FileLock.take(directory.file("lock"), mode: 0o600, group: nil)
    _ = try FileLock.isHeld(directory.file("lock"))
    _ = try TrustedFile.read(directory.file("file"), limit: 9)
    _ = try? TrustedFile.open(directory.path)
    let place = try FileDescriptor.openDirectory(directory.path)
    unlink(directory.file("sock"))
    let listener = try UnixSocket.listen(at: "sock", in: place, mode: 0o600)
    _ = try UnixSocket.connect(to: "sock", in: place)
    _ = try UnixSocket.accept(on: listener)
    _ = try? UnixSocket.listen(at: "sock", in: place, mode: 0o600)
    _ = try DirectoryWatch()
    _ = try OtherProcess(pid: getpid())
}

/// A datagram socket as a service manager listens at.
private func datagramSocket(at address: String) throws -> FileDescriptor {
    let raw = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(address.utf8)
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
    let length = MemoryLayout<sa_family_t>.size + bytes.count
    let failure = withUnsafePointer(to: &name) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(raw, $0, socklen_t(length))
        }
    }
    guard failure == 0 else { throw SystemError("bind", address, errno: errno) }
    return FileDescriptor(taking: raw)
}
