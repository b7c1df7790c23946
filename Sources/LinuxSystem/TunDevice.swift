import CLinux
import Glibc

/// A TUN interface, held open by one descriptor a queue.
package struct TunDevice: ~Copyable {
    /// The name that the kernel gave it.
    package let name: String
    /// The first queue; the interface has a carrier as long as a queue is open.
    package let queue: FileDescriptor
    private let hasVnetHeader: Bool

    /// The device through which TUNs are made.
    package static let path = "/dev/net/tun"

    /// Makes a new interface; a name with `%d` is completed by the kernel.
    ///
    /// Never attaches to an existing interface (IFF_TUN_EXCL): that is EBUSY. The node may
    /// be absent (ENOENT), without a driver (ENODEV, ENXIO) or closed to this user (EACCES);
    /// without CAP_NET_ADMIN the kernel says EPERM.
    package init(name: String, queues: Int = 1, vnetHeader: Bool = false) throws(SystemError) {
        var buffer = Array(name.utf8.map { CChar(bitPattern: $0) })
        guard buffer.count <= UT_INTERFACE_NAME_LENGTH else {
            throw SystemError("TUNSETIFF", name, errno: ENAMETOOLONG)
        }
        let queue = try Self.open()
        buffer += repeatElement(0, count: Int(UT_INTERFACE_NAME_LENGTH) + 1 - buffer.count)
        let raw = queue.raw
        try checkShim("TUNSETIFF", name) { ut_tun_create(raw, &buffer, queues > 1, vnetHeader) }
        let chosen = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        self.name = String(decoding: chosen, as: UTF8.self)
        self.queue = queue
        hasVnetHeader = vnetHeader
    }

    /// Opens one more queue of an interface that was made with several.
    package borrowing func openQueue() throws(SystemError) -> FileDescriptor {
        let queue = try Self.open()
        let raw = queue.raw
        let header = hasVnetHeader
        try checkShim("TUNSETIFF", name) { ut_tun_attach_queue(raw, name, header) }
        return queue
    }

    /// Opens the device, to see whether it can be.
    package static func open() throws(SystemError) -> FileDescriptor {
        FileDescriptor(taking: try checkShim("open", path) { ut_tun_open(path) })
    }
}
