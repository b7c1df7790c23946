/// From where a handshake message came: what a cookie proves and a rate is limited by.
package struct HandshakeSource: Hashable, Sendable {
    private let address: UInt128
    private let port: UInt16
    private let isV6: Bool

    /// An IPv4 address, first byte most significant, and a UDP port.
    package init(v4 address: UInt32, port: UInt16) {
        self.address = UInt128(address)
        self.port = port
        isV6 = false
    }

    /// An IPv6 address, first byte most significant, and a UDP port.
    package init(v6 address: UInt128, port: UInt16) {
        self.address = address
        self.port = port
        isV6 = true
    }

    /// What one customer of a network has at least: an IPv4 address, or a /64 of IPv6.
    var network: Network {
        Network(prefix: UInt64(truncatingIfNeeded: isV6 ? address >> 64 : address), isV6: isV6)
    }

    /// The prefix of a source.
    struct Network: Hashable {
        let prefix: UInt64
        let isV6: Bool
    }

    /// Gives address and port to `body`: 6 or 18 bytes.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: 18, alignment: 16) { bytes in
            let count = isV6 ? 16 : 4
            for index in 0..<count {
                bytes[index] = UInt8(truncatingIfNeeded: address >> (8 * (count - 1 - index)))
            }
            bytes[count] = UInt8(truncatingIfNeeded: port >> 8)
            bytes[count + 1] = UInt8(truncatingIfNeeded: port)
            return body(UnsafeRawBufferPointer(rebasing: bytes[..<(count + 2)]))
        }
    }
}
