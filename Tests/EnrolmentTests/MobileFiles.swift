import Enrolment
import JSON
import PropertyLists
import TestSupport
import TunnelModel

/// Short ways to read configuration profiles.
enum MobileFiles {
    /// What enrolling a sample comes to.
    static func proposal(of sample: MobileSample, name: String? = nil, arm: Bool = false) throws
        -> EnrolmentProposal
    {
        let root = try PropertyList.parse(sample.bytes)
        let options = MobileProfile.Options(name: name, provider: sample.provider, arm: arm)
        return try MobileProfile.proposal(of: root, options)
    }

    static func proposal(of text: String, name: String? = nil, arm: Bool = false) throws
        -> EnrolmentProposal
    {
        try proposal(of: MobileSample("", text), name: name, arm: arm)
    }

    /// What is wrong with a sample; `nil` where nothing is.
    static func problem(of sample: MobileSample) -> String? {
        do {
            _ = try proposal(of: sample)
            return nil
        } catch let error as PropertyListError {
            return error.text
        } catch let error as MobileProfileError {
            return error.text
        } catch {
            return "\(error)"
        }
    }

    /// Everything that a sample comes to but its lines: the profile, its secrets by their names,
    /// and of each configuration what is not the default.
    static func model(of proposal: EnrolmentProposal) throws -> [String] {
        let profile = proposal.material.profile
        var lines = ["profile \(profile.identifier) \"\(profile.title)\""]
        if let notAfter = profile.notAfter { lines.append("  until \(notAfter.text)") }
        lines += profile.anchors.map { "  anchor \($0.name) \($0.kind.rawValue)" }
        lines += profile.credentials.map { "  credential \($0)" }
        for tunnel in proposal.material.tunnels {
            var configuration = Configuration(identifier: "", name: tunnel.name)
            tunnel.configure(&configuration)
            lines.append("configuration \(tunnel.name)")
            let plain = JSONObject(writing: Configuration(identifier: "", name: tunnel.name))
            lines += differences(JSONObject(writing: configuration), plain, "  ")
        }
        return lines
    }

    /// What becomes of the keys, one a line.
    static func lines(of proposal: EnrolmentProposal, _ outcomes: Set<EnrolmentItem.Outcome>)
        -> [String]
    {
        proposal.items.filter { outcomes.contains($0.outcome) }
            .map { "\($0.outcome.rawValue) \($0.key): \($0.text)" }
    }

    private static func differences(_ object: JSONObject, _ plain: JSONObject, _ path: String)
        -> [String]
    {
        object.members.flatMap { member -> [String] in
            let former = plain[member.key]
            guard member.value != former else { return [] }
            if let inner = member.value.object, let other = former?.object, !other.isEmpty {
                return differences(inner, other, "\(path)\(member.key).")
            }
            let text = String(decoding: JSONWriter.line(member.value).dropLast(), as: UTF8.self)
            return ["\(path)\(member.key) \(text)"]
        }
    }
}
