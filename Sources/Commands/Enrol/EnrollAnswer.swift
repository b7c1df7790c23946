internal import Enrolment
internal import JSON
internal import TunnelModel

/// What `enroll` answers: what was saved, and what became of each part of the file.
struct EnrollAnswer {
    let save: SaveAnswer
    let proposal: EnrolmentProposal
    /// Whether it is worth telling that a file is not signed: those of some formats never are.
    let tellsSignature: Bool
    let removedCredentials: [String]

    /// The answer for people: what is as the file says in short, all else line by line.
    var text: String {
        var lines = save.text.isEmpty ? [] : [save.text]
        lines.append(contentsOf: profileLines)
        let kept = proposal.items.filter { $0.outcome == .kept }
        if !kept.isEmpty {
            let keys = unique(kept.map(\.key)).joined(separator: ", ")
            lines.append("  kept: \(keys) (\(anchors))")
        }
        for item in proposal.items where item.outcome != .kept {
            lines.append("  \(item.place) \(item.outcome.rawValue): \(item.text)")
        }
        let verb = save.isDryRun ? "would remove" : "removed"
        lines += removedCredentials.map { "  \(verb) the credential \($0)" }
        return lines.joined(separator: "\n")
    }

    /// What is told of the profile, where not all of it stands in the name of a configuration.
    private var profileLines: [String] {
        guard tellsSignature else { return [] }
        let profile = proposal.material.profile
        let signature =
            profile.signer.map { "signed by \($0.text)" } ?? "not signed: you vouch for it"
        let verb = save.isDryRun ? "would enrol" : "enrolled"
        return ["\(verb) the profile \(profile.identifier), \(signature)"]
    }

    /// How many anchors there are, by the word for them.
    private var anchors: String {
        let anchors = proposal.material.profile.anchors
        let word = anchors.allSatisfy { $0.kind == .wireguard } ? "peer" : "anchor"
        return "\(anchors.count) \(word)\(anchors.count == 1 ? "" : "s")"
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
