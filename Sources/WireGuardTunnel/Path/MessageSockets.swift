/// The sockets of a tunnel, -1 for one that there is not.
struct MessageSockets {
    var v4: CInt = -1
    var v6: CInt = -1

    /// The socket that reaches an address of the family.
    @inline(__always)
    func socket(isIPv6: Bool) -> CInt {
        isIPv6 ? v6 : v4
    }
}
