internal import CAres
internal import Glibc
internal import LinuxSystem
internal import TunnelModel

/// The sockets that the host has handed out; c-ares opens none of its own.
final class SocketPool {
    private struct Entry {
        let socket: FileDescriptorBox
        let family: CInt
        let type: CInt
        var isInUse = false
    }

    private var entries: [CInt: Entry] = [:]

    /// Takes over sockets; what is no internet socket is closed and never handed out.
    init(_ numbers: [Int]) {
        for number in Set(numbers) {
            guard let raw = CInt(exactly: number), raw > 3 else { continue }
            let socket = FileDescriptorBox(FileDescriptor(taking: raw))
            // The kernel knows family and type better than a list does.
            guard let family = Self.option(SO_DOMAIN, of: raw),
                let type = Self.option(SO_TYPE, of: raw),
                family == AF_INET || family == AF_INET6,
                fcntl(raw, F_SETFL, O_NONBLOCK) == 0
            else { continue }
            entries[raw] = Entry(socket: socket, family: family, type: type)
        }
    }

    /// The functions by which c-ares uses the pool, whose address is their `data`.
    static var functions: ares_socket_functions {
        ares_socket_functions(
            asocket: { family, type, _, data in SocketPool.from(data).take(family, type) },
            aclose: { raw, data in SocketPool.from(data).giveBack(raw) },
            aconnect: { raw, address, length, _ in connect(raw, address, length) },
            arecvfrom: { raw, buffer, count, flags, address, length, _ in
                SocketPool.receive(raw, buffer, count, flags, address, length)
            },
            asendv: { raw, vectors, count, _ in writev(raw, vectors, count) })
    }

    private static func from(_ data: UnsafeMutableRawPointer?) -> SocketPool {
        guard let data else { preconditionFailure("c-ares forgot the pool") }
        return Unmanaged<SocketPool>.fromOpaque(data).takeUnretainedValue()
    }

    private func take(_ family: CInt, _ type: CInt) -> CInt {
        let free = entries.filter {
            !$0.value.isInUse && $0.value.family == family && $0.value.type == type
        }
        guard let raw = free.keys.min() else {
            errno = EMFILE
            return -1
        }
        entries[raw]?.isInUse = true
        return raw
    }

    private func giveBack(_ raw: CInt) -> CInt {
        // A stream has had its connection and cannot have another one.
        guard entries[raw]?.type == CInt(SOCK_DGRAM.rawValue), Self.disconnect(raw) else {
            entries[raw] = nil
            return 0
        }
        entries[raw]?.isInUse = false
        return 0
    }

    /// Dissolves the association with a peer, which also gives up the port: the next peer
    /// sees another one.
    private static func disconnect(_ raw: CInt) -> Bool {
        var unspecified = sockaddr()
        unspecified.sa_family = sa_family_t(AF_UNSPEC)
        let length = socklen_t(MemoryLayout<sockaddr>.size)
        guard connect(raw, &unspecified, length) == 0 else { return false }
        // Late answers of the former peer must not pass for ones of the next. Their number is
        // bounded by the receive buffer, but more may come; then the socket is given up.
        var byte: UInt8 = 0
        for _ in 0..<10_000 where recv(raw, &byte, 1, 0) == -1 {
            if errno == EAGAIN { return true }
        }
        return false
    }

    private static func receive(
        _ raw: CInt,
        _ buffer: UnsafeMutableRawPointer?,
        _ count: Int,
        _ flags: CInt,
        _ address: UnsafeMutablePointer<sockaddr>?,
        _ length: UnsafeMutablePointer<ares_socklen_t>?
    ) -> Int {
        let received = recvfrom(raw, buffer, count, flags, address, length)
        // c-ares 1.18 takes an empty datagram for the end of a connection and gives the
        // server up (CVE-2023-32067); anyone who guesses the port can send one.
        guard received == 0, option(SO_TYPE, of: raw) == CInt(SOCK_DGRAM.rawValue) else {
            return received
        }
        errno = EAGAIN
        return -1
    }

    private static func option(_ name: CInt, of raw: CInt) -> CInt? {
        var value: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        return getsockopt(raw, SOL_SOCKET, name, &value, &length) == 0 ? value : nil
    }
}
