import LinuxSystem
import TunnelModel
import WireGuard

/// What `wg` reads of a tunnel: the answer to `get=1` of the cross-platform user-space interface,
/// without the keys that are secret.
enum UserspaceReport {
    /// All lines but the last, which is the result.
    static func text(_ provider: WireGuardProvider) -> String {
        var text = "listen_port=\(provider.sockets.port)\nfwmark=\(OutsideSocket.mark)\n"
        let clocks = Clocks()
        provider.path?.withDevice { device, _ in
            for peer in provider.peers {
                device.withPeer(peer.number) { text += lines(peer, $0, clocks) }
            }
        }
        return text
    }

    private static func lines(_ peer: PeerEntry, _ state: borrowing Peer, _ clocks: Clocks)
        -> String
    {
        var text = "public_key=\(hexadecimal(peer.publicKey))\n"
        if state.hasEndpoint { text += "endpoint=\(state.endpoint.text)\n" }
        let handshake = clocks.parts(state.lastHandshake)
        text += "last_handshake_time_sec=\(handshake.seconds)\n"
        text += "last_handshake_time_nsec=\(handshake.nanoseconds)\n"
        text += "tx_bytes=\(state.sentBytes)\nrx_bytes=\(state.receivedBytes)\n"
        let keepalive = peer.configuration.persistentKeepalive ?? 0
        text += "persistent_keepalive_interval=\(keepalive)\n"
        for prefix in peer.configuration.allowedIPs { text += "allowed_ip=\(prefix.masked)\n" }
        return text + "protocol_version=1\n"
    }

    private static func hexadecimal(_ key: PublicKey) -> String {
        key.withBytes { bytes in
            UnsafeRawBufferPointer(start: bytes, count: PublicKey.byteCount).map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }.joined()
        }
    }
}
