internal import Preferences
internal import TunnelModel

/// Computes public keys in a program of its own.
struct PublicKeyHelper {
    private let program: HelperProgram

    /// Finds the program, before anything is done that needs it.
    init(_ layout: FileLayout) throws(Failure) {
        program = try HelperProgram("utunctl-keys", for: "public keys cannot be computed", layout)
    }

    /// The public key of a private key, both in base64.
    func publicKey(of privateKey: Secret) throws(Failure) -> String {
        let answer = (try? program.run(privateKey.bytes, limit: 256)) ?? []
        let text = String(decoding: answer.dropLast(), as: UTF8.self)
        guard WireGuardKey.problem(of: text) == nil else {
            throw Failure(
                .failure, "helperFailed", "\(program.path) did not compute the public key")
        }
        return text
    }
}
