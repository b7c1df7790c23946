package import JSON

/// The `providerConfiguration` of `org.utunctl.wireguard`.
package struct WireGuardConfiguration: Equatable, Sendable {
    /// One peer; who it is says the public key of its anchor.
    package struct Peer: Equatable, Sendable {
        /// The anchor, `PROFILE/ANCHOR`, which stands in `trust` of the configuration.
        package var trust: String
        /// Where it is reached, with a port; `nil` waits until it comes by itself.
        package var endpoint: ServerAddress?
        /// What goes to it and may come from it, host bits as they were written.
        package var allowedIPs: [IPPrefix] = []
        /// Seconds between packets that keep a way through address translation open.
        package var persistentKeepalive: UInt16?
        /// A name in `credentials` of the configuration.
        package var presharedKey: String?
        /// Whether the tunnel is whole without a proof of this peer.
        package var optional = false

        package init(trust: String) {
            self.trust = trust
        }
    }

    /// The identifier of the provider.
    package static let provider = "org.utunctl.wireguard"

    /// The tunnel's own addresses with the length of their network.
    package var addresses: [IPPrefix]
    /// The port that peers send to; `nil` takes any that is free.
    package var listenPort: UInt16?
    package var peers: [Peer] = []

    package init(addresses: [IPPrefix]) {
        self.addresses = addresses
    }

    /// Reads the object that a parsed configuration holds.
    package init(_ object: JSONObject) throws(JSONError) {
        self = try JSONDocument(parsing: JSONWriter.line(object)).withRoot {
            node throws(JSONError) in
            try WireGuardConfiguration(node)
        }
    }

    /// Reads the object as a configuration holds it.
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        let isThere = reader.contains("addresses")
        addresses = try reader.prefixes("addresses") ?? []
        listenPort = try reader.optionalInteger("listenPort", in: 1...65_535)
        let elements = try reader.elements("peers") ?? []
        // A mistyped key is better news than that it is missing.
        try reader.finish()
        if addresses.isEmpty {
            throw reader.mismatch(
                "addresses",
                isThere ? "a tunnel needs an address" : "missing: a tunnel needs an address")
        }
        if addresses.count > EffectiveSettings.mostAddresses {
            throw reader.mismatch(
                "addresses", "more than \(EffectiveSettings.mostAddresses) addresses")
        }
        for (index, address) in addresses.enumerated() {
            guard let problem = EffectiveSettings.problem(ofAddress: address) else { continue }
            throw reader.mismatch("addresses[\(index)]", problem)
        }
        peers.reserveCapacity(elements.count)
        for element in elements { peers.append(try Peer(element)) }
        try checkPeers(at: node.path.text)
    }

    /// A value of the kind that each key holds which is not text, by its path; `[]` stands for
    /// any index.
    static let kinds: [String: JSONValue] = [
        "addresses": .array([]), "listenPort": .integer(0), "peers": .array([]),
        "peers[]": .object(JSONObject()), "peers[].allowedIPs": .array([]),
        "peers[].persistentKeepalive": .integer(0), "peers[].optional": .bool(false),
    ]
}

extension WireGuardConfiguration.Peer {
    fileprivate init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        let trust = try reader.optionalString("trust")
        let endpoint = try reader.optionalString("endpoint")
        self.init(trust: trust ?? "")
        allowedIPs = try reader.prefixes("allowedIPs") ?? []
        persistentKeepalive = try reader.optionalInteger("persistentKeepalive", in: 1...65_535)
        presharedKey = try reader.optionalString("presharedKey")
        optional = try reader.bool("optional", default: false)
        try reader.finish()
        guard let trust else { throw reader.mismatch("trust", "missing: who is this peer?") }
        guard AnchorReference(trust) != nil else {
            throw reader.mismatch("trust", "not the name of an anchor, PROFILE/ANCHOR")
        }
        guard let endpoint else { return }
        guard let address = ServerAddress(endpoint), address.port != nil else {
            let problem =
                ServerAddress(endpoint) == nil
                ? "not HOST:PORT, IPV4:PORT or [IPV6]:PORT, the port from 1 to 65535"
                : "the port is missing: HOST:PORT or [IPV6]:PORT"
            throw reader.mismatch("endpoint", problem)
        }
        self.endpoint = address
    }
}

extension WireGuardConfiguration {
    private func checkPeers(at place: String) throws(JSONError) {
        func path(_ path: String) -> String { place.isEmpty ? path : "\(place).\(path)" }
        var trusted: [String: Int] = [:]
        var owners: [IPPrefix: Int] = [:]
        for (index, peer) in peers.enumerated() {
            if let other = trusted.updateValue(index, forKey: peer.trust) {
                throw .value(
                    path: path("peers[\(index)].trust"),
                    problem: "\(peer.trust) is peers[\(other)] already")
            }
            for (place, prefix) in peer.allowedIPs.enumerated() {
                let owner = owners.updateValue(index, forKey: prefix.masked)
                guard let owner, owner != index else { continue }
                throw .value(
                    path: path("peers[\(index)].allowedIPs[\(place)]"),
                    problem: "\(prefix.masked) of \(peer.trust) belongs to "
                        + "\(peers[owner].trust) (peers[\(owner)]) already")
            }
        }
    }

    /// Checks that what the peers refer to stands in the configuration around them.
    package func check(in configuration: Configuration) throws(JSONError) {
        let trust = Set(configuration.trust)
        for (index, peer) in peers.enumerated() {
            if !trust.contains(peer.trust) {
                throw .value(
                    path: "peers[\(index)].trust",
                    problem: "\(peer.trust) does not stand in trust of the configuration")
            }
            if let key = peer.presharedKey, configuration.credentials[key] == nil {
                throw .value(
                    path: "peers[\(index)].presharedKey",
                    problem: "no such name stands in credentials of the configuration")
            }
        }
    }
}

extension WireGuardConfiguration: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("addresses", addresses)
            writer.member("listenPort", listenPort)
            writer.member("peers", peers)
        }
    }
}

extension WireGuardConfiguration.Peer: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("trust", trust)
            writer.member("endpoint", endpoint?.text)
            writer.member("allowedIPs", allowedIPs)
            writer.member("persistentKeepalive", persistentKeepalive)
            writer.member("presharedKey", presharedKey)
            writer.member("optional", optional)
        }
    }
}
