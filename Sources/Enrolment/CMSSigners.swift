internal import TunnelModel

/// The signers of a message of signed data (RFC 5652, section 5), as far as their algorithms.
package struct CMSSigners {
    /// How many there are; a bundle of certificates has none.
    package let count: Int
    /// Whether one of them signed a digest for which another content can be made.
    package let isForgeable: Bool

    // 2.16.840.1.101.3.4.2, the members of which are SHA-2 and SHA-3.
    private static let digests: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02]
    /// Signatures of SHA-1 and of what came before: RSA with MD2, MD4, MD5 and SHA-1, DSA and
    /// ECDSA with SHA-1.
    private static let forgeable: Set<[UInt8]> = [
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x02],
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x03],
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x04],
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x05],
        [0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04, 0x03],
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x01],
    ]

    /// Reads a message in binary form; `nil` where it is none of signed data.
    package init?(_ bytes: [UInt8]) {
        guard let message = BERElement(bytes[...])?.children, message.count == 2,
            let data = message[1].children?.first?.children, data.count >= 4,
            let signers = data.last, signers.tag == BERElement.set,
            let infos = signers.children
        else { return nil }
        var isForgeable = false
        for info in infos {
            guard let parts = info.children, parts.count >= 5, let digest = Self.algorithm(parts[2])
            else { return nil }
            // Signed attributes may stand between.
            let rest = parts[3...].filter { $0.tag == BERElement.sequence }
            guard let signature = rest.first.flatMap(Self.algorithm) else { return nil }
            if !digest.starts(with: Self.digests) || digest.count != Self.digests.count + 1
                || Self.forgeable.contains(signature)
            {
                isForgeable = true
            }
        }
        count = infos.count
        self.isForgeable = isForgeable
    }

    /// The object identifier of an AlgorithmIdentifier.
    private static func algorithm(_ element: BERElement) -> [UInt8]? {
        guard element.tag == BERElement.sequence, let identifier = BERElement(element.content),
            identifier.tag == BERElement.objectIdentifier
        else { return nil }
        return Array(identifier.content)
    }
}
