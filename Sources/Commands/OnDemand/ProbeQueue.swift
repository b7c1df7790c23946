internal import LinuxSystem
internal import OnDemand
internal import Preferences

/// The probes on one link, of which only some are made at a time.
final class ProbeQueue {
    private static let mostAtATime = 8

    private let interface: String
    private let layout: FileLayout
    private let loop: EventLoop
    private let answered: (String, ProbeOutcome) -> Void
    private var waiting: [String] = []
    private var running: [String: ProbeRun] = [:]

    /// Asks for nothing yet; `answered` is called on the loop, and never at once, with each URL that
    /// was asked for and what came of it.
    init(
        by interface: String,
        _ layout: FileLayout,
        on loop: EventLoop,
        answered: @escaping (String, ProbeOutcome) -> Void
    ) {
        self.interface = interface
        self.layout = layout
        self.loop = loop
        self.answered = answered
    }

    /// Whether everything that was asked for has been answered.
    var isIdle: Bool { running.isEmpty && waiting.isEmpty }

    /// Has a request made, unless one to the same URL is under way or waits.
    func ask(_ url: String) {
        guard running[url] == nil, !waiting.contains(url) else { return }
        waiting.append(url)
        proceed()
    }

    private func proceed() {
        while running.count < Self.mostAtATime, !waiting.isEmpty {
            let url = waiting.removeFirst()
            running[url] = ProbeRun(url, by: interface, layout, on: loop) { [weak self] outcome in
                guard let self else { return }
                self.running[url] = nil
                self.proceed()
                self.answered(url, outcome)
            }
        }
    }
}
