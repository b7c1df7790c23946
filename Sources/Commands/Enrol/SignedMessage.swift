internal import Enrolment
internal import LinuxSystem
internal import TunnelModel

/// A file that is signed, its signature verified; who the signer is to us is another question.
struct SignedMessage {
    private let der: [UInt8]
    /// What is signed.
    let content: [UInt8]
    let signer: Certificate

    /// Verifies a file; `nil` where it is not signed at all.
    init?(_ bytes: [UInt8]) throws(Failure) {
        guard let message = CMSMessage(detecting: bytes) else { return nil }
        guard !message.isFollowed(in: bytes) else {
            throw Failure(
                .refused, "fileInvalid",
                "something stands behind the signed message, which nobody signed",
                hint: "get it again from whoever issued it")
        }
        der = message.encoding == .pem ? try Self.binaryForm(of: bytes) : bytes
        switch CMSMessage(detecting: der)?.content {
        case .signed?: break
        case .encrypted?:
            throw Failure(
                .refused, "fileEncrypted", "the file is encrypted (CMS)",
                hint: "ask for it signed alone, or decrypt it first: see openssl-cms(1)")
        case .other?, nil:
            throw Failure(.refused, "fileInvalid", "a CMS message that is not signed")
        }
        try Self.checkSigners(of: der)
        content = try Self.verify(der)
        signer = try Self.signer(of: der)
    }

    /// Why a chain to one of some CAs cannot be built, these alone being believed; `nil` where it
    /// can.
    func problem(under authorities: [UInt8]) throws(Failure) -> String? {
        let run = try OpenSSL.run(
            Self.verification + [
                "-CAfile", "/dev/fd/3", "-no-CApath", "-no-CAstore", "-partial_chain", "-purpose",
                "any", "-auth_level", "2", "-out", "/dev/null",
            ], inputs: [der, authorities])
        guard case .failure(let refusal) = run else { return signer.signingProblem }
        return refusal.verification ?? refusal.said.last ?? "openssl did not say why"
    }

    private static let verification = ["cms", "-verify", "-inform", "DER", "-binary"]
    private static let unbelieving = verification + ["-noverify"]

    private static func binaryForm(of pem: [UInt8]) throws(Failure) -> [UInt8] {
        let run = try OpenSSL.run(
            ["cms", "-cmsout", "-inform", "PEM", "-outform", "DER"], inputs: [pem])
        guard case .success(let der) = run else {
            throw Failure(.refused, "fileInvalid", "a CMS message that cannot be read")
        }
        return der
    }

    /// Throws where nobody signed it, or by what others could have made as well.
    private static func checkSigners(of der: [UInt8]) throws(Failure) {
        guard let signers = CMSSigners(der) else {
            throw Failure(.refused, "fileInvalid", "a CMS message that cannot be read")
        }
        guard signers.count > 0 else {
            throw Failure(
                .refused, "fileInvalid", "a bundle of certificates (PKCS#7), which nobody signed")
        }
        guard !signers.isForgeable else {
            throw Failure(
                .refused, "signatureInvalid",
                "the signature is of a digest that can be forged, such as MD5 or SHA-1",
                hint: "ask for it signed with SHA-256 or better")
        }
    }

    private static func verify(_ der: [UInt8]) throws(Failure) -> [UInt8] {
        switch try OpenSSL.run(unbelieving, inputs: [der]) {
        case .success(let content): return content
        case .failure(let refusal): throw failure(refusal)
        }
    }

    private static func failure(_ refusal: OpenSSL.Refusal) -> Failure {
        func invalid(_ text: String, hint: String? = nil) -> Failure {
            Failure(.refused, "signatureInvalid", text, hint: hint)
        }
        if refusal.gives("no content") {
            return invalid(
                "a detached signature: what it signs is not in it",
                hint: "ask for a file that holds both")
        }
        if refusal.gives("signer certificate not found") {
            return invalid("the certificate of the signer is not in it")
        }
        return invalid(
            "the signature does not verify: the file was changed after it was signed, or damaged",
            hint: "get it again from whoever issued it")
    }

    private static func signer(of der: [UInt8]) throws(Failure) -> Certificate {
        let run = try OpenSSL.run(
            unbelieving + ["-out", "/dev/null", "-signer", "/dev/stdout"], inputs: [der])
        guard case .success(let pem) = run else {
            throw Failure(.refused, "signatureInvalid", "the signer cannot be read")
        }
        let count = String(decoding: pem, as: UTF8.self).split(separator: "\n")
            .count { $0 == "-----BEGIN CERTIFICATE-----" }
        guard count == 1 else {
            throw Failure(
                .refused, "signatureInvalid", "signed by \(count) signers: only one is understood")
        }
        guard let certificate = try Certificate(pem: pem) else {
            throw Failure(.refused, "signatureInvalid", "the signer cannot be read")
        }
        return certificate
    }
}
