import Glibc

/// The terminal that standard input is, if it is one.
package struct Terminal: ~Copyable {
    private var modes: termios

    /// Whether standard input is a terminal.
    ///
    /// Corresponds to `isatty(3)`.
    package static var isStandardInput: Bool { isatty(STDIN_FILENO) == 1 }

    /// Whether standard output is a terminal.
    ///
    /// Corresponds to `isatty(3)`.
    package static var isStandardOutput: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal.
    ///
    /// Corresponds to `isatty(3)`.
    package static var isStandardError: Bool { isatty(STDERR_FILENO) == 1 }

    /// Stops what is typed from being shown, until this goes.
    ///
    /// Corresponds to `tcsetattr(3)`.
    package init() throws(SystemError) {
        modes = termios()
        var found = modes
        _ = try check("tcgetattr") { tcgetattr(STDIN_FILENO, &found) }
        modes = found
        found.c_lflag &= ~tcflag_t(ECHO)
        // What was typed ahead was shown, and belongs to something else.
        _ = try check("tcsetattr") { tcsetattr(STDIN_FILENO, TCSAFLUSH, &found) }
    }

    /// The line that was typed, without waiting for the end of input.
    package borrowing func readLine() throws(SystemError) -> [UInt8] {
        let descriptor = FileDescriptor(taking: STDIN_FILENO)
        do throws(SystemError) {
            // In canonical mode, which this leaves alone, one call returns one line.
            let line = try descriptor.read(atMost: Self.longestLine)
            _ = descriptor.release()
            return line
        } catch {
            _ = descriptor.release()
            throw error
        }
    }

    /// What the kernel keeps of a line (MAX_CANON of termios(3)).
    private static let longestLine = 4096

    deinit {
        var former = modes
        tcsetattr(STDIN_FILENO, TCSADRAIN, &former)
    }
}
