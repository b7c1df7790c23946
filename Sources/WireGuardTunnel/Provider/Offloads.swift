import CLinux
import Glibc
import LinuxSystem

/// Turns on what the kernel can do for the packet path, and says once what it can't.
enum Offloads {
    /// Asks for the most of a queue, then for less.
    static func enable(
        _ queue: CInt, _ sockets: TunnelSockets, _ log: (String) -> Void
    ) -> PacketMerger.Ability {
        if sockets.coalescingError != 0 {
            log("messages come one by one (UDP_GRO: \(reason(sockets.coalescingError)))")
        }
        let all = ut_tun_set_offload(queue, UT_TUN_TCP_UDP)
        if all == 0 { return .tcpAndUDP }
        log("UDP packets go one by one (TUN_F_USO: \(reason(-all)))")
        let tcp = ut_tun_set_offload(queue, UT_TUN_TCP)
        if tcp == 0 { return .tcp }
        log("TCP packets go one by one (TUN_F_TSO: \(reason(-tcp)))")
        return .nothing
    }

    /// What is said when messages can't be sent by the heap.
    static func segmentationNotice(_ error: CInt) -> String {
        "messages go one by one (UDP_SEGMENT: \(reason(error)))"
    }

    private static func reason(_ error: CInt) -> String {
        SystemError.reason(of: error)
    }
}
