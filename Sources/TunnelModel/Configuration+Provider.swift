package import JSON

extension Configuration {
    /// What is wrong with the provider's own keys, for the providers whose keys are known.
    package var providerConfigurationError: JSONError? {
        do throws(JSONError) {
            switch provider {
            case LoopbackConfiguration.provider:
                _ = try LoopbackConfiguration(providerConfiguration)
            case WireGuardConfiguration.provider:
                let own = try WireGuardConfiguration(providerConfiguration)
                try own.check(in: self)
            default: break
            }
        } catch {
            return error.moved(below: "providerConfiguration")
        }
        guard provider == WireGuardConfiguration.provider else { return nil }
        if let index = trust.firstIndex(of: Self.systemTrust) {
            return .value(
                path: "trust[\(index)]",
                problem: "the system's store vouches for certificates, and for no key of WireGuard")
        }
        guard serverAddress != nil else { return nil }
        return .value(
            path: "serverAddress",
            problem: "not a key of this provider: its peers have endpoints of their own")
    }

    /// The same on one line.
    package var providerConfigurationProblem: String? { providerConfigurationError?.text }

    /// Masks and merges what goes to each peer, and says what changed.
    ///
    /// Nothing but these prefixes is touched; what cannot be read is left for the error that
    /// names it.
    mutating func normalizePeers() -> [ConfigurationNotice] {
        guard let own = try? WireGuardConfiguration(providerConfiguration),
            var peers = providerConfiguration["peers"]?.array
        else { return [] }
        var notices: [ConfigurationNotice] = []
        for (index, peer) in own.peers.enumerated() {
            let path = "providerConfiguration.peers[\(index)].allowedIPs"
            let prefixes = Self.normalize(peer.allowedIPs, path, &notices)
            guard prefixes != peer.allowedIPs, case .object(var object) = peers[index] else {
                continue
            }
            object["allowedIPs"] = .array(prefixes.map { .string($0.description) })
            peers[index] = .object(object)
        }
        providerConfiguration["peers"] = .array(peers)
        return notices + own.overlaps
    }
}

extension WireGuardConfiguration {
    /// The networks of a peer in which networks of other peers lie: what is for these does not
    /// go to it.
    fileprivate var overlaps: [ConfigurationNotice] {
        var owners: [IPPrefix: Int] = [:]
        for (index, peer) in peers.enumerated() {
            for prefix in peer.allowedIPs { owners[prefix.masked] = index }
        }
        let lengths = Set(owners.keys.map(\.length))
        var inner: [IPPrefix: Set<Int>] = [:]
        for (prefix, owner) in owners {
            for length in lengths where length < prefix.length {
                let wider = IPPrefix(address: prefix.address, length: length)?.masked
                guard let wider, let other = owners[wider], other != owner else { continue }
                inner[wider, default: []].insert(owner)
            }
        }
        return peers.enumerated().flatMap { index, peer in
            peer.allowedIPs.enumerated().compactMap { place, prefix in
                guard let others = inner.removeValue(forKey: prefix.masked) else { return nil }
                return ConfigurationNotice(
                    path: "providerConfiguration.peers[\(index)].allowedIPs[\(place)]",
                    code: "prefixesOverlap", text: overlap(of: prefix.masked, others.sorted()))
            }
        }
    }

    private func overlap(of prefix: IPPrefix, _ others: [Int]) -> String {
        let shown = others.prefix(2).map { peers[$0].trust }
        let more = others.count > 2 ? " and \(others.count - 2) more" : ""
        return "\(prefix) holds networks of \(shown.joined(separator: ", "))\(more), "
            + "and what is for these goes there"
    }
}
