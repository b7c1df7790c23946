/// What one end of a WireGuard tunnel is told, in the words of its files.
package struct WireGuardFile: Sendable {
    /// The other end of a tunnel, as a `[Peer]` section names it.
    package struct Peer: Sendable {
        package var publicKey: String
        package var presharedKey: String?
        package var endpoint: String?
        package var allowedIPs: [String]
        package var keepalive: Int?

        /// A peer with its public key and the addresses behind it.
        package init(
            _ publicKey: String,
            presharedKey: String? = nil,
            endpoint: String? = nil,
            allowedIPs: [String],
            keepalive: Int? = nil
        ) {
            self.publicKey = publicKey
            self.presharedKey = presharedKey
            self.endpoint = endpoint
            self.allowedIPs = allowedIPs
            self.keepalive = keepalive
        }

        fileprivate var section: String {
            let lines = [
                "[Peer]",
                "PublicKey = \(publicKey)",
                presharedKey.map { "PresharedKey = \($0)" },
                endpoint.map { "Endpoint = \($0)" },
                allowedIPs.isEmpty
                    ? nil : "AllowedIPs = \(allowedIPs.joined(separator: ", "))",
                keepalive.map { "PersistentKeepalive = \($0)" },
            ]
            return lines.compactMap(\.self).joined(separator: "\n") + "\n"
        }
    }

    package var key: WireGuardKey
    package var listenPort: Int?
    package var addresses: [String]
    package var peers: [Peer]

    /// One end with its key, its addresses in the tunnel and whom it talks to.
    package init(
        key: WireGuardKey,
        listenPort: Int? = nil,
        addresses: [String],
        peers: [Peer]
    ) {
        self.key = key
        self.listenPort = listenPort
        self.addresses = addresses
        self.peers = peers
    }

    /// As wg-quick reads it.
    package var forQuick: String {
        interface(with: ["Address = \(addresses.joined(separator: ", "))"])
    }

    /// As `wg setconf` reads it, which knows no addresses.
    package var forSetconf: String {
        interface(with: [])
    }

    private func interface(with more: [String]) -> String {
        let port = listenPort.map { ["ListenPort = \($0)"] } ?? []
        let lines = ["[Interface]", "PrivateKey = \(key.secret)"] + port + more
        return ([lines.joined(separator: "\n") + "\n"] + peers.map(\.section))
            .joined(separator: "\n")
    }
}
