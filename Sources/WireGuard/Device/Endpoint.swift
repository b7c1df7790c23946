package import TunnelModel

/// Where a peer is reached: its address and port, and the local address to speak from.
///
/// A plain value without references, as each packet compares one.
package struct Endpoint: Equatable, Sendable {
    /// An address of 4 or 16 bytes as it lies in memory, in network order from the first byte.
    package struct RawAddress: Equatable, Sendable {
        package var first: UInt64 = 0
        package var second: UInt64 = 0

        package init() {}
    }

    package var remote = RawAddress()
    package var port: UInt16 = 0
    package var isIPv6 = false
    /// The interface of a link-local address; 0 for none.
    package var scope: UInt32 = 0
    /// The address that the peer spoke to, which replies come from: a host with several would
    /// otherwise answer from one that the peer does not know.
    package var local = RawAddress()
    package var hasLocal = false

    /// No endpoint.
    package init() {}

    /// A peer of which only the address is known.
    package init(_ address: IPAddress, port: UInt16) {
        switch address.family {
        case .v4:
            remote.first = UInt64(UInt32(truncatingIfNeeded: address.number).bigEndian)
        case .v6:
            isIPv6 = true
            remote.first = UInt64(truncatingIfNeeded: address.number >> 64).bigEndian
            remote.second = UInt64(truncatingIfNeeded: address.number).bigEndian
        }
        self.port = port
    }

    /// The address of the peer.
    package var address: IPAddress {
        guard isIPv6 else {
            return IPAddress(v4: UInt32(truncatingIfNeeded: remote.first).bigEndian)
        }
        return IPAddress(
            v6: UInt128(remote.first.bigEndian) << 64 | UInt128(remote.second.bigEndian))
    }

    /// The same peer, spoken to from whatever address the kernel chooses.
    package var withoutLocal: Endpoint {
        var endpoint = self
        endpoint.local = RawAddress()
        endpoint.hasLocal = false
        return endpoint
    }

    /// Address and port as one writes them: `192.0.2.1:51820`, `[2001:db8::1]:51820`.
    package var text: String {
        isIPv6 ? "[\(address)]:\(port)" : "\(address):\(port)"
    }

    /// The source of a handshake message from here.
    var handshakeSource: HandshakeSource {
        let address = address
        return isIPv6
            ? HandshakeSource(v6: address.number, port: port)
            : HandshakeSource(v4: UInt32(truncatingIfNeeded: address.number), port: port)
    }
}
