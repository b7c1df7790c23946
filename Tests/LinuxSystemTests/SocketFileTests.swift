import Glibc
import LinuxSystem
import Testing

/// Whose a socket file is, and whether anybody listens at it.
@Suite struct SocketFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var path: String { directory.file("a.sock") }

    private func listen() throws -> FileDescriptor {
        try UnixSocket.listen(
            at: "a.sock", in: try FileDescriptor.openDirectory(directory.path), mode: 0o600)
    }

    @Test func tellsTheLivingFromTheDead() throws {
        #expect(SocketFile.look(at: path) == .nothing)
        #expect(SocketFile.look(at: "\(path)/none/there") == .nothing)
        let listener = try listen()
        let file = try SocketFile(at: path)
        #expect(SocketFile.look(at: path) == .living(file))
        _ = Glibc.close(listener.release())
        #expect(SocketFile.look(at: path) == .stale(file))
        #expect(try file.remove())
        #expect(SocketFile.look(at: path) == .nothing)
        #expect(try !file.remove())
    }

    @Test func aFullQueueIsSomebodys() throws {
        let listener = try listen()
        Glibc.listen(listener.raw, 0)
        var waiting: [FileDescriptorBox] = []
        let place = try FileDescriptor.openDirectory(directory.path)
        while let next = try? UnixSocket.connect(to: "a.sock", in: place) {
            waiting.append(FileDescriptorBox(next))
            try #require(waiting.count < 100)
        }
        #expect(SocketFile.look(at: path) == .living(try SocketFile(at: path)))
    }

    @Test func whatIsNoSocketIsSomethingElse() throws {
        #expect(mkdir(path, 0o700) == 0)
        #expect(SocketFile.look(at: path) == .other)
        #expect(rmdir(path) == 0)
        #expect(symlink("/nowhere", path) == 0)
        #expect(SocketFile.look(at: path) == .other)
    }

    @Test func anotherSocketOfTheSamePathIsNotRemoved() throws {
        let first = try listen()
        let file = try SocketFile(at: path)
        // Kept open, so that its inode is not given to the next.
        #expect(link(path, "\(path).old") == 0)
        #expect(unlink(path) == 0)
        let second = try listen()
        #expect(try !file.remove())
        #expect(SocketFile.look(at: path) == .living(try SocketFile(at: path)))
        withExtendedLifetime((first.raw, second.raw)) {}
    }
}
