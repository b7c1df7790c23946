internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

/// What is known of how long nothing has gone through a tunnel.
struct IdleWatch {
    let seconds: UInt32
    /// How many packets had gone through when it was looked last.
    var count: UInt64?
    var quietSince: Int64
    var timer: EventLoop.Timer?
}

// The end of a connection that nobody uses. The kernel counts in silence, so it is asked, four
// times within the time-out: the end comes after that and a quarter of it at most.

extension SessionHost {
    /// Begins to watch whether anything goes through the tunnel, or no longer, as its status and
    /// its configuration have it.
    func followIdleness() {
        guard case .connected = state, let seconds = configuration.idleTimeout else {
            loop.cancel(idleWatch?.timer)
            idleWatch = nil
            return
        }
        guard idleWatch?.seconds != seconds else { return }
        loop.cancel(idleWatch?.timer)
        idleWatch = IdleWatch(
            seconds: seconds, count: interface.packetCount, quietSince: Clock.monotonicNanoseconds)
        scheduleIdleLook()
    }

    private func scheduleIdleLook() {
        guard let seconds = idleWatch?.seconds else { return }
        idleWatch?.timer = loop.schedule(milliseconds: Int64(seconds) * 250) { [weak self] in
            self?.lookForTraffic()
        }
    }

    private func lookForTraffic() {
        guard let watch = idleWatch else { return }
        let now = Clock.monotonicNanoseconds
        let count = interface.packetCount
        if count != watch.count {
            idleWatch?.count = count
            idleWatch?.quietSince = now
        } else if now - watch.quietSince >= Int64(watch.seconds) * 1_000_000_000 {
            return endIdle(after: watch.seconds)
        }
        scheduleIdleLook()
    }

    private func endIdle(after seconds: UInt32) {
        idleWatch = nil
        let text = "nothing went through it for \(seconds) s"
        if record.waitsForTraffic {
            handle(.idled(text))
        } else {
            handle(.stopRequested(DisconnectReason(.idle, text)))
        }
    }
}
