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
    /// What kind of problem it is, for whoever mends it.
    package let fault: Fault
    /// The name of the file where it is one of the store; `nil` anywhere else.
    package let file: String?

    /// What is to be mended.
    package enum Fault: Sendable {
        /// There is no file, or nothing in it.
        case missing, empty
        /// It is no file, or a link.
        case wrongType
        /// Others could have read or written it.
        case unsafe
        case other
    }

    package init(
        name: String,
        path: String,
        problem: String,
        fault: Fault = .other,
        file: String? = nil
    ) {
        self.name = name
        self.path = path
        self.problem = problem
        self.fault = fault
        self.file = file
    }
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
        let (directory, last) = AtomicFile.split(path)
        let file = directory == layout.credentialsDirectory ? last : nil
        func error(_ problem: String, _ fault: CredentialError.Fault) -> CredentialError {
            CredentialError(name: name, path: path, problem: problem, fault: fault, file: file)
        }
        if let problem = TrustedFile.problem(ofTypeAt: path) { throw error(problem, .wrongType) }
        let secret: FileDescriptor
        do throws(TrustedFile.Failure) {
            secret = try TrustedFile.open(
                path, flags: O_RDONLY | O_NOFOLLOW, limitingMode: 0o077)
        } catch let failure {
            guard case .system(let system) = failure else {
                throw error(failure.problem, .unsafe)
            }
            if system.errno == ENOENT { throw error(failure.problem, .missing) }
            throw CredentialError(
                name: name, path: TrustedFile.blockingComponent(of: path) ?? path,
                problem: failure.problem)
        }
        // No secret is empty, and what makes files sometimes fails before it writes.
        if let status = try? secret.status(path), status.st_size == 0 {
            throw error("it is empty", .empty)
        }
        return secret
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
                    problem:
                        "systemd hands it over by LoadCredential= of the unit, and has not")
            }
            return "\(systemdDirectory)/\(credential)"
        case nil:
            throw CredentialError(
                name: name, path: reference, problem: "not file:PATH or credential:NAME")
        }
    }
}
