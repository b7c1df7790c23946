/// What can happen to a session.
package enum SessionEvent: Equatable, Sendable {
    case start
    /// Begins without a provider, which is to start with the first packet.
    case startWaiting
    /// The settings that are known without a provider are in force.
    case anticipated
    case anticipationFailed(DisconnectReason)
    /// A packet waits for the provider, or somebody wants it to connect.
    case woken
    /// Nothing has gone through the tunnel for so long that its provider is to end.
    case idled(String)
    case namesResolved
    case resolutionFailed(String)
    case providerLaunched
    case launchFailed(DisconnectReason)
    /// The provider asked for settings, which are kept by the message's number.
    case settingsAsked(id: Int64)
    case settingsApplied(id: Int64)
    case settingsRejected(id: Int64, text: String)
    case providerConnected
    /// Addresses and routes were read back from the kernel as they were set.
    case kernelConfirmed
    case kernelDiffers(String)
    case providerReasserting(String)
    case providerFailed(DisconnectReason)
    case providerStopped
    case providerExited(String)
    case protocolViolated(String)
    case stopRequested(DisconnectReason)
    case interfaceRemoved
    case deadlinePassed(SessionDeadline)
    case tornDown
}

/// What a session waits for at most so long.
package enum SessionDeadline: Equatable, Sendable, CaseIterable {
    /// From `start` to `connected`: the configuration's startTimeout.
    case start
    /// From `stop` to `stopped`: the configuration's stopTimeout.
    case stop
    /// From `stopped`, `failed` or SIGTERM to the end of the process: one second.
    case exit
    /// From SIGKILL to the end of the process: the kernel's own time.
    case kill
}

/// What a session does to the world; the outcome comes back as an event.
package enum SessionEffect: Equatable, Sendable {
    /// How a provider is made to end.
    package enum Signal: Sendable {
        case terminate, kill
    }

    case armDeadline(SessionDeadline)
    case clearDeadline
    /// Puts into force what is known without a provider.
    case anticipateSettings
    case watchTraffic
    case unwatchTraffic
    /// The provider has ended, and the session goes on.
    case forgetProvider(idle: String)
    case resolveNames
    case launchProvider
    case sendStart
    case applySettings(id: Int64)
    case acknowledgeSettings(id: Int64)
    case refuseSettings(id: Int64)
    case readBack
    case noteEarlyClaim
    case sendStop(DisconnectCode)
    case signalProvider(Signal)
    case tearDown
    /// Tells everyone who watches.
    case publish
    /// Ends the session host.
    case finish
}
