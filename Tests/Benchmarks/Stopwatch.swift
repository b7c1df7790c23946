import Glibc
import LinuxSystem
import TestSupport

/// Times programs from their start to their end.
enum Stopwatch {
    /// The milliseconds that a program takes; one that fails is an error.
    static func run(_ arguments: [String]) throws -> Double {
        let words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: CInt in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var pid: pid_t = 0
        var status: CInt = 0
        // The cheapest start there is (it shares memory until exec): a dearer one would be in
        // both sides of each ratio, and flatter it.
        let start = Clock.monotonicNanoseconds
        guard posix_spawn(&pid, arguments[0], &actions, nil, words, environ) == 0 else {
            throw Unexpected("\(arguments) cannot be started")
        }
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        let elapsed = Double(Clock.monotonicNanoseconds - start) / 1e6
        guard status == 0 else { throw Unexpected("\(arguments) failed") }
        return elapsed
    }
}
