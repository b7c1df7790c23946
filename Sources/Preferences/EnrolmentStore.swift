internal import Glibc
package import JSON
internal import LinuxSystem
package import TunnelModel

/// Why nothing was enrolled.
package enum EnrolmentError: Error, Equatable, Sendable {
    /// There is a configuration of the name.
    case configurationExists(String)
    /// A file that would be made is left from before.
    case fileExists(path: String)
    /// A configuration names an anchor that is neither in the profile nor enrolled.
    case trust(configuration: String, ProfileError)
    /// The profile that is replaced was signed by somebody else; `nil` is nobody.
    case signerChanged(String, former: CertificateDescription, new: CertificateDescription?)
    /// The same of a profile that a replaced configuration goes by.
    case signedConfiguration(
        String, profile: String, former: CertificateDescription, new: CertificateDescription?)
    /// The profile that is replaced cannot be read, so that nobody can tell who signed it.
    case formerUnusable(ProfileError)
    /// A configuration of the file refers to a secret that is not its own.
    case foreignCredential(configuration: String, key: String, ForeignCredential)
    /// The profile would be a file that is too large to be read again.
    case profileTooLarge(String)
    /// What the configuration would be is not one.
    case invalid(JSONError)
    case preferences(PreferencesError)
}

/// What an enrolment came to, or would come to.
package struct EnrolledResult: Sendable {
    /// In the order of the file.
    package let saved: [SavedConfiguration]
    /// The configurations as they were, by their identifiers.
    package let former: [String: Configuration]
    package let notices: [(name: String, notice: ConfigurationNotice)]
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

    let layout: FileLayout
    let preferences: PreferencesStore
    private let credentials: CredentialStore
    let profiles: ProfileStore

    /// The store of a layout.
    package init(_ layout: FileLayout) {
        self.layout = layout
        preferences = PreferencesStore(layout)
        credentials = CredentialStore(layout)
        profiles = ProfileStore(layout)
    }

    /// Whether an enrolment was left in the middle, or is in it.
    package var isUnsettled: Bool { Directory.holds(layout.enrolmentJournal) }

    /// Whether one that was killed before it had begun has left its temporary file.
    package var hasRemains: Bool {
        let (directory, name) = AtomicFile.split(layout.enrolmentJournal)
        let names = (try? Directory.names(directory)) ?? []
        return names.contains { $0.hasPrefix(".\(name).") }
    }

    /// Ends what an enrolment that is gone has left in the middle.
    ///
    /// - Returns: what to tell about it; `nil` where nothing was left.
    package func settle(_ turn: borrowing PreferencesTurn) throws(PreferencesError) -> String? {
        do throws(SystemError) {
            // What was killed before it had begun leaves this alone.
            try AtomicFile.removeTemporaries(of: layout.enrolmentJournal)
        } catch {
            if error.errno != ENOENT { throw .unwritable(path: layout.enrolmentJournal, error) }
        }
        guard isUnsettled else { return nil }
        switch try EnrolmentJournal.settle(layout, try preferences.read(), turn) {
        case .completed(let name)?: return "an interrupted enrolment of \(name) was completed"
        case .takenBack(let name)?: return "an interrupted enrolment of \(name) was taken back"
        case .removed(let name)?: return "an interrupted removal of \(name) was completed"
        case nil: return nil
        }
    }

    /// Enrols; with `replacing` in the place of what has the name, else only where nothing has.
    ///
    /// What was signed is replaced by the same signer alone, unless this `acceptsNewSigner`.
    package func enrol(
        _ material: EnrolledMaterial,
        replacing: Bool,
        acceptsNewSigner: Bool = false
    ) throws(EnrolmentError) -> EnrolledResult {
        let turn = try preferring { () throws(PreferencesError) in
            try PreferencesTurn.take(layout)
        }
        let before = try preferring { () throws(PreferencesError) in
            let document = try preferences.readSafely()
            try EnrolmentJournal.settle(layout, document, turn)
            return document
        }
        let document = before ?? PreferencesDocument()
        if replacing, !acceptsNewSigner { try checkSigners(of: material, document) }
        let plan = try plan(material, replacing, document)
        try preferring { () throws(PreferencesError) in try carryOut(plan, material, turn) }
        return plan.result
    }

    /// What enrolling would come to; it writes nothing.
    package func rehearse(
        _ material: EnrolledMaterial,
        replacing: Bool,
        acceptsNewSigner: Bool = false
    ) throws(EnrolmentError) -> EnrolledResult {
        let saved = try preferring { () throws(PreferencesError) in try preferences.read() }
        let document = saved ?? PreferencesDocument()
        if replacing, !acceptsNewSigner { try checkSigners(of: material, document) }
        return try plan(material, replacing, document).result
    }

    private func plan(
        _ material: EnrolledMaterial,
        _ replacing: Bool,
        _ document: PreferencesDocument
    ) throws(EnrolmentError) -> Plan {
        let files =
            material.secrets.keys.sorted().map { EnrolledFile.credential($0) }
            + [.profile(material.profile.identifier)]
        let existing = files.filter { Directory.holds($0.path(in: layout)) }
        if !replacing {
            for tunnel in material.tunnels
            where document.configurations.contains(where: { $0.name == tunnel.name }) {
                throw .configurationExists(tunnel.name)
            }
            if let file = existing.first { throw .fileExists(path: file.path(in: layout)) }
        }
        var changed = document
        let placed = try place(material.tunnels, in: &changed)
        try checkTrust(of: placed.saved, material.profile)
        try checkCredentials(of: placed.saved, placed.former, material, document)
        guard ProfileStore.canHold(material.profile) else {
            throw .profileTooLarge(material.profile.identifier)
        }
        let obsolete = obsoleteCredentials(material, changed)
        let journal = EnrolmentJournal(
            name: material.profile.identifier, configurations: placed.saved.map(\.mark),
            replaced: existing, created: files.filter { !existing.contains($0) },
            obsolete: obsolete.map { .credential($0) })
        return Plan(
            document: changed, journal: journal,
            result: EnrolledResult(
                saved: placed.saved, former: placed.former,
                notices: placed.notices + lostAnchors(of: material.profile, changed),
                removedCredentials: obsolete))
    }

    private func place(_ tunnels: [EnrolledTunnel], in document: inout PreferencesDocument)
        throws(EnrolmentError)
        -> (
            saved: [SavedConfiguration], former: [String: Configuration],
            notices: [(name: String, notice: ConfigurationNotice)]
        )
    {
        var saved: [SavedConfiguration] = []
        var former: [String: Configuration] = [:]
        var notices: [(name: String, notice: ConfigurationNotice)] = []
        for tunnel in tunnels {
            let old = document.configurations.first { $0.name == tunnel.name }
            var configuration =
                old
                ?? Configuration(
                    identifier: Identifier.make(from: Random.bytes(16)), name: tunnel.name)
            tunnel.configure(&configuration)
            let (normalized, told) = configuration.normalized()
            if let material = normalized.misplacedMaterial.first {
                throw .preferences(.misplaced(material))
            }
            if let error = normalized.contradiction ?? normalized.providerConfigurationError {
                throw .invalid(error)
            }
            former[normalized.identifier] = old
            notices += told.map { (name: tunnel.name, notice: $0) }
            saved.append(document.put(normalized))
        }
        return (saved, former, notices)
    }

    /// The secrets of the former profile that it has no more and nothing refers to.
    private func obsoleteCredentials(_ material: EnrolledMaterial, _ document: PreferencesDocument)
        -> [String]
    {
        // One that cannot be read is replaced all the same, and says of no secret that it is its.
        let former = try? profiles.profile(material.profile.identifier)
        let own = (former?.credentials ?? []).filter { material.secrets[$0] == nil }
        guard !own.isEmpty else { return [] }
        let referred = document.referredCredentials(layout)
        return own.filter { !referred.contains($0) }
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
            if !plan.result.saved.isEmpty { try preferences.write(plan.document, turn) }
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
