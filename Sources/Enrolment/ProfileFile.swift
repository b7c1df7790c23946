package import JSON
package import TunnelModel

/// A profile of this program as it is handed over: anchors, and configurations that name them.
///
/// It holds no secrets: where those lie, its configurations say.
package struct ProfileFile: Sendable {
    /// As enrolling it begins: without what no file can say.
    package let profile: EnrolledProfile
    package let configurations: [ProfileConfiguration]
    private let namesCredentials: Bool
    private let namesSigner: Bool

    /// Reads a whole file.
    ///
    /// - Throws: the place of what is wrong, an unknown key included.
    package init(parsing bytes: [UInt8]) throws(JSONError) {
        self = try JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
            try ProfileFile(node)
        }
    }

    private init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        var profile = try EnrolledProfile(&reader)
        let elements = try reader.elements("configurations") ?? []
        try reader.finish()
        namesCredentials = !profile.credentials.isEmpty
        namesSigner = profile.signer != nil
        profile.credentials = []
        profile.signer = nil
        for index in profile.anchors.indices { profile.anchors[index].certificate = nil }
        self.profile = profile
        var names: Set<String> = []
        var configurations: [ProfileConfiguration] = []
        guard elements.count <= EnrolledMaterial.mostTunnels else {
            throw reader.mismatch(
                "configurations", "more than \(EnrolledMaterial.mostTunnels)")
        }
        for (index, element) in elements.enumerated() {
            let configuration = try ProfileConfiguration(element, index, of: profile)
            guard names.insert(configuration.name).inserted else {
                throw configuration.error("name", "\(configuration.name) is taken twice")
            }
            configurations.append(configuration)
        }
        self.configurations = configurations
    }

    /// What enrolling it comes to.
    ///
    /// `name` goes before its own identifier, and what refers to its anchors follows. On Demand is
    /// disarmed unless `isArmed`.
    package func proposal(named name: String? = nil, isArmed: Bool) -> EnrolmentProposal {
        let former = profile.identifier
        var profile = profile
        profile.identifier = name ?? former
        var items: [EnrolmentItem] = []
        if profile.identifier != former {
            items.append(
                EnrolmentItem(
                    key: "identifier", outcome: .changed,
                    text: "the profile is enrolled as \(profile.identifier)"))
        }
        items += self.items(of: profile)
        var material = EnrolledMaterial(profile)
        for configuration in configurations {
            material.add(
                configuration.tunnel(
                    renaming: former, to: profile.identifier, isArmed: isArmed))
            items += configuration.items(isArmed: isArmed)
        }
        return EnrolmentProposal(material: material, items: items)
    }

    /// What becomes of the profile's own keys.
    private func items(of profile: EnrolledProfile) -> [EnrolmentItem] {
        var items: [EnrolmentItem] = []
        func keep(_ key: String, _ isThere: Bool) {
            guard isThere else { return }
            items.append(
                EnrolmentItem(
                    key: key, outcome: .kept, text: "profile \(profile.identifier): \(key)"))
        }
        keep("title", !profile.title.isEmpty)
        keep("organisation", !profile.organisation.isEmpty)
        keep("notBefore", profile.notBefore != nil)
        keep("notAfter", profile.notAfter != nil)
        for (index, anchor) in profile.anchors.enumerated() {
            items.append(
                EnrolmentItem(
                    key: "anchors[\(index)]", outcome: .kept,
                    text: "anchor \(anchor.named(in: profile.identifier).name)"))
        }
        if namesCredentials {
            items.append(
                EnrolmentItem(
                    key: "credentials", outcome: .dropped,
                    text: "a profile holds no secrets, and these did not come with it"))
        }
        if namesSigner {
            items.append(
                EnrolmentItem(
                    key: "signer", outcome: .dropped,
                    text: "who signed it is told by the signature alone"))
        }
        return items
    }
}
