internal import TunnelModel

extension DisconnectCode {
    /// What the code tells, on one line.
    var meaning: String {
        switch self {
        case .stoppedByUser: "somebody stopped it"
        case .commandEnded: "the command that it was started for, by run, has ended"
        case .onDemandRule: "an On Demand rule ended it"
        case .idle: "nothing went through it for its idleTimeout"
        case .sleep: "the system went to sleep, and disconnectOnSleep is set"
        case .superseded: "another tunnel took its place"
        case .configurationRemoved: "its configuration was removed"
        case .configurationDisabled: "its configuration was disabled"
        case .systemShutdown: "the system shut down"
        case .noNetwork: "there was no network to reach the server over"
        case .serverAddressResolution: "the name of the server could not be resolved"
        case .serverNotResponding: "the server did not answer"
        case .serverDisconnected: "the server ended the session"
        case .negotiationFailed: "the two ends did not agree on how to talk"
        case .authenticationFailed: "authentication: the server did not accept who this is"
        case .clientCertificateInvalid: "authentication: the client's certificate is not valid"
        case .clientCertificateNotYetValid:
            "authentication: the client's certificate is not valid yet"
        case .clientCertificateExpired: "authentication: the client's certificate has expired"
        case .serverCertificateInvalid: "trust: the server's certificate is not valid"
        case .serverCertificateNotYetValid: "trust: the server's certificate is not valid yet"
        case .serverCertificateExpired: "trust: the server's certificate has expired"
        case .trustAnchorMissing: "trust: an anchor that the configuration names is not enrolled"
        case .networkSettingsRejected:
            "the provider asked for more than the configuration allows, or the kernel refused it"
        case .interfaceRemoved: "somebody removed the interface"
        case .providerNotInstalled: "the provider is not installed or cannot be run"
        case .providerRefused: "the provider refused the configuration"
        case .providerCrashed: "the provider ended without a word"
        case .providerSilent: "the provider did not answer"
        case .providerProtocolError: "the provider broke the protocol"
        case .sessionHostCrashed: "the session host ended without a word"
        case .startTimedOut: "it was not connected within its startTimeout"
        case .internalError: "a fault of the program or of the provider"
        }
    }
}
