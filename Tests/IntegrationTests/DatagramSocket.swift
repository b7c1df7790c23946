import Glibc
import LinuxSystem

/// An IPv4 address with a port.
struct DatagramAddress: Hashable, Sendable, CustomStringConvertible {
    /// The bytes of the address as one number, in the order of the network.
    private let host: UInt32
    let port: UInt16

    init(_ host: String, _ port: UInt16) throws {
        var address = in_addr()
        guard inet_pton(AF_INET, host, &address) == 1 else {
            throw SystemError("inet_pton", host, errno: EINVAL)
        }
        self.host = address.s_addr
        self.port = port
    }

    fileprivate init(_ address: sockaddr_in) {
        host = address.sin_addr.s_addr
        port = address.sin_port.bigEndian
    }

    fileprivate var native: sockaddr_in {
        sockaddr_in(
            sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian,
            sin_addr: in_addr(s_addr: host), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    }

    var description: String {
        let bytes = [0, 8, 16, 24].map { "\(UInt8(truncatingIfNeeded: host >> $0))" }
        return "\(bytes.joined(separator: ".")):\(port)"
    }
}

/// A socket for datagrams of IPv4 that waits only when it is asked to.
final class DatagramSocket: Sendable {
    let address: DatagramAddress
    let descriptor: CInt

    /// A socket bound to an address of this host; without a port, to one that is free.
    init(at host: String, port: UInt16 = 0) throws {
        descriptor = socket(
            AF_INET,
            CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
                | CInt(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw SystemError("socket", errno: errno) }
        var size: CInt = 4 << 20
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
        var native = try DatagramAddress(host, port).native
        var length = socklen_t(MemoryLayout.size(ofValue: native))
        let descriptor = descriptor
        let failed = withUnsafeMutablePointer(to: &native) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == -1 || getsockname(descriptor, $0, &length) == -1
            }
        }
        let reason = errno
        address = DatagramAddress(native)
        if failed { throw SystemError("bind", host, errno: reason) }
    }

    deinit {
        close(descriptor)
    }

    /// Sends a datagram; one for which there is no room or no listener is lost, as on any wire.
    func send(_ bytes: [UInt8], to address: DatagramAddress) {
        withUnsafePointer(to: address.native) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = sendto(
                    descriptor, bytes, bytes.count, 0, $0,
                    socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// The next datagram, and who sent it; `nil` when none waits.
    func receive() -> (bytes: [UInt8], from: DatagramAddress)? {
        var native = sockaddr_in()
        var length = socklen_t(MemoryLayout.size(ofValue: native))
        var count = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, used in
            count = withUnsafeMutablePointer(to: &native) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, buffer.baseAddress, buffer.count, 0, $0, &length)
                }
            }
            used = max(count, 0)
        }
        return count < 0 ? nil : (bytes, DatagramAddress(native))
    }

    /// The next datagram within so many milliseconds.
    func receive(milliseconds: Int64) -> (bytes: [UInt8], from: DatagramAddress)? {
        let deadline = Deadline.after(milliseconds: milliseconds)
        while true {
            if let datagram = receive() { return datagram }
            if deadline.hasPassed { return nil }
            Self.wait(for: [self], milliseconds: deadline.remainingMilliseconds)
        }
    }

    /// Waits until one of several has a datagram.
    static func wait(for sockets: [DatagramSocket], milliseconds: CInt) {
        var polled = sockets.map {
            pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0)
        }
        _ = poll(&polled, nfds_t(polled.count), milliseconds)
    }
}
