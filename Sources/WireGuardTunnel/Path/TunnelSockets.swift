import CLinux
import Glibc
import LinuxSystem

/// The sockets of a tunnel, prepared for messages by the heap.
final class TunnelSockets {
    private(set) var numbers = MessageSockets()
    /// All of them, to be kept open.
    private(set) var all: [FileDescriptorBox] = []
    /// Whether the kernel hands over several messages as one.
    private(set) var coalescingError: CInt = 0

    init() {}

    /// Takes over a datagram socket of the host; a second one of a family takes its place.
    func add(_ socket: consuming FileDescriptor) {
        let raw = socket.raw
        all.append(FileDescriptorBox(socket))
        // Without: replies leave from the address that the kernel prefers.
        _ = ut_datagrams_tell_local(raw)
        let failure = ut_datagrams_coalesce(raw)
        if failure < 0 { coalescingError = -failure }
        if ut_socket_family(raw) == AF_INET6 { numbers.v6 = raw } else { numbers.v4 = raw }
    }

    /// The port that peers speak to; 0 for none.
    var port: Int {
        let socket = numbers.v4 >= 0 ? numbers.v4 : numbers.v6
        return socket >= 0 ? Int(max(0, ut_socket_port(socket))) : 0
    }
}
