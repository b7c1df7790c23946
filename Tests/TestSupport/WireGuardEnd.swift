/// One end of a tunnel of WireGuard, whoever made the program behind it.
package protocol WireGuardEnd: AnyObject {
    /// The process that moves the packets.
    var pid: Int32 { get }
    /// The interface of the tunnel.
    var interface: String { get }
}
