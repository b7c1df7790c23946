/// What was read about one tunnel, reduced to what its status depends on.
package struct StatusReadings: Equatable, Sendable {
    /// What the preferences say.
    package enum Preferences: CaseIterable, Sendable {
        case absent, disabled, enabled, unreadable
    }

    /// What became of asking the session host.
    package enum Host: Equatable, Sendable {
        /// No socket to ask at.
        case none
        /// It took the question and gave no answer in time.
        case silent
        /// There is a socket that leads nowhere.
        case unreachable
        /// The reader may not ask.
        case forbidden
        case answers(TunnelStatus, Provider)
    }

    /// What became of the host's asking its provider.
    package enum Provider: CaseIterable, Sendable {
        case notAsked, answered, silent
    }

    /// What carries our mark in the kernel.
    package enum Kernel: CaseIterable, Sendable {
        case noMark
        /// An interface that nobody holds open.
        case markWithoutCarrier
        /// An interface that a process holds open.
        case markWithCarrier
        case unreadable
    }

    package var preferences: Preferences
    package var lockIsHeld: Bool
    package var host: Host
    package var kernel: Kernel
    /// What the kernel lacks of that which the host says it has set.
    package var differences: [TunnelWarning]

    package init(
        preferences: Preferences,
        lockIsHeld: Bool,
        host: Host,
        kernel: Kernel,
        differences: [TunnelWarning] = []
    ) {
        self.preferences = preferences
        self.lockIsHeld = lockIsHeld
        self.host = host
        self.kernel = kernel
        self.differences = differences
    }
}

/// The status that follows from readings.
package struct StatusVerdict: Equatable, Sendable {
    package let status: TunnelStatus
    package let warnings: [TunnelWarning]
}

extension StatusReadings {
    /// The status of the tunnel, as a pure function of what was read.
    package func verdict() -> StatusVerdict {
        switch host {
        case .answers(.disconnected, _), .answers(.invalid, _):
            // It is done and on its way out; until it is gone, something of it is there.
            if lockIsHeld || kernel == .markWithCarrier {
                StatusVerdict(status: .disconnecting, warnings: preferencesWarnings)
            } else {
                verdictOfDead()
            }
        case .answers(let status, let provider):
            StatusVerdict(
                status: statusOfLiving(status, provider),
                warnings: warningsOfLiving(status, provider))
        case .none, .silent, .unreachable, .forbidden:
            if lockIsHeld || kernel == .markWithCarrier {
                StatusVerdict(status: .unknown, warnings: [unansweredWarning])
            } else {
                verdictOfDead()
            }
        }
    }

    private func statusOfLiving(_ status: TunnelStatus, _ provider: Provider) -> TunnelStatus {
        guard status.hasInterface else { return status }
        // A host that has not yet noticed the loss of its link still says connected.
        return provider == .silent || kernel == .noMark ? .unknown : status
    }

    private func warningsOfLiving(_ status: TunnelStatus, _ provider: Provider)
        -> [TunnelWarning]
    {
        var warnings: [TunnelWarning] = []
        if status.hasInterface {
            if provider == .silent {
                warnings.append(
                    TunnelWarning(.providerSilent, "the provider does not answer its host"))
            }
            switch kernel {
            case .noMark:
                warnings.append(TunnelWarning(.linkMissing, "the interface is gone"))
            case .unreadable:
                warnings.append(TunnelWarning(.kernelUnreadable, "the kernel could not be asked"))
            case .markWithoutCarrier:
                warnings += differences
                // Nobody holds it open, whatever its flags say.
                if !differences.contains(where: { $0.code == .linkDown }) {
                    warnings.append(TunnelWarning(.linkDown, "the interface has no carrier"))
                }
            case .markWithCarrier:
                warnings += differences
            }
        }
        return warnings + preferencesWarnings
    }

    private var preferencesWarnings: [TunnelWarning] {
        switch preferences {
        case .absent:
            [TunnelWarning(.configurationRemoved, "it runs, but is no longer saved")]
        case .disabled:
            [TunnelWarning(.configurationDisabled, "it runs, but is saved as disabled")]
        case .unreadable:
            [TunnelWarning(.preferencesUnreadable, "it runs; what is saved cannot be read")]
        case .enabled: []
        }
    }

    private var unansweredWarning: TunnelWarning {
        switch host {
        case .silent:
            TunnelWarning(.sessionHostSilent, "the session host does not answer")
        case .forbidden:
            TunnelWarning(.sessionHostForbidden, "the session host may not be asked by this user")
        case .none, .unreachable, .answers:
            TunnelWarning(.sessionHostUnreachable, "a session host lives, but cannot be reached")
        }
    }

    private func verdictOfDead() -> StatusVerdict {
        if kernel == .unreadable {
            return StatusVerdict(
                status: .unknown,
                warnings: [TunnelWarning(.kernelUnreadable, "the kernel could not be asked")])
        }
        let leftovers =
            kernel == .markWithoutCarrier
            ? [TunnelWarning(.leftovers, "an interface was left behind by a session that is gone")]
            : []
        switch preferences {
        case .enabled: return StatusVerdict(status: .disconnected, warnings: leftovers)
        case .absent, .disabled: return StatusVerdict(status: .invalid, warnings: leftovers)
        case .unreadable:
            let warning = TunnelWarning(.preferencesUnreadable, "what is saved cannot be read")
            return StatusVerdict(status: .unknown, warnings: leftovers + [warning])
        }
    }
}
