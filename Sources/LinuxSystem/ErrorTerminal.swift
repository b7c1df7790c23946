import Glibc

/// The terminal that standard error is, if it is one.
package enum ErrorTerminal {
    /// Whether lines can be rewritten there.
    ///
    /// Corresponds to `isatty(3)`; a terminal without a name, or a dumb one, can't.
    package static var canRewriteLines: Bool {
        guard isatty(STDERR_FILENO) == 1, let name = getenv("TERM") else { return false }
        return !["", "dumb"].contains(String(cString: name))
    }

    /// How many columns it has.
    ///
    /// Corresponds to `ioctl(TIOCGWINSZ)`.
    package static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}
