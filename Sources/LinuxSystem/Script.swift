import Glibc

/// A file that begins with `#!`: the kernel runs its interpreter, which opens it again.
package struct Script: Equatable, Sendable {
    /// The program that runs it.
    package let interpreter: String
    private let mode: UInt32

    /// The longest first line that the kernel looks at (BINPRM_BUF_SIZE).
    private static let longestLine = 256

    /// Looks whether a file is a script; one that this user may not read counts as none.
    package init?(at path: String) {
        guard let file = try? FileDescriptor.open(path, O_RDONLY | O_NONBLOCK),
            let status = try? file.status(path),
            let head = try? file.read(atMost: Self.longestLine), head.starts(with: "#!".utf8)
        else { return nil }
        let line = head.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
        let word = line.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            .prefix { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        interpreter = String(decoding: word, as: UTF8.self)
        mode = status.st_mode
    }

    /// What keeps the script from running as a user without privileges; `nil` when nothing does.
    ///
    /// The kernel itself would say that the script does not exist where its interpreter does not.
    package var problem: String? {
        guard access(interpreter, X_OK) == 0 else {
            let failure = errno
            return "its interpreter \(interpreter): \(SystemError.reason(of: failure))"
        }
        guard mode & 0o004 != 0 else {
            return "mode 0\(String(mode & 0o7777, radix: 8)) keeps its interpreter from reading it"
        }
        return nil
    }
}
