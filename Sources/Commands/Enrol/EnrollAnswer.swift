internal import Enrolment
internal import JSON
internal import Preferences
internal import TunnelModel

/// What `enroll` answers: what was saved, and what became of each part of the file.
struct EnrollAnswer {
    let save: SaveAnswer
    let proposal: EnrolmentProposal
    let changes: EnrolmentChanges
    let removedCredentials: [String]

    /// The answer for people: what is as the file says in short and last, all else line by line.
    var text: String {
        var lines = save.text.isEmpty ? [] : [save.text]
        lines.append(profileLine)
        lines += changes.anchors.map { anchor in
            "  anchor \(anchor.name): \(shown(anchor.old)) → \(shown(anchor.new))"
        }
        let replaced = save.isDryRun ? "would be replaced" : "replaced"
        lines += changes.replacedCredentials.map { "  credential \($0): \(replaced)" }
        let verb = save.isDryRun ? "would remove" : "removed"
        lines += removedCredentials.map { "  \(verb) the credential \($0)" }
        for item in proposal.items where item.outcome != .kept {
            lines.append("  \(item.place) \(item.outcome.rawValue): \(item.text)")
        }
        let kept = proposal.items.filter { $0.outcome == .kept }
        if !kept.isEmpty {
            lines.append("  kept: \(unique(kept.map(\.key)).joined(separator: ", "))\(anchors)")
        }
        return lines.joined(separator: "\n")
    }

    private var profileLine: String {
        let profile = proposal.material.profile
        let signature =
            profile.signer.map { "signed by \($0.text)" } ?? "not signed: you vouch for it"
        let name = profile.identifier
        let verb =
            switch (changes.changesProfile, save.isDryRun) {
            case (true, false): "enrolled the profile \(name)"
            case (true, true): "would enrol the profile \(name)"
            case (false, false): "left the profile \(name) as it is"
            case (false, true): "would leave the profile \(name) as it is"
            }
        return "\(verb), \(signature)"
    }

    private func shown(_ anchor: TrustAnchor?) -> String { anchor?.shown ?? "(none)" }

    /// How many anchors there are, by the word for them; nothing for a tunnel that has none by its
    /// nature.
    private var anchors: String {
        let material = proposal.material
        let anchors = material.profile.anchors
        let ofPeers =
            anchors.allSatisfy { $0.kind == .wireguard }
            && (!anchors.isEmpty || material.tunnels.contains { $0.wireGuard != nil })
        guard ofPeers || !anchors.isEmpty else { return "" }
        return " (\(anchors.count) \(ofPeers ? "peer" : "anchor")\(anchors.count == 1 ? "" : "s"))"
    }

    private func unique(_ keys: [String]) -> [String] {
        var seen: Set<String> = []
        return keys.filter { seen.insert($0).inserted }
    }
}

extension EnrollAnswer: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            save.writeMembers(to: &writer)
            writer.member("profile", proposal.material.profile.identifier)
            writer.member("signer", proposal.material.profile.signer)
            writer.member("credentials", proposal.material.secrets.keys.sorted())
            writer.member("anchorChanges", changes.anchors.map(ChangedAnchor.init))
            writer.member("replacedCredentials", changes.replacedCredentials)
            writer.member("removedCredentials", removedCredentials)
            writer.member("lines", proposal.items.map(Line.init))
        }
    }
}

private struct Line: JSONEncodable {
    let item: EnrolmentItem

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("line", item.line)
            writer.member("key", item.key)
            writer.member("outcome", item.outcome.rawValue)
            writer.member("text", item.text)
        }
    }
}

private struct ChangedAnchor: JSONEncodable {
    let anchor: EnrolmentChanges.Anchor

    init(_ anchor: EnrolmentChanges.Anchor) {
        self.anchor = anchor
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("anchor", anchor.name)
            writer.member("old", anchor.old?.shown)
            writer.member("new", anchor.new?.shown)
        }
    }
}

extension TrustAnchor {
    /// What it is, on one line: a key or hash whole, a certificate by its fingerprint.
    fileprivate var shown: String {
        guard kind == .x509 else { return value }
        return certificate.map { "SHA-256 \($0.fingerprint.text)" } ?? "a certificate"
    }
}
