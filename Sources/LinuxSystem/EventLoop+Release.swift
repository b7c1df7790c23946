internal import CLinux

extension EventLoop {
    /// Lets go of the code and constants that are in memory, in half a second.
    ///
    /// After a start they are mostly such as are never used again (parsers, a cipher's
    /// self-tests); what is needed still comes back from the page cache. Corresponds to
    /// `MADV_DONTNEED` of madvise(2).
    package func releaseStart() {
        schedule(milliseconds: 500) { ut_program_release() }
    }
}
