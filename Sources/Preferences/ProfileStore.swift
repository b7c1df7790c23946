internal import Glibc
internal import JSON
package import LinuxSystem
package import TunnelModel

/// Why an enrolled anchor cannot be used.
package enum ProfileError: Error, Equatable, Sendable {
    /// The name is not of the form `PROFILE/ANCHOR`.
    case notAnAnchor(name: String)
    /// Nothing was enrolled under the name of the profile.
    case notEnrolled(name: String, profile: String, enrolled: [String])
    /// The profile has no such anchor.
    case noSuchAnchor(name: String, anchors: [String])
    /// The provider has no use for this kind of anchor.
    case wrongKind(name: String, kind: TrustAnchor.Kind, wanted: ProviderManifest.TrustKind)
    /// Two names of one key: the protocol could not tell the peers apart.
    case sameKey(name: String, other: String)
    /// The time of the profile is over.
    case expired(profile: String, notAfter: Timestamp)
    /// The time of the profile has not come.
    case notYetValid(profile: String, notBefore: Timestamp)
    /// Its file cannot be read, holds something else, or could have been written by anybody.
    case unusable(profile: String, path: String, problem: String)
}

/// The enrolled profiles: a file each, named after its profile.
package struct ProfileStore: Sendable {
    private let layout: FileLayout

    /// No profile of ours comes near this.
    private static let largestProfile = 16 << 20

    /// The profiles of a layout.
    package init(_ layout: FileLayout) {
        self.layout = layout
    }

    /// The names of all profiles, readable or not, sorted; none where even these cannot be read.
    package var names: [String] { (try? allNames()) ?? [] }

    /// The names of all profiles, readable or not, sorted.
    package func allNames() throws(SystemError) -> [String] {
        try Directory.names(layout.profilesDirectory).filter { $0.hasSuffix(".json") }.map {
            String($0.dropLast(5))
        }
        .filter { Naming.problem(ofProfile: $0) == nil }
    }

    /// The anchor that a configuration calls `PROFILE/ANCHOR`, under that name.
    package func anchor(named name: String) throws(ProfileError) -> TrustAnchor {
        let anchors = try anchors(named: [name])
        guard let anchor = anchors.first else { throw .notAnAnchor(name: name) }
        return anchor
    }

    /// The anchors of several names, in their order; each profile is read once.
    ///
    /// `kind` is what the provider takes; `nil` takes any.
    package func anchors(named names: [String], for kind: ProviderManifest.TrustKind? = nil)
        throws(ProfileError) -> [TrustAnchor]
    {
        var lookup = AnchorLookup(self, kind)
        var anchors: [TrustAnchor] = []
        for name in names { anchors.append(try lookup.anchor(name)) }
        return anchors
    }

    /// What stands against each of several names, by its place among them.
    package func problems(of names: [String], for kind: ProviderManifest.TrustKind? = nil)
        -> [(index: Int, error: ProfileError)]
    {
        var lookup = AnchorLookup(self, kind)
        return names.enumerated().compactMap { index, name in
            do throws(ProfileError) {
                _ = try lookup.anchor(name)
                return nil
            } catch {
                return (index, error)
            }
        }
    }

    /// A profile; `nil` where nothing was enrolled under the name.
    package func profile(_ name: String) throws(ProfileError) -> EnrolledProfile? {
        let path = path(of: name)
        func unusable(_ problem: String) -> ProfileError {
            .unusable(profile: name, path: path, problem: problem)
        }
        if let problem = TrustedFile.problem(ofDirectory: layout.profilesDirectory) {
            throw unusable("its directory: \(problem)")
        }
        let bytes: [UInt8]
        do throws(TrustedFile.Failure) {
            bytes = try TrustedFile.read(path, limit: Self.largestProfile)
        } catch .system(let error) where error.errno == ENOENT {
            return nil
        } catch {
            throw unusable(error.problem)
        }
        let profile: EnrolledProfile
        do throws(JSONError) {
            profile = try JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
                try EnrolledProfile(node)
            }
        } catch {
            throw unusable(error.text)
        }
        guard profile.identifier == name else {
            throw unusable("identifier: \(profile.identifier), where the file's name says \(name)")
        }
        return profile
    }

    /// Whether a profile can be read again once it is written.
    static func canHold(_ profile: EnrolledProfile) -> Bool {
        JSONWriter.line(profile, layout: .indented).count <= largestProfile
    }

    /// Writes a profile, or replaces the one of its name, atomically.
    package func replace(_ profile: EnrolledProfile) throws(SystemError) {
        try Directory.create(layout.profilesDirectory, mode: 0o755)
        try AtomicFile.replace(
            path(of: profile.identifier), with: JSONWriter.line(profile, layout: .indented),
            mode: 0o644)
    }

    /// Removes a profile; one that is not there is no error.
    package func remove(_ name: String) throws(SystemError) {
        try Directory.removeFile(path(of: name))
    }

    private func path(of name: String) -> String { "\(layout.profilesDirectory)/\(name).json" }
}

/// Finds anchors one after the other, and reads each profile once.
private struct AnchorLookup {
    private let store: ProfileStore
    private let kind: ProviderManifest.TrustKind?
    /// What was found of each profile, or why it cannot be used: a thousand names of one that is
    /// broken are one look at it.
    private var profiles: [String: Result<[String: TrustAnchor]?, ProfileError>] = [:]
    private var names: [String: String] = [:]

    init(_ store: ProfileStore, _ kind: ProviderManifest.TrustKind?) {
        self.store = store
        self.kind = kind
    }

    mutating func anchor(_ name: String) throws(ProfileError) -> TrustAnchor {
        guard let reference = AnchorReference(name) else { throw .notAnAnchor(name: name) }
        let known = try anchors(of: reference.profile, for: name)
        guard let anchor = known[reference.anchor] else {
            throw .noSuchAnchor(name: name, anchors: known.keys.sorted())
        }
        if let kind, !kind.accepts(anchor.kind) {
            throw .wrongKind(name: name, kind: anchor.kind, wanted: kind)
        }
        if anchor.kind == .wireguard {
            let other = names.updateValue(name, forKey: anchor.value)
            if let other, other != name { throw .sameKey(name: name, other: other) }
        }
        return anchor.named(in: reference.profile)
    }

    private mutating func anchors(of profile: String, for name: String) throws(ProfileError)
        -> [String: TrustAnchor]
    {
        let known = profiles[profile] ?? look(at: profile)
        profiles[profile] = known
        guard let anchors = try known.get() else {
            throw .notEnrolled(name: name, profile: profile, enrolled: store.names)
        }
        return anchors
    }

    private func look(at profile: String) -> Result<[String: TrustAnchor]?, ProfileError> {
        do throws(ProfileError) {
            guard let found = try store.profile(profile) else { return .success(nil) }
            switch found.validity(at: Timestamp(microseconds: Clock.wallMicroseconds)) {
            case .valid, .ending: break
            case .ended(let end): return .failure(.expired(profile: profile, notAfter: end))
            case .notYet(let start):
                return .failure(.notYetValid(profile: profile, notBefore: start))
            }
            var anchors: [String: TrustAnchor] = [:]
            for anchor in found.anchors { anchors[anchor.name] = anchor }
            return .success(anchors)
        } catch {
            return .failure(error)
        }
    }
}
