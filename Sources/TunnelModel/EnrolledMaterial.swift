/// Everything that enrolling a file puts in place: a profile of anchors, secrets, and the
/// configurations that name them.
package struct EnrolledMaterial: Sendable {
    /// The configurations of one file, and the certificates, each of which openssl(1) reads; no
    /// file comes near.
    package static let mostTunnels = 1024
    package static let mostCertificates = 256
    /// The peers of one tunnel.
    package static let mostPeers = 4096

    /// The profile; it lists the files of the secrets as well.
    package var profile: EnrolledProfile
    /// The secrets, by the names of their files.
    package private(set) var secrets: [String: Secret] = [:]
    /// The configurations, in the order of the file.
    package private(set) var tunnels: [EnrolledTunnel] = []

    /// The anchors of a profile, with no tunnel yet.
    package init(_ profile: EnrolledProfile) {
        self.profile = profile
    }

    /// Adds a configuration.
    package mutating func add(_ tunnel: EnrolledTunnel) {
        tunnels.append(tunnel)
    }

    /// Adds a WireGuard tunnel: its configuration, its anchors and its secrets.
    ///
    /// `further` puts into the configuration what the tunnel itself says nothing about.
    package mutating func add(
        _ tunnel: EnrolledWireGuard,
        then further: @escaping @Sendable (inout Configuration) -> Void = { _ in }
    ) {
        profile.anchors += tunnel.anchors
        for (file, secret) in tunnel.secrets { add(secret, as: file) }
        add(
            EnrolledTunnel(name: tunnel.name, wireGuard: tunnel) { configuration in
                tunnel.configure(&configuration)
                further(&configuration)
            })
    }

    /// Adds a secret under the name of its file.
    package mutating func add(_ secret: Secret, as file: String) {
        secrets[file] = secret
        profile.credentials = secrets.keys.sorted()
    }
}

/// One configuration that is enrolled.
package struct EnrolledTunnel: Sendable {
    package let name: String
    /// The tunnel whose keys came with it; `nil` where they do not.
    package let wireGuard: EnrolledWireGuard?
    /// Puts what the file says into the configuration, and leaves alone what it says nothing
    /// about.
    package let configure: @Sendable (inout Configuration) -> Void

    package init(
        name: String,
        wireGuard: EnrolledWireGuard? = nil,
        configure: @escaping @Sendable (inout Configuration) -> Void
    ) {
        self.name = name
        self.wireGuard = wireGuard
        self.configure = configure
    }
}
