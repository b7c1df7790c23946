internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// Writes the credential that a command names.
struct CredentialWriting {
    let name: String
    private let context: Context
    private let store: CredentialStore
    private let replacing: Bool

    /// Takes the last operand, and looks whether the credential may be written, before a secret
    /// is made or asked for.
    init(_ context: Context) throws(Failure) {
        self.context = context
        name = context.invocation.operands.last ?? ""
        replacing = context.invocation.has("replace")
        store = CredentialStore(context.layout)
        if let problem = Naming.problem(ofCredential: name) {
            throw Failure(.refused, "credentialNameInvalid", "\(name.shownInMessage): \(problem)")
        }
        try check()
        // What is held now must not come out in a core dump.
        do { try Privilege.protectProcess() } catch { throw Failure(error) }
    }

    /// Writes the secret, unless somebody else has written one meanwhile.
    func write(_ secret: Secret) throws(Failure) {
        let turn = try context.turn()
        try check()
        do { try store.write(secret.bytes, as: name, turn) } catch { throw Failure(error) }
    }

    private func check() throws(Failure) {
        guard !replacing, store.contains(name) else { return }
        throw Failure(
            .refused, "credentialExists", "there is a credential \(name) already",
            hint: "--replace puts this one in its place")
    }
}
