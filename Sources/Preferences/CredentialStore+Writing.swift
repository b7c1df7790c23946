internal import LinuxSystem
internal import TunnelModel

extension CredentialStore {
    /// The names of all secrets in the directory, sorted.
    package func names() throws(PreferencesError) -> [String] {
        do throws(SystemError) {
            return try Directory.names(layout.credentialsDirectory).filter { !$0.hasPrefix(".") }
        } catch {
            throw .unreadable(.system(error))
        }
    }

    /// Whether there is a secret of the name, usable or not.
    package func contains(_ name: String) -> Bool {
        Directory.holds(path(of: name))
    }

    /// Writes a secret, or replaces the one of its name, atomically.
    ///
    /// Directory and file are for the owner alone from the first byte, whatever the umask.
    package func write(_ secret: [UInt8], as name: String, _ turn: borrowing PreferencesTurn)
        throws(PreferencesError)
    {
        try prepare()
        try put(secret, as: name)
    }

    /// Makes the directory, and clears it of what a writer that was killed has left there; for
    /// whoever has the turn.
    func prepare() throws(PreferencesError) {
        let directory = layout.credentialsDirectory
        do throws(SystemError) {
            try Directory.create(directory, mode: 0o700)
            try AtomicFile.removeTemporaries(in: directory)
        } catch {
            throw .unwritable(path: directory, error)
        }
        if let problem = TrustedFile.problem(ofDirectory: directory) {
            throw .unreadable(.unsafe(path: directory, problem: problem))
        }
    }

    /// Writes a secret into the directory that is prepared.
    func put(_ secret: [UInt8], as name: String, isDurable: Bool = true) throws(PreferencesError) {
        do throws(SystemError) {
            try AtomicFile.replace(path(of: name), with: secret, mode: 0o600, isDurable: isDurable)
        } catch {
            throw .unwritable(path: path(of: name), error)
        }
    }

    /// Removes a secret; one that is not there is no error.
    package func remove(_ name: String, _ turn: borrowing PreferencesTurn)
        throws(PreferencesError)
    {
        do throws(SystemError) {
            try Directory.removeFile(path(of: name))
            try Directory.sync(layout.credentialsDirectory)
        } catch {
            throw .unwritable(path: path(of: name), error)
        }
    }

    private func path(of name: String) -> String { "\(layout.credentialsDirectory)/\(name)" }
}
