internal import Enrolment
internal import JSON
internal import TunnelModel

/// What `enroll` answers: what was saved, and what became of each line.
struct EnrollAnswer {
    let save: SaveAnswer
    let material: EnrolledMaterial
    let items: [EnrolmentItem]
    let removedCredentials: [String]

    /// The answer for people: what is as the file says in short, all else line by line.
    var text: String {
        var lines = [save.text]
        let kept = items.filter { $0.outcome == .kept }
        let peers = material.profile.anchors.count
        lines.append(
            "  kept: \(unique(kept.map(\.key)).joined(separator: ", ")) "
                + "(\(peers) \(peers == 1 ? "peer" : "peers"))")
        for item in items where item.outcome != .kept {
            lines.append("  line \(item.line): \(item.key) \(item.outcome.rawValue): \(item.text)")
        }
        let verb = save.isDryRun ? "would remove" : "removed"
        lines += removedCredentials.map { "  \(verb) the credential \($0)" }
        return lines.joined(separator: "\n")
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
            writer.member("profile", material.profile.identifier)
            writer.member("credentials", material.secrets.keys.sorted())
            writer.member("removedCredentials", removedCredentials)
            writer.member("lines", items.map(Line.init))
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
