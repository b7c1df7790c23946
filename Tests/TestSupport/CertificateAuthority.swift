import Glibc
import LinuxSystem

/// Certificates and signatures, made by openssl(1) in a directory of their own.
package final class CertificateAuthority: Sendable {
    /// How long a certificate is valid.
    package enum Time: Sendable {
        case now, past, future
    }

    /// What kind of key it has.
    package enum Key: Sendable {
        case ecdsa, rsa
        /// One that is too short.
        case weak

        fileprivate var arguments: [String] {
            switch self {
            case .ecdsa: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .rsa: ["-newkey", "rsa:2048"]
            case .weak: ["-newkey", "rsa:1024"]
            }
        }
    }

    private let root: TemporaryRoot

    /// A directory without any certificate.
    package init() throws {
        root = try TemporaryRoot()
    }

    /// The path of a certificate.
    package func certificate(_ name: String) -> String { root.path("/\(name).pem") }

    /// A certificate in PEM form.
    package func pem(_ name: String) -> String { root.read("/\(name).pem") ?? "" }

    /// The private key of a certificate in PEM form.
    package func key(_ name: String) -> String { root.read("/\(name).key") ?? "" }

    /// The SHA-256 of a certificate, as openssl shows it.
    package func fingerprint(_ name: String) throws -> String {
        let run = try openssl([
            "x509", "-in", certificate(name), "-noout", "-fingerprint", "-sha256",
        ])
        return String(run.output.split(separator: "\n")[0].split(separator: "=")[1])
    }

    /// The same in the form in which utunctl shows it.
    package func digits(_ name: String) throws -> String {
        String(try fingerprint(name).lowercased().filter { $0 != ":" })
    }

    /// Makes a certificate; `issuer` signs it, itself where it is `nil`.
    package func issue(
        _ name: String,
        by issuer: String? = nil,
        isAuthority: Bool = false,
        usage: String? = nil,
        extendedUsage: String? = "emailProtection",
        _ time: Time = .now,
        _ key: Key = .ecdsa
    ) throws {
        try openssl(
            ["req"] + key.arguments + [
                "-nodes", "-keyout", root.path("/\(name).key"), "-out", root.path("/\(name).csr"),
                "-subj", "/O=Example Ltd/CN=\(name)",
            ])
        var extensions = "basicConstraints=critical,CA:\(isAuthority ? "TRUE" : "FALSE")\n"
        extensions +=
            "keyUsage=critical,\(usage ?? (isAuthority ? "keyCertSign" : "digitalSignature"))\n"
        if !isAuthority, let extendedUsage { extensions += "extendedKeyUsage=\(extendedUsage)\n" }
        try root.write("/\(name).ext", extensions)
        guard time != .future else { return try issueForTheFuture(name, by: issuer ?? name) }
        let signing =
            issuer.map {
                ["-CA", certificate($0), "-CAkey", root.path("/\($0).key"), "-CAcreateserial"]
            } ?? ["-signkey", root.path("/\(name).key")]
        try openssl(
            [
                "x509", "-req", "-in", root.path("/\(name).csr"), "-out", certificate(name),
                "-days", time == .past ? "-1" : "100", "-extfile", root.path("/\(name).ext"),
            ] + signing)
    }

    /// Signs a text; answers the path of the message.
    @discardableResult
    package func sign(
        _ text: String,
        by signers: [String],
        with certificates: [String] = [],
        encoding: String = "DER",
        options: [String] = ["-nodetach"]
    ) throws -> String {
        try root.write("/content", text, mode: 0o600)
        let path = root.path("/\(signers.joined(separator: "+")).signed.\(encoding)")
        var arguments = ["cms", "-sign", "-binary", "-in", root.path("/content")] + options
        for signer in signers {
            arguments += ["-signer", certificate(signer), "-inkey", root.path("/\(signer).key")]
        }
        for certificate in certificates {
            arguments += ["-certfile", self.certificate(certificate)]
        }
        try openssl(arguments + ["-outform", encoding, "-out", path])
        unlink(root.path("/content"))
        chmod(path, 0o600)
        return path
    }

    /// Encrypts a text for whoever has the key of a certificate; answers the path of the message.
    package func encrypt(_ text: String, for name: String, encoding: String = "DER") throws
        -> String
    {
        try root.write("/content", text)
        let path = root.path("/encrypted.\(encoding)")
        try openssl([
            "cms", "-encrypt", "-binary", "-in", root.path("/content"), "-outform", encoding,
            "-out", path, certificate(name),
        ])
        return path
    }

    private func issueForTheFuture(_ name: String, by issuer: String) throws {
        try root.write("/index", "")
        try root.write("/serial", "01\n")
        try root.write(
            "/ca.cnf",
            """
            [ca]
            default_ca = this
            [this]
            database = \(root.path("/index"))
            serial = \(root.path("/serial"))
            new_certs_dir = \(root.path)
            default_md = sha256
            policy = any
            [any]
            organizationName = optional
            commonName = supplied
            """)
        let from = issuer == name ? ["-selfsign"] : ["-cert", certificate(issuer)]
        try openssl(
            [
                "ca", "-batch", "-notext", "-config", root.path("/ca.cnf"), "-startdate",
                "20400101000000Z", "-enddate", "20410101000000Z", "-in", root.path("/\(name).csr"),
                "-out", certificate(name), "-extfile", root.path("/\(name).ext"), "-keyfile",
                root.path("/\(issuer).key"),
            ] + from)
    }

    @discardableResult
    private func openssl(_ arguments: [String]) throws -> Command.Result {
        let run = try Command.run(["openssl"] + arguments)
        guard run.status == 0 else { throw Unexpected("openssl \(arguments): \(run)") }
        return run
    }
}
