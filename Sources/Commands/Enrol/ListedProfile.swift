internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// An enrolled profile as `profiles` tells of it.
struct ListedProfile {
    let name: String
    /// `nil` where it cannot be read.
    let profile: EnrolledProfile?
    let problem: String?
    let usedBy: [String]
    let validity: [ValidityNotice]

    /// All profiles, readable or not.
    static func all(_ context: Context) throws(Failure) -> [ListedProfile] {
        let document = try context.preferences()
        let store = ProfileStore(context.layout)
        let names: [String]
        do { names = try store.allNames() } catch { throw Failure(error) }
        let now = Timestamp(microseconds: Clock.wallMicroseconds)
        return names.map { name in
            var profile: EnrolledProfile?
            var problem: String?
            do throws(ProfileError) { profile = try store.profile(name) } catch {
                problem = Failure(error).text
            }
            return ListedProfile(
                name: name, profile: profile, problem: problem,
                usedBy: document.users(ofProfile: name),
                validity: profile?.validityNotices(at: now) ?? [])
        }
    }

    /// The row for people.
    var columns: [String] {
        let users = usedBy.isEmpty ? "not used" : "used by \(usedBy.joined(separator: ", "))"
        guard let profile else { return [name, "", "", users, problem ?? ""] }
        let count = profile.anchors.count
        let notices = validity.map { "\($0.anchor ?? "the profile") \($0.problem)" }
        return [
            name, "\(count) anchor\(count == 1 ? "" : "s")", issuer(of: profile), users,
            notices.isEmpty ? "valid" : notices.joined(separator: "; "),
        ]
    }

    /// Everything about it, for people.
    var lines: [String] {
        guard let profile else { return [name, "  unusable: \(problem ?? "")"] }
        var lines = [name]
        func tell(_ key: String, _ value: String) {
            if !value.isEmpty { lines.append("  \(key): \(value)") }
        }
        tell("title", profile.title.madePrintable(limit: 256))
        tell("organisation", profile.organisation.madePrintable(limit: 256))
        tell("signer", profile.signer?.text ?? "not signed")
        tell("not before", profile.notBefore?.text ?? "")
        tell("not after", profile.notAfter?.text ?? "")
        for anchor in profile.anchors {
            tell("anchor \(anchor.named(in: name).name)", text(of: anchor))
        }
        tell("credentials", profile.credentials.joined(separator: ", "))
        tell("used by", usedBy.isEmpty ? "nothing" : usedBy.joined(separator: ", "))
        for notice in validity {
            lines.append("  warning: \(notice.anchor ?? "the profile") \(notice.problem)")
        }
        return lines
    }

    private func issuer(of profile: EnrolledProfile) -> String {
        let signer = profile.signer.map { "signed by \($0.subject)" } ?? "not signed"
        return profile.organisation.isEmpty
            ? signer : "\(profile.organisation.madePrintable(limit: 256)), \(signer)"
    }

    private func text(of anchor: TrustAnchor) -> String {
        guard anchor.kind == .x509 else { return "\(anchor.kind.rawValue) \(anchor.value)" }
        guard let certificate = anchor.certificate else { return anchor.kind.rawValue }
        return "x509 \(certificate.subject) (SHA-256 \(certificate.fingerprint.text)), from "
            + "\(certificate.notBefore.text) to \(certificate.notAfter.text)"
    }
}

extension ListedProfile: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", name)
            writer.member("title", profile?.title)
            writer.member("organisation", profile?.organisation)
            writer.member("notBefore", profile?.notBefore)
            writer.member("notAfter", profile?.notAfter)
            writer.member("signer", profile?.signer)
            writer.member("anchors", profile?.anchors ?? [])
            writer.member("credentials", profile?.credentials ?? [])
            writer.member("usedBy", usedBy)
            writer.member("warnings", validity.map(ListedNotice.init))
            writer.member("problem", problem)
        }
    }
}

private struct ListedNotice: JSONEncodable {
    let notice: ValidityNotice

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("anchor", notice.anchor)
            writer.member("code", notice.validity.code?.rawValue)
            writer.member("time", notice.validity.moment)
        }
    }
}

/// What `profiles remove` answers.
struct RemovedProfiles: JSONEncodable {
    let names: [String]
    /// The secrets that went with them.
    let credentials: [String]

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("removed", names)
            writer.member("removedCredentials", credentials)
        }
    }
}
