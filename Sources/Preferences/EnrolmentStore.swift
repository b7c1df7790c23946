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
    /// A profile of the name is enrolled.
    case profileExists(String)
    /// A configuration that is not in the file refers to a secret that would be replaced.
    case credentialInUse(String, by: [String])
    /// A configuration that is not in the file trusts an anchor that would be replaced.
    case anchorInUse(String, by: [String])
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
    package let changes: EnrolmentChanges
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
    let credentials: CredentialStore
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
        // One that cannot be read is replaced all the same: nobody could use it either.
        let former = try? profiles.profile(material.profile.identifier)
        let changes = changes(by: material, former)
        if !replacing {
            for tunnel in material.tunnels
            where document.configurations.contains(where: { $0.name == tunnel.name }) {
                throw .configurationExists(tunnel.name)
            }
        }
        try checkUsers(of: material, changes, document)
        if !replacing { try checkAbsence(of: material) }
        var changed = document
        let placed = try place(material.tunnels, former, changes, in: &changed)
        try checkTrust(of: placed.saved, material.profile)
        try checkCredentials(of: placed.saved, placed.former, material, document)
        guard ProfileStore.canHold(material.profile) else {
            throw .profileTooLarge(material.profile.identifier)
        }
        let obsolete = obsoleteCredentials(material, former, changed)
        let files =
            changes.writtenCredentials.sorted().map { EnrolledFile.credential($0) }
            + (changes.changesProfile ? [.profile(material.profile.identifier)] : [])
        let existing = files.filter { Directory.holds($0.path(in: layout)) }
        let journal = EnrolmentJournal(
            name: material.profile.identifier,
            configurations: placed.saved.filter(\.changed).map(\.mark),
            replaced: existing, created: files.filter { !existing.contains($0) },
            obsolete: obsolete.map { .credential($0) })
        return Plan(
            document: changed, journal: journal,
            result: EnrolledResult(
                saved: placed.saved, former: placed.former,
                notices: placed.notices + lostAnchors(of: material.profile, changed),
                removedCredentials: obsolete, changes: changes))
    }

    private func place(
        _ tunnels: [EnrolledTunnel],
        _ formerProfile: EnrolledProfile?,
        _ changes: EnrolmentChanges,
        in document: inout PreferencesDocument
    ) throws(EnrolmentError)
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
            if let old, let formerProfile {
                tunnel.wireGuard?.keepOptional(
                    of: old, keys: formerProfile.wireGuardKeys, in: &configuration)
            }
            let (normalized, told) = configuration.normalized()
            if let material = normalized.misplacedMaterial.first {
                throw .preferences(.misplaced(material))
            }
            if let error = normalized.contradiction ?? normalized.valueError {
                throw .invalid(error)
            }
            former[normalized.identifier] = old
            notices += told.map { (name: tunnel.name, notice: $0) }
            if let old, old == normalized, !changes.concern(old, layout) {
                saved.append(
                    SavedConfiguration(
                        configuration: old, isNew: false, hadIdentifier: true, changed: false))
            } else {
                saved.append(document.put(normalized))
            }
        }
        return (saved, former, notices)
    }

    /// The secrets of the former profile that it has no more and nothing refers to.
    private func obsoleteCredentials(
        _ material: EnrolledMaterial,
        _ former: EnrolledProfile?,
        _ document: PreferencesDocument
    ) -> [String] {
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
        let changes = plan.result.changes
        let isSaved = plan.result.saved.contains(where: \.changed)
        guard isSaved || changes.changesProfile || !changes.writtenCredentials.isEmpty else {
            return
        }
        do throws(PreferencesError) {
            try plan.journal.begin(layout)
            try write(material.secrets.filter { changes.writtenCredentials.contains($0.key) })
            if changes.changesProfile {
                do throws(SystemError) { try profiles.replace(material.profile) } catch {
                    throw .unwritable(path: layout.profilesDirectory, error)
                }
            }
            // From here on it is done: the rest is clearing up, for which there is a next time.
            if isSaved { try preferences.write(plan.document, turn) }
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
