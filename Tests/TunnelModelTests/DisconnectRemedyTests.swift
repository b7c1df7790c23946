import Testing
import TunnelModel

/// Whose matter each end is, and who mends it.
@Suite struct DisconnectRemedyTests {
    private static let kinds: [DisconnectCode: DisconnectCode.Kind] = [
        .stoppedByUser: .user, .commandEnded: .user, .onDemandRule: .user, .idle: .user,
        .sleep: .user,
        .superseded: .user, .configurationRemoved: .user, .configurationDisabled: .user,
        .systemShutdown: .user,
        .noNetwork: .network, .serverAddressResolution: .network, .serverNotResponding: .network,
        .startTimedOut: .network,
        .serverDisconnected: .server, .negotiationFailed: .server,
        .authenticationFailed: .authentication, .clientCertificateInvalid: .authentication,
        .clientCertificateNotYetValid: .authentication, .clientCertificateExpired: .authentication,
        .serverCertificateInvalid: .trust, .serverCertificateNotYetValid: .trust,
        .serverCertificateExpired: .trust, .trustAnchorMissing: .trust,
        .networkSettingsRejected: .configuration, .providerRefused: .configuration,
        .providerNotInstalled: .provider, .providerCrashed: .provider, .providerSilent: .provider,
        .providerProtocolError: .provider,
        .interfaceRemoved: .host, .sessionHostCrashed: .host, .internalError: .host,
    ]
    private let time = Timestamp(microseconds: 1_000_000)
    private let later = Timestamp(microseconds: 2_000_000)

    @Test(arguments: DisconnectCode.allCases)
    func eachCodeIsSomebodysMatter(code: DisconnectCode) {
        #expect(code.kind == Self.kinds[code])
        // What was asked for is mended by nobody, everything else by somebody.
        #expect((code.kind == .user) == code.wasAskedFor)
        #expect((code.hint == nil) == code.wasAskedFor)
        #expect(code.remedy(at: time, floor: nil) == code.hint.map { "\(code.kind): \($0)" })
    }

    @Test func aClientThatIsNotAcceptedAndAServerThatIsNotAreTwoThings() {
        let trust = DisconnectCode.allCases.filter { $0.kind == .trust }
        let authentication = DisconnectCode.allCases.filter { $0.kind == .authentication }
        #expect(trust.count == 4 && authentication.count == 4)
        #expect(Set(trust.compactMap(\.hint)).isDisjoint(with: authentication.compactMap(\.hint)))
    }

    @Test(arguments: DisconnectCode.allCases)
    func aClockThatIsBehindIsNamedWhereItExplainsTheEnd(code: DisconnectCode) {
        let clock: Set<DisconnectCode> = [
            .serverNotResponding, .authenticationFailed, .clientCertificateNotYetValid,
            .serverCertificateNotYetValid,
        ]
        #expect(code.mayComeOfClock == clock.contains(code))
        // A clock that is not behind explains nothing.
        #expect(code.hint(at: later, floor: later) == code.hint)
        #expect(code.hint(at: later, floor: time) == code.hint)
        let hint = code.hint(at: time, floor: later)
        guard clock.contains(code) else {
            #expect(hint == code.hint)
            return
        }
        #expect(hint?.hasPrefix("set this host's clock, which is behind") == true)
        #expect(hint?.contains(time.text) == true && hint?.contains(later.text) == true)
    }

    @Test func theProtocolsSilenceIsSaidHonestly() {
        let hint = DisconnectCode.serverNotResponding.hint ?? ""
        for words in ["knows this client", "clock is behind", "address", "firewalls"] {
            #expect(hint.contains(words), "\(words)")
        }
    }
}
