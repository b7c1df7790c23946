internal import JSON
internal import TunnelModel

/// One configuration of a profile.
package struct ProfileConfiguration: Sendable {
    /// What every system says for itself.
    private static let ownKeys = ["identifier", "generation"]

    private let given: Configuration
    /// The keys that stand in the file, in its order.
    private let keys: [String]
    private let place: String

    package var name: String { given.name }

    init(_ node: JSONNode, _ index: Int, of profile: EnrolledProfile) throws(JSONError) {
        place = "configurations[\(index)]"
        given = try Configuration(node)
        keys = node.value.object?.members.map(\.key) ?? []
        if Identifier.isValid(given.name) {
            throw error("name", "a name of this form is an identifier")
        }
        let peers = given.providerConfiguration["peers"]?.array ?? []
        guard peers.count <= EnrolledMaterial.mostPeers else {
            throw error(
                "providerConfiguration.peers", "more than \(EnrolledMaterial.mostPeers)")
        }
        if let error = given.normalized().configuration.valueError {
            throw error.moved(below: place)
        }
        let anchors = Set(profile.anchors.map(\.name))
        for (index, name) in given.trust.enumerated() {
            guard let reference = AnchorReference(name), reference.profile == profile.identifier,
                !anchors.contains(reference.anchor)
            else { continue }
            throw error("trust[\(index)]", "the profile has no anchor \(reference.anchor)")
        }
    }

    /// What is wrong with one of its keys.
    func error(_ key: String, _ problem: String) -> JSONError {
        .value(path: "\(place).\(key)", problem: problem)
    }

    /// What is put in place, of a profile that has another name than it gave itself.
    func tunnel(renaming former: String, to profile: String, isArmed: Bool) -> EnrolledTunnel {
        var given = given
        if !isArmed { given.onDemand.enabled = false }
        if profile != former { given.renameTrust(from: former, to: profile) }
        return EnrolledTunnel(name: name) { [given] configuration in
            let former = configuration
            configuration = given
            configuration.identifier = former.identifier
            configuration.generation = former.generation
        }
    }

    /// What becomes of its keys.
    func items(isArmed: Bool) -> [EnrolmentItem] {
        var items: [EnrolmentItem] = []
        for key in keys {
            let isOwn = Self.ownKeys.contains(key)
            items.append(
                EnrolmentItem(
                    key: "\(place).\(key)", outcome: isOwn ? .noted : .kept,
                    text: isOwn
                        ? "not taken: each system has its own" : "configuration \(name): \(key)"))
        }
        if given.onDemand.enabled, !isArmed {
            items.append(
                EnrolmentItem(
                    key: "\(place).onDemand.enabled", outcome: .changed,
                    text: "false: On Demand is disarmed without --arm"))
        }
        return items
    }
}

extension Configuration {
    /// Lets what refers to the anchors of a profile refer to those of another name.
    fileprivate mutating func renameTrust(from former: String, to profile: String) {
        func renamed(_ name: String) -> String {
            guard let reference = AnchorReference(name), reference.profile == former else {
                return name
            }
            return "\(profile)/\(reference.anchor)"
        }
        trust = trust.map(renamed)
        guard provider == WireGuardConfiguration.provider,
            let peers = providerConfiguration["peers"]?.array
        else { return }
        providerConfiguration["peers"] = .array(
            peers.map { peer in
                guard case .object(var object) = peer, let name = object["trust"]?.string else {
                    return peer
                }
                object["trust"] = .string(renamed(name))
                return .object(object)
            })
    }
}
