import Testing
import TunnelModel

@Suite struct StatusReadingsTests {
    private static let hosts: [StatusReadings.Host] =
        [.none, .silent, .unreachable, .forbidden]
        + TunnelStatus.allCases.flatMap { status in
            StatusReadings.Provider.allCases.map { .answers(status, $0) }
        }

    private static let differences: [[TunnelWarning]] = [
        [], [TunnelWarning(.routeMissing, "10.0.0.0/8")], [TunnelWarning(.linkDown, "down")],
    ]

    /// Every combination of readings there is.
    static let product: [StatusReadings] = StatusReadings.Preferences.allCases.flatMap { saved in
        [false, true].flatMap { isHeld in
            hosts.flatMap { host in
                StatusReadings.Kernel.allCases.flatMap { kernel in
                    differences.map { differences in
                        StatusReadings(
                            preferences: saved, lockIsHeld: isHeld, host: host, kernel: kernel,
                            differences: differences)
                    }
                }
            }
        }
    }

    /// The table of the design, row by row.
    private static func expected(_ readings: StatusReadings)
        -> (status: TunnelStatus, codes: Set<TunnelWarning.Code>)
    {
        let somethingLives = readings.lockIsHeld || readings.kernel == .markWithCarrier
        let saved = savedCode(readings.preferences)
        switch readings.host {
        case .answers(.connecting, _): return (.connecting, saved)
        case .answers(.reasserting, _): return (.reasserting, saved)
        case .answers(.disconnecting, _): return (.disconnecting, saved)
        case .answers(.unknown, _): return (.unknown, saved)
        case .answers(.connected, let provider), .answers(.waiting, let provider):
            var codes = saved
            if provider == .silent { codes.insert(.providerSilent) }
            let differences = readings.differences.map(\.code)
            switch readings.kernel {
            case .noMark: codes.insert(.linkMissing)
            case .unreadable: codes.insert(.kernelUnreadable)
            case .markWithoutCarrier: codes.formUnion(differences + [.linkDown])
            case .markWithCarrier: codes.formUnion(differences)
            }
            let isKnown = provider != .silent && readings.kernel != .noMark
            guard case .answers(let status, _) = readings.host, isKnown else {
                return (.unknown, codes)
            }
            return (status, codes)
        case .answers(.disconnected, _), .answers(.invalid, _):
            return somethingLives ? (.disconnecting, saved) : dead(readings)
        case .silent:
            return somethingLives ? (.unknown, [.sessionHostSilent]) : dead(readings)
        case .forbidden:
            return somethingLives ? (.unknown, [.sessionHostForbidden]) : dead(readings)
        case .none, .unreachable:
            return somethingLives ? (.unknown, [.sessionHostUnreachable]) : dead(readings)
        }
    }

    private static func savedCode(_ preferences: StatusReadings.Preferences)
        -> Set<TunnelWarning.Code>
    {
        switch preferences {
        case .absent: [.configurationRemoved]
        case .disabled: [.configurationDisabled]
        case .enabled: []
        case .unreadable: [.preferencesUnreadable]
        }
    }

    private static func dead(_ readings: StatusReadings)
        -> (status: TunnelStatus, codes: Set<TunnelWarning.Code>)
    {
        if readings.kernel == .unreadable { return (.unknown, [.kernelUnreadable]) }
        let leftovers: Set<TunnelWarning.Code> =
            readings.kernel == .markWithoutCarrier ? [.leftovers] : []
        switch readings.preferences {
        case .absent, .disabled: return (.invalid, leftovers)
        case .enabled: return (.disconnected, leftovers)
        case .unreadable: return (.unknown, leftovers.union([.preferencesUnreadable]))
        }
    }

    @Test func everyCombinationOfReadingsHasItsVerdict() {
        #expect(Self.product.count == 4 * 2 * 28 * 4 * 3)
        for readings in Self.product {
            let verdict = readings.verdict()
            let expected = Self.expected(readings)
            #expect(verdict.status == expected.status, "\(readings)")
            #expect(Set(verdict.warnings.map(\.code)) == expected.codes, "\(readings)")
            #expect(verdict.warnings.count == expected.codes.count, "\(readings)")
        }
    }

    @Test func connectedIsNeverSaidOfASilentProviderOrAMissingLink() {
        for readings in Self.product where readings.verdict().status == .connected {
            guard case .answers(.connected, let provider) = readings.host else {
                Issue.record("connected without its host: \(readings)")
                continue
            }
            #expect(provider != .silent && readings.kernel != .noMark)
        }
    }

    @Test func connectedWithoutAWarningNeedsAllReadingsToBeGood() {
        for readings in Self.product {
            let verdict = readings.verdict()
            guard verdict.status == .connected, !verdict.warnings.contains(where: \.degrades)
            else { continue }
            #expect(readings.kernel == .markWithCarrier && readings.differences.isEmpty)
        }
    }

    @Test func disconnectedIsNeverSaidWhileSomethingOfTheTunnelLives() {
        for readings in Self.product {
            let status = readings.verdict().status
            guard status == .disconnected || status == .invalid else { continue }
            #expect(!readings.lockIsHeld && readings.kernel != .markWithCarrier)
            #expect(readings.kernel != .unreadable && readings.preferences != .unreadable)
        }
    }

    @Test func theLastKnownStatusIsNeverShownInPlaceOfAnAnswer() {
        for readings in Self.product {
            if case .answers = readings.host { continue }
            let status = readings.verdict().status
            #expect([.unknown, .disconnected, .invalid].contains(status))
        }
    }

    @Test func whatCannotBeReadIsUnknownAndSaysWhy() {
        for readings in Self.product {
            let verdict = readings.verdict()
            if case .answers(.unknown, _) = readings.host { continue }
            if verdict.status == .unknown { #expect(!verdict.warnings.isEmpty) }
        }
    }

    @Test func aReportOfWhatNobodyMayKnowPromisesNothing() {
        let report = TunnelReport(identifier: "a", status: .unknown)
        #expect(
            Model.written(report).contains(
                #""routing":{"mode":null,"excluded":null,"ipv6":null}"#))
    }
}
