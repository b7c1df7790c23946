internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

// A system that sleeps: what is said before, and looked at after.

extension SessionHost {
    /// Sees to it that the end of a sleep is noticed, whoever tells of it or nobody.
    func watchSleep() throws(SystemError) {
        let watch = try SleepWatch()
        try loop.add(watch.raw) { [weak self] _ in
            if self?.sleepWatch?.hasSlept() == true { self?.wakeUp() }
        }
        sleepWatch = watch
    }

    /// Tells the provider that the system is about to sleep, or ends the session where it is
    /// not to outlive that.
    func prepareForSleep() {
        guard !isEnding else { return }
        log.note("the system is about to sleep")
        if configuration.disconnectOnSleep {
            return handle(
                .stopRequested(DisconnectReason(.sleep, "the system was about to sleep")))
        }
        provider?.send(.sleep)
    }

    /// Tells the provider that the system is awake, and looks at everything anew: what others did
    /// meanwhile may have come with no event.
    func wakeUp() {
        guard !isEnding else { return }
        // Of both who may tell, the clocks and the service manager, the first is heard.
        _ = sleepWatch?.hasSlept()
        log.note("the system has woken up")
        provider?.send(.wake)
        scheduleConvergence()
        noteSurroundings([.overflow])
        firewall?.reconsider()
        resolver?.reconsider()
    }
}
