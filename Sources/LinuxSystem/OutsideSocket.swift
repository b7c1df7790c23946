import CLinux
import Glibc

/// Sockets to the network underneath every tunnel.
package enum OutsideSocket {
    /// The mark that means "outside every tunnel": its third byte and bits 14 and 15 are
    /// zero, which keeps it apart from the masks of Kubernetes, Tailscale and Calico.
    package static let mark: UInt32 = 0x7500_0075

    /// The transport of a socket.
    package enum Transport: Sendable {
        case datagram, stream
    }

    /// The MTU of the way to an address, as the kernel knows it at the moment: that of the link,
    /// of the route, or what a router has told; `nil` where nothing leads there.
    ///
    /// `address` is in network order, four bytes or sixteen. Nothing is sent.
    package static func pathMTU(to address: [UInt8], isMarked: Bool) -> UInt32? {
        let family = address.count == 4 ? AF_INET : AF_INET6
        let mtu = ut_path_mtu(family, address, isMarked ? mark : 0)
        return mtu > 0 ? UInt32(mtu) : nil
    }

    /// Makes a marked socket that belongs to `owner`, bound to `port` of any address.
    ///
    /// Marking needs CAP_NET_ADMIN (EPERM); a host without IPv6 says EAFNOSUPPORT.
    package static func open(
        isIPv6: Bool,
        _ transport: Transport,
        owner: UInt32,
        port: UInt16 = 0,
        bufferBytes: CInt = 0
    ) throws(SystemError) -> FileDescriptor {
        let type = transport == .datagram ? SOCK_DGRAM : SOCK_STREAM
        let family = isIPv6 ? AF_INET6 : AF_INET
        return FileDescriptor(
            taking: try checkShim("socket", port == 0 ? "" : "port \(port)") {
                ut_outside_socket(family, CInt(type.rawValue), mark, owner, port, bufferBytes)
            })
    }
}
