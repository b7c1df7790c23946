internal import OnDemand
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// What the service of On Demand has written down, and whether it lives to follow it.
struct OnDemandReadings {
    private let isRunning: Bool
    private let isPaused: Bool
    private let entries: [String: OnDemandEntry]

    init(_ layout: FileLayout) {
        let files = OnDemandFiles(layout)
        isRunning = files.isServiceRunning
        isPaused = OnDemandPause(layout).read() != nil
        let record = isRunning ? files.record() : nil
        entries = Dictionary((record?.entries ?? []).map { ($0.identifier, $0) }) { $1 }
    }

    /// How On Demand stands to a tunnel that it may start.
    func report(_ identifier: String, isHeld: Bool) -> OnDemandReport {
        guard isRunning else { return OnDemandReport(.notRunning) }
        var report = entries[identifier].map { OnDemandReport($0) } ?? OnDemandReport(.following)
        // A person's word counts from when it is given, not from when the service has read it.
        guard isHeld || isPaused else { return report }
        report.state = isHeld ? .held : .paused
        report.failures = 0
        report.failure = nil
        report.nextTry = nil
        return report
    }
}
