internal import LinuxSystem
package import TunnelModel

/// Why no profile was removed.
package enum RemovalError: Error, Equatable, Sendable {
    /// Nothing was enrolled under the name.
    case notEnrolled(String, enrolled: [String])
    /// A configuration names an anchor of it.
    case inUse(profile: String, by: [String])
    case preferences(PreferencesError)
}

extension EnrolmentStore {
    /// Removes profiles, and the secrets that came with them and that nothing refers to: all of
    /// it or nothing; with `isForced` even where configurations name their anchors.
    ///
    /// - Returns: the names of the secrets.
    package func remove(
        _ names: [String],
        isForced: Bool,
        _ turn: borrowing PreferencesTurn
    ) throws(RemovalError) -> [String] {
        let document: PreferencesDocument
        do { document = try preferences.readSafely() ?? PreferencesDocument() } catch {
            throw .preferences(error)
        }
        for name in names {
            guard Naming.problem(ofProfile: name) == nil,
                Directory.holds(EnrolledFile.profile(name).path(in: layout))
            else {
                throw .notEnrolled(name, enrolled: profiles.names)
            }
            let users = document.users(ofProfile: name)
            guard users.isEmpty || isForced else { throw .inUse(profile: name, by: users) }
        }
        let credentials = Set(
            names.flatMap { (try? profiles.profile($0))?.credentials ?? [] }
        ).subtracting(document.referredCredentials(layout)).sorted()
            .filter { Directory.holds(EnrolledFile.credential($0).path(in: layout)) }
        let journal = EnrolmentJournal(
            name: names.joined(separator: ", "), configurations: [],
            obsolete: names.map { .profile($0) } + credentials.map { .credential($0) })
        do throws(PreferencesError) {
            try journal.begin(layout)
            try journal.finish(layout)
        } catch {
            throw .preferences(error)
        }
        return credentials
    }
}

extension PreferencesDocument {
    /// The configurations that name an anchor of a profile, sorted.
    package func users(ofProfile name: String) -> [String] {
        configurations.filter { configuration in
            configuration.trust.contains { AnchorReference($0)?.profile == name }
        }.map(\.name).sorted()
    }

    /// The configurations that refer to a secret of the store, sorted.
    package func users(ofCredential name: String, _ layout: FileLayout) -> [String] {
        configurations.filter { $0.credentialFiles(layout).contains(name) }.map(\.name).sorted()
    }

    /// The names of the secrets of the store to which configurations refer.
    package func referredCredentials(_ layout: FileLayout) -> Set<String> {
        Set(configurations.flatMap { $0.credentialFiles(layout) })
    }
}

extension Configuration {
    /// The names of the secrets of the store to which it refers, by whichever path.
    package func credentialFiles(_ layout: FileLayout) -> Set<String> {
        Set(
            credentials.values.compactMap { reference in
                guard case .file(let path)? = CredentialReference(reference) else { return nil }
                let (directory, name) = AtomicFile.split(path)
                return directory == layout.credentialsDirectory ? name : path
            })
    }
}
