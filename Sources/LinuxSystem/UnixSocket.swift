import CLinux
import Glibc

/// Unix stream sockets, addressed through a descriptor of their directory, so that the
/// length of the directory's own path never counts against `sun_path`.
package enum UnixSocket {
    /// The process at the other end: SO_PEERCRED.
    package struct Peer: Equatable, Sendable {
        package let pid: Int32
        package let uid: UInt32
        package let gid: UInt32
    }

    /// Two connected sockets, blocking, close-on-exec; the first takes no descriptors.
    ///
    /// Corresponds to `socketpair(2)`.
    package static func pair() throws(SystemError) -> SocketPair {
        var raw: (CInt, CInt) = (-1, -1)
        try checkShim("socketpair") {
            withUnsafeMutablePointer(to: &raw) { pointer in
                pointer.withMemoryRebound(to: CInt.self, capacity: 2) { ut_socket_pair($0) }
            }
        }
        ut_socket_refuse_descriptors(raw.0)
        return SocketPair(
            first: FileDescriptor(taking: raw.0), second: FileDescriptor(taking: raw.1))
    }

    /// Listens at `name` in `directory`, with `mode`; a file in the way is EADDRINUSE.
    package static func listen(
        at name: String,
        in directory: borrowing FileDescriptor,
        mode: UInt32
    ) throws(SystemError) -> FileDescriptor {
        let raw = try checkShim("socket", name) { ut_unix_socket(CInt(SOCK_STREAM.rawValue), true) }
        let socket = FileDescriptor(taking: raw)
        let place = directory.raw
        try checkShim("bind", name) { ut_unix_bind(raw, place, name) }
        ut_socket_refuse_descriptors(raw)
        // Before listen(2) nobody can connect, so that the mode is right from the start.
        _ = try check("chmod", name) { fchmodat(place, name, mode, 0) }
        _ = try check("listen", name) { Glibc.listen(raw, 128) }
        return socket
    }

    /// Connects to `name` in `directory`; the connection does not block.
    package static func connect(
        to name: String,
        in directory: borrowing FileDescriptor
    ) throws(SystemError) -> FileDescriptor {
        let raw = try checkShim("socket", name) { ut_unix_socket(CInt(SOCK_STREAM.rawValue), true) }
        let socket = FileDescriptor(taking: raw)
        let place = directory.raw
        try checkShim("connect", name) { ut_unix_connect(raw, place, name) }
        return socket
    }

    /// A socket whose datagrams go to a path, or to an abstract name with `@` before it.
    package static func datagrams(to address: String, waits: Bool = true) throws(SystemError)
        -> FileDescriptor
    {
        let raw = try checkShim("socket", address) {
            ut_unix_socket(CInt(SOCK_DGRAM.rawValue), !waits)
        }
        let socket = FileDescriptor(taking: raw)
        try checkShim("connect", address) { ut_unix_connect(raw, -1, address) }
        return socket
    }

    /// The next connection, which does not block, or `nil` when none waits.
    package static func accept(on listener: borrowing FileDescriptor) throws(SystemError)
        -> FileDescriptor?
    {
        let raw = listener.raw
        do throws(SystemError) {
            return FileDescriptor(taking: try checkShim("accept") { ut_unix_accept(raw) })
        } catch {
            // ECONNABORTED: it went away between its connect and our accept.
            if error.errno == EAGAIN || error.errno == ECONNABORTED { return nil }
            throw error
        }
    }

    /// Who is at the other end; for a client of a listener, who called `listen(2)`.
    package static func peer(of socket: borrowing FileDescriptor) throws(SystemError) -> Peer {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        let raw = socket.raw
        try checkShim("getsockopt") { ut_socket_peer(raw, &pid, &uid, &gid) }
        return Peer(pid: pid, uid: uid, gid: gid)
    }

    /// Sends bytes, descriptors on the first of them; answers how many bytes went.
    static func send(_ bytes: ArraySlice<UInt8>, descriptors: [CInt], on raw: CInt)
        throws(SystemError) -> Int
    {
        try checkShim("sendmsg") {
            bytes.withUnsafeBytes { buffer in
                ut_socket_send(
                    raw, buffer.baseAddress, buffer.count, descriptors, descriptors.count)
            }
        }
    }

    /// Receives bytes (none: the other end has closed), and descriptors where they are taken.
    static func receive(
        atMost count: Int,
        takingDescriptors: Bool = false,
        on raw: CInt
    ) throws(SystemError) -> (bytes: [UInt8], descriptors: [CInt]) {
        var descriptors = [CInt](repeating: -1, count: takingDescriptors ? 16 : 0)
        var came = 0
        let bytes = try [UInt8](from: "recvmsg", capacity: count) { room in
            came = descriptors.count
            return ut_socket_receive(raw, room, count, &descriptors, &came)
        }
        return (bytes, Array(descriptors.prefix(came)))
    }
}

/// The two ends of a `socketpair(2)`.
@frozen
package struct SocketPair: ~Copyable {
    package let first: FileDescriptor
    package let second: FileDescriptor

    /// Keeps the first end and closes the second, which a child has inherited.
    package consuming func keepFirst() -> FileDescriptor { first }
}
