internal import JSON

/// Why a session ended; part of the contract, never renamed.
package enum DisconnectCode: String, CaseIterable, Sendable {
    case stoppedByUser, commandEnded, onDemandRule, idle, sleep, superseded
    case configurationRemoved, configurationDisabled, systemShutdown
    case noNetwork, serverAddressResolution, serverNotResponding, serverDisconnected
    case negotiationFailed, authenticationFailed
    case clientCertificateInvalid, clientCertificateNotYetValid, clientCertificateExpired
    case serverCertificateInvalid, serverCertificateNotYetValid, serverCertificateExpired
    case trustAnchorMissing
    case networkSettingsRejected, interfaceRemoved
    case providerNotInstalled, providerRefused, providerCrashed, providerSilent
    case providerProtocolError
    case sessionHostCrashed, startTimedOut, internalError

    /// Whether the end was asked for, so that it is no failure.
    package var wasAskedFor: Bool {
        switch self {
        case .stoppedByUser, .commandEnded, .onDemandRule, .idle, .sleep, .superseded,
            .configurationRemoved, .configurationDisabled, .systemShutdown:
            true
        default:
            false
        }
    }

    /// Whether an end of this kind lifts the block of a kill switch.
    ///
    /// Somebody wants the tunnel away: everything else, a failure, a crash, sleep or a restart,
    /// leaves the host blocked.
    package var liftsBlock: Bool {
        switch self {
        case .stoppedByUser, .commandEnded, .onDemandRule, .idle, .configurationRemoved,
            .configurationDisabled:
            true
        default:
            false
        }
    }

    /// Whether a person wants the tunnel down, and On Demand is not to raise it again.
    package var setsHold: Bool { self == .stoppedByUser }

    /// The codes that a provider may give for its own failure.
    package var mayComeFromProvider: Bool {
        switch self {
        case .serverNotResponding, .serverDisconnected, .negotiationFailed,
            .authenticationFailed, .clientCertificateInvalid, .clientCertificateNotYetValid,
            .clientCertificateExpired, .serverCertificateInvalid, .serverCertificateNotYetValid,
            .serverCertificateExpired, .trustAnchorMissing, .noNetwork, .providerRefused, .idle,
            .internalError:
            true
        default:
            false
        }
    }
}

extension JSONObjectReader {
    /// A code that a provider gives for its own failure; it may be absent or `null`.
    mutating func optionalProviderCode(_ key: String) throws(JSONError) -> DisconnectCode? {
        guard let text = try optionalString(key) else { return nil }
        guard let code = DisconnectCode(rawValue: text), code.mayComeFromProvider else {
            let choices = DisconnectCode.allCases.filter(\.mayComeFromProvider).map(\.rawValue)
            throw mismatch(
                key,
                "\(text) is nothing that a provider reports; that is one of: "
                    + choices.joined(separator: ", "))
        }
        return code
    }
}

/// Why a session ended, with what is to be said about it.
package struct DisconnectReason: Error, Equatable, Sendable {
    package let code: DisconnectCode
    package let text: String

    package init(_ code: DisconnectCode, _ text: String) {
        self.code = code
        self.text = text
    }

    /// That of a session whose host is gone and left no other.
    package static let hostCrashed = DisconnectReason(
        .sessionHostCrashed, "the session host ended without a word")

    /// The code, with what there is to be said about it.
    package var summary: String {
        text.isEmpty ? code.rawValue : "\(code.rawValue): \(text)"
    }
}
