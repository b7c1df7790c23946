internal import JSON

/// Everything that enrolling a WireGuard tunnel puts in place: anchors, secrets and the
/// configuration that names them.
///
/// All names come from that of the profile and the numbers of the peers, never from what is
/// enrolled.
package struct EnrolledMaterial: Sendable {
    /// The profile, whose name is that of the configuration as well.
    package var profile: EnrolledProfile
    /// The secrets, by the names of their files.
    package var secrets: [String: Secret] = [:]
    /// The secrets' files, by the names under which the provider asks for them.
    package private(set) var credentials: [String: String] = [:]
    package var own: WireGuardConfiguration
    package var mtu: UInt32?
    package var dnsServers: [IPAddress] = []
    package var searchDomains: [String] = []
    /// Exactly these routes; `nil` takes those of the peers.
    package var includedRoutes: [IPPrefix]?

    /// A tunnel without keys and peers yet.
    package init(profile: String, addresses: [IPPrefix]) {
        self.profile = EnrolledProfile(identifier: profile)
        own = WireGuardConfiguration(addresses: addresses)
    }

    /// Takes the tunnel's own key.
    package mutating func setPrivateKey(_ key: Secret) {
        add(key, as: Self.privateKey)
    }

    /// Adds a peer, whose number follows from its place.
    package mutating func addPeer(
        publicKey: String,
        presharedKey: Secret?,
        _ configure: (inout WireGuardConfiguration.Peer) -> Void
    ) {
        let number = own.peers.count + 1
        let anchor = TrustAnchor(name: "peer\(number)", kind: .wireguard, value: publicKey)
        profile.anchors.append(anchor)
        var peer = WireGuardConfiguration.Peer(
            trust: anchor.named(in: profile.identifier).name)
        if let presharedKey {
            let name = "\(Self.presharedKey)\(number)"
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
        configuration.dns.servers = dnsServers
        configuration.dns.searchDomains = searchDomains
        configuration.routing.includedRoutes = includedRoutes
    }

    /// Whether the name of a secret's file is one that enrolling this profile makes.
    package static func isCredential(_ file: String, of profile: String) -> Bool {
        guard file.hasPrefix("\(profile).") else { return false }
        let name = file.dropFirst(profile.count + 1)
        guard name != privateKey else { return true }
        let number = name.dropFirst(presharedKey.count).utf8
        return name.hasPrefix(presharedKey) && !number.isEmpty
            && number.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static let privateKey = "privateKey"
    private static let presharedKey = "presharedKey"

    private mutating func add(_ secret: Secret, as name: String) {
        let file = "\(profile.identifier).\(name)"
        secrets[file] = secret
        credentials[name] = file
    }
}
