import Glibc
import TestSupport

/// A session host that is killed before one thing that it does to the world: by strace, so that
/// nothing in the program has to know of it.
struct KillPoint: CustomStringConvertible {
    /// The calls by which a process changes anything outside of itself; clones are children.
    static let calls = [
        "sendto", "sendmsg", "ioctl", "bind", "write", "rename,renameat", "unlink,unlinkat",
        "mkdir", "vfork", "clone", "clone3", "mount", "setns",
    ]

    let call: String
    /// Which call of that name, counted from 1.
    let number: Int

    /// Starts the host of a configuration, which is killed when it comes to the point.
    func start(_ site: Installation, _ name: String) throws -> Command {
        try Command(command(site.command(["start", "--foreground", name])))
    }

    /// A command that is killed when it comes to the point.
    func command(_ command: [String]) -> [String] {
        [
            "strace", "-qq", "-o", "/dev/null", "-e", "trace=\(call)",
            "-e", "inject=\(call):signal=KILL:when=\(number)",
        ] + command
    }

    var description: String { "\(call) \(number)" }
}
