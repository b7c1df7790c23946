import CNetlink
import Glibc

/// A libnl socket, closed with its owner.
struct NetlinkSocket: ~Copyable {
    let raw: OpaquePointer

    var fileDescriptor: CInt { nl_socket_get_fd(raw) }

    /// What a socket is for: the families of netlink that are used here.
    enum Family {
        case route, netfilter, generic

        var number: CInt {
            switch self {
            case .route: NETLINK_ROUTE
            case .netfilter: NETLINK_NETFILTER
            case .generic: NETLINK_GENERIC
            }
        }
    }

    /// Opens and binds a socket that hears these multicast groups, one bit each.
    ///
    /// The descriptor is made here rather than by `nl_connect`, which picks a port of its own (a
    /// second library in the process may hold it) and folds the kernel's errno into its own codes.
    init(
        _ family: Family = .route,
        groups: UInt32,
        receiveBuffer: CInt,
        blocking: Bool
    ) throws(NetlinkError) {
        let flags = SOCK_CLOEXEC.rawValue | (blocking ? 0 : SOCK_NONBLOCK.rawValue)
        let descriptor = socket(
            AF_NETLINK,
            CInt(bitPattern: SOCK_RAW.rawValue | flags),
            family.number
        )
        try Self.check(descriptor, "opening a netlink socket")
        do {
            try Self.configure(descriptor, receiveBuffer: receiveBuffer)
            try Self.bind(descriptor, groups: groups)
        } catch {
            Glibc.close(descriptor)
            throw error
        }
        guard let raw = nl_socket_alloc() else {
            Glibc.close(descriptor)
            throw NetlinkError(operation: "opening a netlink socket", subject: "", errno: ENOMEM)
        }
        guard nl_socket_set_fd(raw, family.number, descriptor) == 0 else {
            nl_socket_free(raw)
            Glibc.close(descriptor)
            throw NetlinkError(operation: "opening a netlink socket", subject: "", errno: EINVAL)
        }
        // The kernel fills at most 32 KiB at once; looking first would cost a second system call.
        nl_socket_set_msg_buf_size(raw, 32_768)
        nl_socket_disable_msg_peek(raw)
        self.raw = raw
    }

    deinit { nl_socket_free(raw) }

    private static func configure(
        _ descriptor: CInt,
        receiveBuffer: CInt
    ) throws(NetlinkError) {
        // Without strict checking the kernel ignores the filters of a dump and sends everything.
        try setOption(descriptor, SOL_NETLINK, NETLINK_GET_STRICT_CHK, 1)
        try setOption(descriptor, SOL_NETLINK, NETLINK_EXT_ACK, 1)
        // A refusal need not repeat the request.
        try setOption(descriptor, SOL_NETLINK, NETLINK_CAP_ACK, 1)

        // Beyond net.core.rmem_max only with CAP_NET_ADMIN.
        do {
            try setOption(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, receiveBuffer)
        } catch {
            try setOption(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer)
        }

        // The kernel answers within the request, so this ends only a wait that is a fault.
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        try check(
            setsockopt(
                descriptor,
                SOL_SOCKET,
                SO_RCVTIMEO,
                &limit,
                socklen_t(MemoryLayout<timeval>.size)
            ),
            "setting the time limit of a netlink socket"
        )
    }

    private static func setOption(
        _ descriptor: CInt,
        _ level: CInt,
        _ name: CInt,
        _ value: CInt
    ) throws(NetlinkError) {
        var value = value
        let size = socklen_t(MemoryLayout<CInt>.size)
        try check(
            setsockopt(descriptor, level, name, &value, size),
            "setting an option of a netlink socket"
        )
    }

    private static func bind(_ descriptor: CInt, groups: UInt32) throws(NetlinkError) {
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = groups
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size))
            }
        }
        try check(result, "binding a netlink socket")
    }

    private static func check(_ result: CInt, _ operation: String) throws(NetlinkError) {
        let code = errno
        guard result < 0 else { return }
        throw NetlinkError(operation: operation, subject: "", errno: code)
    }

    /// The errno behind what a receiving function of libnl returned; its codes are many to one.
    static func errorNumber(ofReceiving result: CInt) -> CInt {
        switch -result {
        case NLE_AGAIN: EAGAIN
        case NLE_NOMEM: ENOBUFS
        case NLE_PERM, NLE_NOACCESS: EPERM
        case NLE_MSG_TRUNC: EMSGSIZE
        default: EIO
        }
    }
}
