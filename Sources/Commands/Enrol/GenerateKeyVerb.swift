internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

extension Verb {
    static let genkey = Verb(
        syntax: VerbSyntax(
            "genkey",
            summary: "make a private key, and print its public key",
            operands: Operands("NAME", minimum: 1, maximum: 1),
            options: [Option("replace", summary: "put it in the place of the credential NAME")],
            description: [
                "Makes a private key of WireGuard, writes it as the credential NAME, which only "
                    + "root can read, and prints the public key for the other side. The private "
                    + "key itself is never printed."
            ],
            examples: [
                Example(
                    "utunctl genkey office.key",
                    "make the credential office.key, to be referred to as file:office.key")
            ]),
        run: { context throws(Failure) in try GenerateKeyCommand(context: context).run() })
}

private struct GenerateKeyCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let credential = try CredentialWriting(context)
        let helper = try PublicKeyHelper(context.layout)
        let key = WireGuardKey.clamped(Random.bytes(WireGuardKey.byteCount))
        let secret = Secret(Array(WireGuardKey.encode(key).utf8))
        let publicKey = try helper.publicKey(of: secret)
        try credential.write(secret)
        let answer = GeneratedKey(credential: credential.name, publicKey: publicKey)
        try context.output.answer(answer, text: publicKey)
        return .done
    }
}

private struct GeneratedKey: JSONEncodable {
    let credential: String
    let publicKey: String

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("credential", credential)
            writer.member("publicKey", publicKey)
        }
    }
}
