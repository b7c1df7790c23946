extension DisconnectCode {
    /// Whose matter an end is; part of the contract, never renamed.
    package enum Kind: String, CaseIterable, Sendable {
        /// Somebody, or something that was set up for it, wanted it.
        case user
        /// What the configuration asks for.
        case configuration
        case network
        case server
        /// The other end does not accept this one.
        case authentication
        /// This end does not accept the other one.
        case trust
        case provider
        /// This host, utunctl included.
        case host
    }

    /// Whose matter it is.
    package var kind: Kind {
        switch self {
        case .stoppedByUser, .commandEnded, .onDemandRule, .idle, .sleep, .superseded,
            .configurationRemoved, .configurationDisabled, .systemShutdown:
            .user
        case .networkSettingsRejected, .providerRefused: .configuration
        case .noNetwork, .serverAddressResolution, .serverNotResponding, .startTimedOut: .network
        case .serverDisconnected, .negotiationFailed: .server
        case .authenticationFailed, .clientCertificateInvalid, .clientCertificateNotYetValid,
            .clientCertificateExpired:
            .authentication
        case .serverCertificateInvalid, .serverCertificateNotYetValid, .serverCertificateExpired,
            .trustAnchorMissing:
            .trust
        case .providerNotInstalled, .providerCrashed, .providerSilent, .providerProtocolError:
            .provider
        case .interfaceRemoved, .sessionHostCrashed, .internalError: .host
        }
    }

    /// Who mends it, and what there is to look at; `nil` for an end that was asked for.
    package var hint: String? {
        switch self {
        case .stoppedByUser, .commandEnded, .onDemandRule, .idle, .sleep, .superseded,
            .configurationRemoved, .configurationDisabled, .systemShutdown:
            nil
        case .noNetwork: "connect this host to a network that leads to the server"
        case .serverAddressResolution:
            "look at the name in the configuration, and at the resolver of this host"
        case .serverNotResponding:
            "look at the address and at firewalls, and ask whoever runs the server whether it is"
                + " up and knows this client: many protocols answer no stranger, and none whose"
                + " clock is behind what they have seen"
        case .serverDisconnected: "ask whoever runs the server why it ended the session"
        case .negotiationFailed:
            "ask whoever runs the server, or issues the configuration, which settings both ends"
                + " have to share"
        case .authenticationFailed:
            "compare what both ends share, such as a preshared key or a password, and ask whoever"
                + " runs the server whether it takes this client; then renew the credential"
        case .clientCertificateInvalid:
            "ask whoever issued this client's certificate for one that the server takes"
        case .clientCertificateNotYetValid:
            "set this host's clock if it is behind; else ask whoever issued this client's"
                + " certificate"
        case .clientCertificateExpired:
            "ask whoever issued this client's certificate for a new one, unless a clock is ahead"
        case .serverCertificateInvalid:
            "ask whoever issues the profile whether its anchors are those of this server; do not"
                + " trust what answers until then"
        case .serverCertificateNotYetValid:
            "set this host's clock if it is behind; else ask whoever runs the server"
        case .serverCertificateExpired:
            "ask whoever runs the server to renew its certificate, unless this host's clock is"
                + " ahead"
        case .trustAnchorMissing:
            "enrol the profile that the configuration names; whoever issues it has it"
        case .networkSettingsRejected:
            "let the configuration allow what the text names, or ask whoever runs the server"
        case .providerRefused:
            "mend what the text names: a key of the configuration with utunctl save, a credential"
                + " with utunctl genkey or credential set, and --replace"
        case .providerNotInstalled: "install the provider on this host"
        case .providerCrashed, .providerProtocolError:
            "report it to whoever makes the provider, with the log of the session"
        case .providerSilent:
            "start it again; if that stays so, report it to whoever makes the provider"
        case .startTimedOut:
            "look at the log of the session for what it waited for, or raise startTimeout"
        case .interfaceRemoved: "find out which program of this host removes interfaces"
        case .sessionHostCrashed:
            "look into the journal of this host for what killed it, and run utunctl repair"
        case .internalError:
            "report it to whoever makes utunctl or the provider, with the log of the session"
        }
    }

    /// Whether a clock that is behind is a likely cause.
    ///
    /// Certificates are then not valid yet, and WireGuard does not answer a handshake that
    /// carries an earlier time than one before it.
    package var mayComeOfClock: Bool {
        switch self {
        case .serverNotResponding, .authenticationFailed, .clientCertificateNotYetValid,
            .serverCertificateNotYetValid:
            true
        default:
            false
        }
    }

    /// The hint for an end at a moment of the wall clock; `floor` is one that has certainly
    /// been, such as when the program was built.
    package func hint(at time: Timestamp?, floor: Timestamp?) -> String? {
        guard mayComeOfClock, let time, let floor, time < floor else { return hint }
        return "set this host's clock, which is behind: it said \(time.text), and what is installed"
            + " or enrolled here is of \(floor.text)"
    }

    /// Whose matter it is and who mends it, on one line; `nil` for an end that was asked for.
    package func remedy(at time: Timestamp?, floor: Timestamp?) -> String? {
        hint(at: time, floor: floor).map { "\(kind.rawValue): \($0)" }
    }
}
