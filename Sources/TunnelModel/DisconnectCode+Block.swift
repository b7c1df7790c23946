extension DisconnectCode {
    /// Whether an end of this kind lifts the block of a kill switch: somebody wants the tunnel
    /// down, and nothing went wrong.
    ///
    /// Not `superseded`, as a restart must let nothing out, nor `sleep`, from which the host
    /// wakes up with the tunnel still wanted.
    package var liftsBlock: Bool {
        switch self {
        case .stoppedByUser, .onDemandRule, .idle, .configurationRemoved, .configurationDisabled:
            true
        case .sleep, .superseded, .systemShutdown, .noNetwork, .serverAddressResolution,
            .serverNotResponding, .serverDisconnected, .negotiationFailed, .authenticationFailed,
            .clientCertificateInvalid, .clientCertificateNotYetValid, .clientCertificateExpired,
            .serverCertificateInvalid, .serverCertificateNotYetValid, .serverCertificateExpired,
            .trustAnchorMissing, .networkSettingsRejected, .interfaceRemoved,
            .providerNotInstalled, .providerRefused, .providerCrashed, .providerSilent,
            .providerProtocolError, .sessionHostCrashed, .startTimedOut, .internalError:
            false
        }
    }
}
