package import JSON
internal import LinuxSystem
package import TunnelModel

/// Why nothing was enrolled.
package enum EnrolmentError: Error, Equatable, Sendable {
    /// There is a configuration of the name.
    case configurationExists(String)
    /// A file that would be made is left from before.
    case fileExists(path: String)
    /// What the configuration would be is not one.
    case invalid(JSONError)
    case preferences(PreferencesError)
}

/// What an enrolment came to, or would come to.
package struct EnrolledResult: Sendable {
    package let saved: SavedConfiguration
    /// The configuration as it was.
    package let former: Configuration?
    package let notices: [ConfigurationNotice]
    /// The files of secrets that were removed, as nothing refers to them any more.
    package let removedCredentials: [String]
}

/// Enrols: profile, secrets and configuration, all of it or nothing.
package struct EnrolmentStore: Sendable {
    private struct Plan {
        let document: PreferencesDocument
        let journal: EnrolmentJournal
        let result: EnrolledResult
    }

    private let layout: FileLayout
    private let preferences: PreferencesStore
    private let credentials: CredentialStore
    private let profiles: ProfileStore

    /// The store of a layout.
    package init(_ layout: FileLayout) {
        self.layout = layout
        preferences = PreferencesStore(layout)
        credentials = CredentialStore(layout)
        profiles = ProfileStore(layout)
    }

    /// Whether an enrolment was left in the middle, or is in it.
    package var isUnsettled: Bool { Directory.holds(layout.enrolmentJournal) }

    /// Ends what an enrolment that is gone has left in the middle.
    ///
    /// - Returns: what to tell about it; `nil` where nothing was left.
    package func settle(_ turn: borrowing PreferencesTurn) throws(PreferencesError) -> String? {
        guard isUnsettled else { return nil }
        switch try EnrolmentJournal.settle(layout, try preferences.read(), turn) {
        case .completed(let name)?: return "an interrupted enrolment of \(name) was completed"
        case .takenBack(let name)?: return "an interrupted enrolment of \(name) was taken back"
        case nil: return nil
        }
    }

    /// Enrols; with `replacing` in the place of what has the name, else only where nothing has.
    package func enrol(_ material: EnrolledMaterial, replacing: Bool) throws(EnrolmentError)
        -> EnrolledResult
    {
        let turn = try preferring { () throws(PreferencesError) in
            try PreferencesTurn.take(layout)
        }
        let before = try preferring { () throws(PreferencesError) in
            let document = try preferences.readSafely()
            try EnrolmentJournal.settle(layout, document, turn)
            return document
        }
        let plan = try plan(material, replacing, before ?? PreferencesDocument())
        try preferring { () throws(PreferencesError) in try carryOut(plan, material, turn) }
        return plan.result
    }

    /// What enrolling would come to; it writes nothing.
    package func rehearse(_ material: EnrolledMaterial, replacing: Bool) throws(EnrolmentError)
        -> EnrolledResult
    {
        let document = try preferring { () throws(PreferencesError) in try preferences.read() }
        return try plan(material, replacing, document ?? PreferencesDocument()).result
    }

    private func plan(
        _ material: EnrolledMaterial,
        _ replacing: Bool,
        _ document: PreferencesDocument
    ) throws(EnrolmentError) -> Plan {
        let name = material.profile.identifier
        let former = document.configurations.first { $0.name == name }
        let files =
            material.secrets.keys.sorted().map { EnrolledFile.credential($0) }
            + [.profile(name)]
        let existing = files.filter { Directory.holds($0.path(in: layout)) }
        if !replacing {
            if former != nil { throw .configurationExists(name) }
            if let file = existing.first { throw .fileExists(path: file.path(in: layout)) }
        }
        var configuration =
            former ?? Configuration(identifier: Identifier.make(from: Random.bytes(16)), name: name)
        material.configure(&configuration)
        let (normalized, notices) = configuration.normalized()
        if let error = normalized.providerConfigurationError { throw .invalid(error) }
        var changed = document
        let saved = changed.put(normalized)
        let obsolete = try obsoleteCredentials(material, changed)
        let journal = EnrolmentJournal(
            name: name, identifier: normalized.identifier,
            generation: saved.configuration.generation, replaced: existing,
            created: files.filter { !existing.contains($0) },
            obsolete: obsolete.map { .credential($0) })
        return Plan(
            document: changed, journal: journal,
            result: EnrolledResult(
                saved: saved, former: former, notices: notices, removedCredentials: obsolete))
    }

    /// The secrets of earlier peers that nothing refers to any more.
    private func obsoleteCredentials(
        _ material: EnrolledMaterial,
        _ document: PreferencesDocument
    ) throws(EnrolmentError) -> [String] {
        let names = try preferring { () throws(PreferencesError) in try credentials.names() }
        let own = names.filter {
            EnrolledMaterial.isCredential($0, of: material.profile.identifier)
        }
        guard !own.isEmpty else { return [] }
        let referred = Set(document.configurations.flatMap(\.credentials.values))
        return own.filter { !referred.contains("file:\($0)") }
    }

    private func carryOut(
        _ plan: Plan,
        _ material: EnrolledMaterial,
        _ turn: borrowing PreferencesTurn
    ) throws(PreferencesError) {
        do throws(PreferencesError) {
            try plan.journal.begin(layout)
            try write(material.secrets)
            do throws(SystemError) { try profiles.replace(material.profile) } catch {
                throw .unwritable(path: layout.profilesDirectory, error)
            }
            // From here on it is done: the rest is clearing up, for which there is a next time.
            try preferences.write(plan.document, turn)
        } catch {
            // Where even this fails, whoever changes anything next does it.
            try? plan.journal.undo(layout)
            throw error
        }
        try? plan.journal.finish(layout)
    }

    private func write(_ secrets: [String: Secret]) throws(PreferencesError) {
        // Each durable write waits for the disk; of a thousand, once for all of them.
        let isDurable = secrets.count <= 16
        try credentials.prepare()
        for (file, secret) in secrets.sorted(by: { $0.key < $1.key }) {
            try credentials.put(secret.bytes, as: file, isDurable: isDurable)
        }
        guard !isDurable else { return }
        do throws(SystemError) {
            try Directory.syncFileSystem(of: layout.credentialsDirectory)
        } catch {
            throw .unwritable(path: layout.credentialsDirectory, error)
        }
    }

    private func preferring<Result: ~Copyable>(
        _ body: () throws(PreferencesError) -> Result
    ) throws(EnrolmentError) -> Result {
        do { return try body() } catch { throw .preferences(error) }
    }
}
