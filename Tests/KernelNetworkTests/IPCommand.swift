// Foundation's reader is independent of the one under test, and ip(8) of the code under test.
import FoundationEssentials
import Glibc

/// The ip(8) command, as a second opinion on what the kernel holds.
enum IPCommand {
    struct Failure: Error {
        let arguments: [String]
        let status: CInt
    }

    /// A link as `ip -details -statistics -json link` prints it.
    struct Link: Decodable {
        struct Counters: Decodable {
            struct Direction: Decodable {
                let bytes: UInt64
                let packets: UInt64
                let errors: UInt64
                let dropped: UInt64
            }

            let rx: Direction
            let tx: Direction
        }

        let ifindex: UInt32
        let ifname: String
        let flags: Set<String>
        let mtu: UInt32
        let ifalias: String?
        let inet6_addr_gen_mode: String?
        let stats64: Counters
    }

    static func link(_ name: String) throws -> Link {
        let output = try run("-details", "-statistics", "-json", "link", "show", "dev", name)
        let links = try JSONDecoder().decode([Link].self, from: Data(output.utf8))
        guard let link = links.first else { throw Failure(arguments: [name], status: 0) }
        return link
    }

    @discardableResult
    static func run(_ arguments: String...) throws -> String { try run(arguments) }

    @discardableResult
    static func run(_ arguments: [String]) throws -> String {
        var pipe: [CInt] = [-1, -1]
        guard Glibc.pipe(&pipe) == 0 else { throw Failure(arguments: ["pipe"], status: errno) }
        for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(pipe[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO)

        var argv = (["ip"] + arguments).map { strdup($0) } + [nil]
        defer { argv.forEach { free($0) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var child: pid_t = 0
        let spawned = posix_spawnp(&child, "ip", &actions, nil, &argv, &environment)
        close(pipe[1])
        guard spawned == 0 else { throw Failure(arguments: arguments, status: spawned) }

        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(pipe[0], &buffer, buffer.count)
            guard count > 0 else { break }
            output += buffer.prefix(count)
        }
        var status: CInt = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
        guard status == 0 else { throw Failure(arguments: arguments, status: status) }
        return String(decoding: output, as: UTF8.self)
    }
}
