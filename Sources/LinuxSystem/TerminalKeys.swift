import Glibc

/// The keys of the terminal that standard input is, one by one and unseen, until this goes.
///
/// Those that send signals still send them.
package struct TerminalKeys: ~Copyable {
    private var former: termios

    /// Corresponds to `tcsetattr(3)`.
    package init() throws(SystemError) {
        former = termios()
        var modes = former
        _ = try check("tcgetattr") { tcgetattr(STDIN_FILENO, &modes) }
        former = modes
        modes.c_lflag &= ~tcflag_t(ECHO | ICANON)
        // Output that ^S stops would hold up the end by a signal too.
        modes.c_iflag &= ~tcflag_t(IXON)
        // A read answers at once, with what there is.
        withUnsafeMutableBytes(of: &modes.c_cc) { bytes in
            bytes[Int(VMIN)] = 0
            bytes[Int(VTIME)] = 0
        }
        _ = try check("tcsetattr") { tcsetattr(STDIN_FILENO, TCSANOW, &modes) }
    }

    /// What was typed since; `nil` once the terminal is gone.
    package borrowing func read() -> [UInt8]? {
        let descriptor = FileDescriptor(taking: STDIN_FILENO)
        let bytes = try? descriptor.read(atMost: 64)
        _ = descriptor.release()
        return bytes
    }

    deinit {
        var modes = former
        // Not after what is still to be printed: a terminal that is stuck must not hold this up.
        tcsetattr(STDIN_FILENO, TCSANOW, &modes)
    }
}

/// How many characters a terminal shows.
package struct TerminalSize: Equatable, Sendable {
    package let columns: Int
    package let rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The size of the terminal that standard output is; `nil` where it is none, or does not know.
    ///
    /// Corresponds to `ioctl(TIOCGWINSZ)`.
    package static var ofStandardOutput: TerminalSize? { TerminalSize(of: STDOUT_FILENO) }

    /// The size of the terminal that standard error is.
    package static var ofStandardError: TerminalSize? { TerminalSize(of: STDERR_FILENO) }

    private init?(of descriptor: CInt) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        self.init(columns: Int(size.ws_col), rows: max(1, Int(size.ws_row)))
    }
}
