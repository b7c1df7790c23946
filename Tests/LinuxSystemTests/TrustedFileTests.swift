import Glibc
import LinuxSystem
import Testing

@Suite struct TrustedFileTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func problem(_ path: String, limitingMode: UInt32 = 0o022) -> String? {
        do {
            _ = try TrustedFile.open(path, limitingMode: limitingMode)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test(
        arguments: [
            (0o600, nil), (0o644, nil), (0o711, nil), (0o400, nil),
            (0o620, "mode 0620 lets others write it"), (0o602, "mode 0602 lets others write it"),
            (0o666, "mode 0666 lets others write it"),
        ] as [(mode_t, String?)])
    func whatOthersMayWriteIsNotRead(mode: mode_t, expected: String?) throws {
        let path = try directory.write("file", "text", mode: mode)
        #expect(problem(path) == expected)
        if expected == nil, mode & 0o400 != 0 {
            #expect(try TrustedFile.read(path, limit: 9) == Array("text".utf8))
        }
    }

    @Test(
        arguments: [
            (0o600, nil), (0o400, nil), (0o640, "mode 0640 lets others read or write it"),
            (0o604, "mode 0604 lets others read or write it"),
        ] as [(mode_t, String?)])
    func aSecretThatOthersMayReadIsRefused(mode: mode_t, expected: String?) throws {
        let path = try directory.write("key", "secret", mode: mode)
        #expect(problem(path, limitingMode: 0o077) == expected)
    }

    @Test func whatIsNoRegularFileIsRefusedAndHoldsNobodyUp() throws {
        mkfifo(directory.file("fifo"), 0o600)
        #expect(problem(directory.file("fifo")) == "not a regular file")
        #expect(problem(directory.path) == "not a regular file")
        #expect(problem("/dev/null") == "not a regular file")
        #expect(problem(directory.file("absent")) == "No such file or directory")
    }

    @Test func aLinkIsFollowedToAFileThatIsCheckedItself() throws {
        let path = try directory.write("file", "", mode: 0o666)
        symlink("file", directory.file("link"))
        #expect(problem(directory.file("link")) == "mode 0666 lets others write it")
        chmod(path, 0o600)
        #expect(problem(directory.file("link")) == nil)
        #expect(
            throws: TrustedFile.Failure.system(.init("open", directory.file("link"), errno: ELOOP))
        ) {
            _ = try TrustedFile.open(directory.file("link"), flags: O_RDONLY | O_NOFOLLOW)
        }
    }

    @Test func aFileLargerThanAllowedIsNotRead() throws {
        let path = try directory.write("file", String(repeating: "x", count: 100_000))
        #expect(throws: TrustedFile.Failure.system(.init("read", path, errno: EFBIG))) {
            try TrustedFile.read(path, limit: 99_999)
        }
        #expect(try TrustedFile.read(path, limit: 100_000).count == 100_000)
    }

    @Test(
        .enabled(if: geteuid() == 0 && Account.isMapped(uid: 54_321), "needs root"))
    func aFileOfAnotherUserIsRefused() throws {
        let path = try directory.write("file", "", mode: 0o755)
        chown(path, 54_321, 54_321)
        #expect(problem(path) == "belongs to uid 54321, not to root or the caller")
        #expect(throws: TrustedFile.Failure.self) { _ = try TrustedFile.openExecutable(path) }
        #expect(TrustedFile.problem(ofDirectory: directory.path) == nil)
        chown(directory.path, 54_321, 54_321)
        #expect(
            TrustedFile.problem(ofDirectory: directory.path)
                == "belongs to uid 54321, not to root or the caller")
    }

    @Test func aDirectoryThatOthersMayWriteIsRefusedUnlessSticky() throws {
        #expect(TrustedFile.problem(ofDirectory: directory.file("absent")) == nil)
        let file = try directory.write("file", "")
        #expect(TrustedFile.problem(ofDirectory: file) == "not a directory")
        chmod(directory.path, 0o775)
        #expect(
            TrustedFile.problem(ofDirectory: directory.path) == "mode 0775 lets others write it")
        chmod(directory.path, 0o1777)
        #expect(TrustedFile.problem(ofDirectory: directory.path) == nil)
    }

    @Test func anExecutableIsWhatCanBeRun() throws {
        let path = try directory.write("program", "", mode: 0o644)
        #expect(throws: TrustedFile.Failure.unsafe(path: path, problem: "not executable")) {
            _ = try TrustedFile.openExecutable(path)
        }
        chmod(path, 0o711)
        _ = try TrustedFile.openExecutable(path)
        chmod(path, 0o777)
        #expect(throws: TrustedFile.Failure.self) { _ = try TrustedFile.openExecutable(path) }
    }
}
