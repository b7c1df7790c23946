internal import Glibc
package import LinuxSystem
internal import TunnelModel

/// Why a secret cannot be handed to a provider.
package struct CredentialError: Error, Equatable, Sendable {
    /// The name under which the configuration refers to it.
    package let name: String
    /// The path that was looked at.
    package let path: String
    package let problem: String
}

/// Opens the secrets that configurations refer to; it never reads them.
package struct CredentialStore: Sendable {
    let layout: FileLayout
    private let systemdDirectory: String?

    /// Where systemd put the secrets of this service.
    ///
    /// It counts for nothing where the program has more privileges than its caller.
    package static var systemdDirectory: String? {
        guard !Privilege.isSecureExecution else { return nil }
        return getenv(systemdVariable).map { String(cString: $0) }
    }

    /// The variable in which systemd names that directory.
    package static let systemdVariable = "CREDENTIALS_DIRECTORY"

    /// The secrets of a layout, and those that systemd hands to this process.
    package init(_ layout: FileLayout) {
        self.layout = layout
        systemdDirectory = Self.systemdDirectory
    }

    /// Opens one secret for reading, if it belongs to root or the caller and nobody else may
    /// read or write it.
    package func open(_ name: String, _ reference: String) throws(CredentialError)
        -> FileDescriptor
    {
        let path = try path(name, reference)
        if let problem = TrustedFile.problem(ofTypeAt: path) {
            throw CredentialError(name: name, path: path, problem: problem)
        }
        do throws(TrustedFile.Failure) {
            return try TrustedFile.open(
                path, flags: O_RDONLY | O_NOFOLLOW, limitingMode: 0o077)
        } catch {
            throw CredentialError(
                name: name, path: TrustedFile.blockingComponent(of: path) ?? path,
                problem: error.problem)
        }
    }

    /// Inode and change time of a secret: they differ when it was replaced; `nil` where this
    /// process cannot tell.
    package func fingerprint(_ name: String, _ reference: String) -> String? {
        // What systemd hands to a service is a copy of its own that never changes.
        guard case .file? = CredentialReference(reference),
            let path = try? path(name, reference)
        else { return nil }
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let failure = errno
            return failure == ENOENT || failure == ENOTDIR ? "missing" : nil
        }
        return "\(status.st_ino):\(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)"
    }

    private func path(_ name: String, _ reference: String) throws(CredentialError) -> String {
        switch CredentialReference(reference) {
        case .file(let path):
            return path.hasPrefix("/") ? path : "\(layout.credentialsDirectory)/\(path)"
        case .systemd(let credential):
            guard let systemdDirectory else {
                throw CredentialError(
                    name: name, path: reference,
                    problem: "no credentials directory: not started by a systemd unit")
            }
            return "\(systemdDirectory)/\(credential)"
        case nil:
            throw CredentialError(
                name: name, path: reference, problem: "not file:PATH or credential:NAME")
        }
    }
}
