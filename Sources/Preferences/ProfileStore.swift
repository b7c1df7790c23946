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
    /// The time of the profile is over.
    case expired(profile: String, notAfter: Timestamp)
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

    /// The names of all profiles, readable or not, sorted.
    package var names: [String] {
        let files = (try? Directory.names(layout.profilesDirectory)) ?? []
        return files.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
            .filter { Naming.problem(ofProfile: $0) == nil }
    }

    /// The anchor that a configuration calls `PROFILE/ANCHOR`, under that name.
    package func anchor(named name: String) throws(ProfileError) -> TrustAnchor {
        let anchors = try anchors(named: [name])
        guard let anchor = anchors.first else { throw .notAnAnchor(name: name) }
        return anchor
    }

    /// The anchors of several names, in their order; each profile is read once.
    package func anchors(named names: [String]) throws(ProfileError) -> [TrustAnchor] {
        var read: [String: [String: TrustAnchor]] = [:]
        var anchors: [TrustAnchor] = []
        for name in names {
            guard let reference = AnchorReference(name) else { throw .notAnAnchor(name: name) }
            var known = read[reference.profile]
            if known == nil {
                let profile = try valid(reference.profile, for: name)
                known = [:]
                for anchor in profile.anchors { known?[anchor.name] = anchor }
                read[reference.profile] = known
            }
            guard let anchor = known?[reference.anchor] else {
                throw .noSuchAnchor(name: name, anchors: known?.keys.sorted() ?? [])
            }
            anchors.append(anchor.named(in: reference.profile))
        }
        return anchors
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

    private func valid(_ profile: String, for name: String) throws(ProfileError)
        -> EnrolledProfile
    {
        guard let found = try self.profile(profile) else {
            throw .notEnrolled(name: name, profile: profile, enrolled: names)
        }
        let now = Timestamp(microseconds: Clock.wallMicroseconds)
        if let notAfter = found.notAfter, notAfter < now {
            throw .expired(profile: profile, notAfter: notAfter)
        }
        return found
    }
}
