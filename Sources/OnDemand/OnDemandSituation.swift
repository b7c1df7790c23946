package import TunnelModel

/// What there is of a tunnel at the moment of a decision.
package struct OnDemandSituation: Equatable, Sendable {
    /// A session that lives.
    package struct Session: Equatable, Sendable {
        package let origin: SessionOrigin
        package let attempt: String
        package let started: Timestamp
        /// Whether it merely waits for traffic.
        package let isWaiting: Bool

        package init(origin: SessionOrigin, attempt: String, started: Timestamp, isWaiting: Bool) {
            self.origin = origin
            self.attempt = attempt
            self.started = started
            self.isWaiting = isWaiting
        }
    }

    /// The end of the last session.
    package struct End: Equatable, Sendable {
        package let attempt: String
        package let origin: SessionOrigin
        package let reason: DisconnectReason
        /// How long it had lived, in milliseconds; `nil` where nobody knows.
        package let lifeMilliseconds: Int64?

        package init(
            attempt: String,
            origin: SessionOrigin,
            reason: DisconnectReason,
            lifeMilliseconds: Int64?
        ) {
            self.attempt = attempt
            self.origin = origin
            self.reason = reason
            self.lifeMilliseconds = lifeMilliseconds
        }
    }

    package let generation: UInt64
    /// How long a start may take, in milliseconds.
    package let startMilliseconds: Int64
    /// Whether it can wait for traffic: its addresses are known before its provider runs.
    package let canWait: Bool
    /// Whether it is to wait for traffic after it has been idle.
    package let dozesWhenIdle: Bool
    /// Whether a failure leaves this host blocked until somebody wants the tunnel away.
    package let mayBlock: Bool
    package var isHeld = false
    package var isPaused = false
    /// Whether a person has just asked for another try.
    package var isResumed = false
    /// Whether the network is another one than at the last turn.
    package var networkChanged = false
    package var session: Session?
    package var end: End?

    /// The session, where it is On Demand's.
    var ownSession: Session? { session.flatMap { $0.origin == .ondemand ? $0 : nil } }

    /// Nothing runs, and nothing ever has.
    package init(_ configuration: Configuration) {
        generation = configuration.generation
        startMilliseconds = Int64(configuration.startTimeout) * 1000
        canWait = configuration.settingsWithoutProvider != nil
        mayBlock =
            configuration.routing.mode == .all && configuration.routing.lockdown != .always
        dozesWhenIdle = canWait && configuration.idleTimeout != nil
    }
}

/// What the service does to a tunnel next.
package enum OnDemandStep: Equatable, Sendable {
    case start(OnDemandRule.Moment)
    /// Has it connect, as it waits for traffic and is to run now.
    case wake
    case stop
}
