internal import JSON

/// A WireGuard tunnel that is enrolled: its keys become anchors and secrets, which it names.
///
/// Their names come from those of tunnel and profile and the numbers of the peers, never from
/// what else is enrolled.
package struct EnrolledWireGuard: Sendable {
    /// The name of the configuration.
    package let name: String
    private let profile: String
    package private(set) var anchors: [TrustAnchor] = []
    /// The secrets, by the names of their files.
    package private(set) var secrets: [String: Secret] = [:]
    /// The secrets' files, by the names under which the provider asks for them.
    package private(set) var credentials: [String: String] = [:]
    package var own: WireGuardConfiguration
    package var mtu: UInt32?
    package var dnsServers: [IPAddress] = []
    package var searchDomains: [String] = []
    /// Exactly these routes; `nil` takes those of the peers.
    package var includedRoutes: [IPPrefix]?
    /// Whether this host is to forward packets of others; false leaves it as it was.
    package var forward = false
    /// Whether they are to get the addresses of this host; false leaves it as it was.
    package var masquerade = false
    /// Whether the segments of their connections are to fit; false leaves it as it was.
    package var mssClamp = false

    /// A tunnel without keys and peers yet.
    package init(_ name: String, of profile: String, addresses: [IPPrefix]) {
        self.name = name
        self.profile = profile
        own = WireGuardConfiguration(addresses: addresses)
    }

    /// Takes the tunnel's own key.
    package mutating func setPrivateKey(_ key: Secret) {
        add(key, as: "privateKey")
    }

    /// Adds a peer, whose number follows from its place.
    package mutating func addPeer(
        publicKey: String,
        presharedKey: Secret?,
        _ configure: (inout WireGuardConfiguration.Peer) -> Void
    ) {
        let number = own.peers.count + 1
        // A profile of several tunnels has a first peer of each.
        let name = name == profile ? "peer\(number)" : "\(name).peer\(number)"
        let anchor = TrustAnchor(name: name, kind: .wireguard, value: publicKey)
        anchors.append(anchor)
        var peer = WireGuardConfiguration.Peer(trust: anchor.named(in: profile).name)
        if let presharedKey {
            let name = "presharedKey\(number)"
            add(presharedKey, as: name)
            peer.presharedKey = name
        }
        configure(&peer)
        own.peers.append(peer)
    }

    /// Puts what was enrolled into its configuration, and leaves alone what it says nothing about.
    package func configure(_ configuration: inout Configuration) {
        configuration.provider = WireGuardConfiguration.provider
        configuration.serverAddress = nil
        configuration.trust = own.peers.map(\.trust)
        configuration.credentials = credentials.mapValues { "file:\($0)" }
        configuration.providerConfiguration = JSONObject(writing: own)
        configuration.interface.mtu = mtu
        // Without a server, all else that is said of names means nothing.
        if dnsServers.isEmpty { configuration.dns = DNSSettings() }
        configuration.dns.servers = dnsServers
        configuration.dns.searchDomains = searchDomains
        configuration.routing.includedRoutes = includedRoutes
        if forward { configuration.routing.forward = true }
        if masquerade { configuration.routing.masquerade = true }
        if mssClamp { configuration.routing.mssClamp = true }
    }

    /// Lets peers be optional that were so, which no file can say; `keys` are those of the former
    /// peers, by the names of their anchors.
    package func keepOptional(
        of former: Configuration,
        keys: [String: String],
        in configuration: inout Configuration
    ) {
        guard former.provider == WireGuardConfiguration.provider,
            let old = try? WireGuardConfiguration(former.providerConfiguration)
        else { return }
        let optional = Set(old.peers.filter(\.optional).compactMap { keys[$0.trust] })
        guard !optional.isEmpty else { return }
        var own = own
        for (index, anchor) in anchors.enumerated() where optional.contains(anchor.value) {
            own.peers[index].optional = true
        }
        configuration.providerConfiguration = JSONObject(writing: own)
    }

    private mutating func add(_ secret: Secret, as name: String) {
        let file = "\(self.name).\(name)"
        secrets[file] = secret
        credentials[name] = file
    }
}
