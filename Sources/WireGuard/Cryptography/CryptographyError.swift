/// Why this machine cannot do the cryptography of WireGuard.
package enum CryptographyError: Error, Equatable, Sendable {
    /// The library of the packet cipher refuses this processor.
    case unsupportedProcessor

    /// The algorithm is missing from libcrypto, as in an installation that is limited to FIPS.
    case missingAlgorithm(String)

    /// What is missing, in words.
    package var text: String {
        switch self {
        case .unsupportedProcessor:
            "the processor lacks what libipsec-mb needs (SSE4.2 or better)"
        case .missingAlgorithm(let name): "libcrypto has no \(name)"
        }
    }
}
