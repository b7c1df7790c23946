import Glibc

extension UnixSocket {
    /// Takes over a socket that the parent process left at a known number; `nil` when there
    /// is none, or something that is no unix socket.
    package static func inherited(at number: CInt) -> FileDescriptor? {
        var domain: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        guard getsockopt(number, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0,
            domain == AF_UNIX
        else { return nil }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        return FileDescriptor(taking: number)
    }
}
