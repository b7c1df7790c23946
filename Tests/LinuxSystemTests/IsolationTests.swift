import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite(.enabled(if: Child.isPrivileged, "needs root, to change to another user"))
struct IsolationTests {
    private static func isolation(
        hasOwnNetwork: Bool = true,
        user: Account.User? = Child.user
    ) -> ChildProcess.Isolation {
        .init(hasOwnNetwork: hasOwnNetwork, user: user, livenessDescriptor: 3)
    }

    private let ours: CInt
    private let theirs: CInt

    init() throws {
        (ours, theirs) = try socketPair()
    }

    private func run(
        _ script: String,
        _ isolation: ChildProcess.Isolation = Self.isolation()
    ) throws -> ChildResult {
        defer { close(ours); close(theirs) }
        return try Child.shell(script, further: [theirs], isolation: isolation)
    }

    @Test func nothingOfTheHostsPrivilegesIsLeft() throws {
        let result = try run("exec cat /proc/self/status")
        #expect(result.exit == .status(0))
        #expect(result.value("Uid") == "61117 61117 61117 61117")
        #expect(result.value("Gid") == "61118 61118 61118 61118")
        #expect(result.value("Groups") == "")
        for key in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            #expect(result.value(key) == "0000000000000000", "\(key)")
        }
        #expect(result.value("NoNewPrivs") == "1")
        // Its number outside, and 1 in its own PID namespace.
        #expect(result.value("NSpid")?.split(separator: " ").last == "1")
    }

    @Test func itMayKeepMemoryOutOfTheSwap() async {
        close(ours)
        close(theirs)
        await #expect(processExitsWith: .success) {
            let resource = __rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue)
            var limit = rlimit()
            #expect(getrlimit(resource, &limit) == 0)
            limit.rlim_cur = 65_536
            #expect(setrlimit(resource, &limit) == 0)
            let (_, theirs) = try socketPair()
            var isolation = Self.isolation()
            isolation.lockableBytes = 128 << 10
            let result = try Child.shell("ulimit -l", further: [theirs], isolation: isolation)
            #expect(result.output == "128\n")
        }
    }

    @Test func groupsOfTheHostAreNotInherited() async {
        close(ours)
        close(theirs)
        await #expect(processExitsWith: .success) {
            let groups: [gid_t] = [54_321, 54_322]
            setgroups(groups.count, groups)
            let plain = try Child.run("/bin/cat", ["/proc/self/status"])
            #expect(plain.value("Groups") == "54321 54322")
            let (_, theirs) = try socketPair()
            let result = try Child.run(
                "/bin/cat", ["/proc/self/status"], further: [theirs],
                isolation: Self.isolation())
            #expect(result.value("Groups") == "")
        }
    }

    @Test func aUserThatStaysKeepsNoCapabilityEither() throws {
        let result = try run("exec cat /proc/self/status", Self.isolation(user: nil))
        #expect(result.value("Uid")?.hasPrefix("\(geteuid()) ") == true)
        for key in ["CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            #expect(result.value(key) == "0000000000000000", "\(key)")
        }
        #expect(result.value("NoNewPrivs") == "1")
    }

    @Test func namespacesAreItsOwnAndTheNetworkIsEmpty() throws {
        let script = """
            for n in net ipc pid mnt; do readlink /proc/self/ns/$n; done; echo $$
            exec tail -n +3 /proc/self/net/dev
            """
        let lines = try run(script).lines
        let own = ["net", "ipc", "pid", "mnt"].map { Directory.linkTarget("/proc/self/ns/\($0)") }
        try #require(lines.count == 6)
        for index in 0..<3 { #expect(lines[index] != own[index]) }
        #expect(lines[3] == own[3])
        #expect(lines[4] == "1")
        #expect(lines[5].contains("lo:"))
    }

    @Test func theNetworkOfTheHostIsLeftToAProviderThatNeedsIt() throws {
        let lines = try run(
            "readlink /proc/self/ns/net; readlink /proc/self/ns/ipc",
            Self.isolation(hasOwnNetwork: false)
        ).lines
        #expect(lines.first == Directory.linkTarget("/proc/self/ns/net"))
        #expect(lines.last != Directory.linkTarget("/proc/self/ns/ipc"))
    }

    @Test func noCoreIsLeftAndPrivilegesDoNotComeBack() throws {
        let script = """
            ulimit -Hc; ulimit -Sc; (ulimit -c 1) 2>/dev/null || echo refused
            cat /etc/shadow >/dev/null 2>&1 || echo closed
            """
        #expect(try run(script).lines == ["0", "0", "refused", "closed"])
    }

    @Test func aChildWhoseParentIsGoneAlreadyDoesNotStart() throws {
        close(ours)
        defer { close(theirs) }
        let failure = try Child.failure(
            "/bin/true", further: [theirs], isolation: Self.isolation())
        #expect(failure?.stage == .parent)
        #expect(failure?.error.errno == ESRCH)
    }

    @Test func aChildDiesWithTheThreadThatIsItsParent() throws {
        defer { close(ours); close(theirs) }
        // PDEATHSIG follows the thread: its end is what the end of a parent is.
        let holder = ChildHolder()
        let theirs = theirs
        let thread = OtherThread {
            let executable = try FileDescriptor.open("/bin/sleep", O_RDONLY)
            holder.child = try ChildProcess.launch(
                executable: executable, name: "sleep", arguments: ["sleep", "100"],
                environment: [], descriptors: [nil, nil, nil, theirs],
                isolation: Self.isolation())
            // The probe must not be blind: the child lives as long as the thread does.
            usleep(50_000)
            let exit = try holder.reap()
            #expect(exit == nil)
        }
        try thread.join()
        #expect(try holder.wait() == .signal(SIGKILL))
    }

    @Test func aChildDiesWithTheProcessThatIsItsParent() async throws {
        close(ours)
        close(theirs)
        let directory = try TemporaryDirectory()
        let path = directory.file("pid")
        await #expect(processExitsWith: .success) { [path = path as String] in
            let (_, theirs) = try socketPair()
            let executable = try FileDescriptor.open("/bin/sleep", O_RDONLY)
            let child = try ChildProcess.launch(
                executable: executable, name: "sleep", arguments: ["sleep", "100"],
                environment: [], descriptors: [nil, nil, nil, theirs],
                isolation: Self.isolation())
            let isAlive = try child.reap() == nil
            #expect(isAlive)
            try AtomicFile.replace(path, with: Array("\(child.pid)".utf8), mode: 0o600)
        }
        let pid = try Files.text(path)
        let deadline = Deadline.after(milliseconds: 5000)
        // Whoever inherited it may not have reaped it yet: a zombie is dead as well.
        func isAlive() -> Bool {
            guard let stat = try? Files.text("/proc/\(pid)/stat") else { return false }
            return !stat.contains(") Z ") && !stat.contains(") X ")
        }
        while isAlive(), !deadline.hasPassed { usleep(2000) }
        #expect(!isAlive())
    }
}

/// A child in a place that two threads reach, one after the other.
private final class ChildHolder: @unchecked Sendable {
    // Safe: the thread that writes it is joined before another reads it.
    var child: ChildProcess?

    func reap() throws -> ChildProcess.Exit? {
        guard let child = child.take() else { return nil }
        let exit = try child.reap()
        self.child = consume child
        return exit
    }

    func wait() throws -> ChildProcess.Exit? {
        guard let child = child.take() else { return nil }
        return try Child.wait(for: child)
    }
}
