internal import JSON
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// The subscription of a watch to one session host.
final class WatchedHost {
    private let client: SessionClient
    private let loop: EventLoop
    private let onTransition: (SessionTransition) -> Void
    private let onEnd: () -> Void
    private var isFirst = true
    private let shown: TunnelStatus

    /// Subscribes; `nil` when the host cannot be reached.
    ///
    /// `shown` is the status that was printed already: of the transitions so far, those up to
    /// it were seen.
    init?(
        _ directory: SessionDirectory,
        _ loop: EventLoop,
        shown: TunnelStatus,
        onTransition: @escaping (SessionTransition) -> Void,
        onEnd: @escaping () -> Void
    ) {
        guard let client = try? SessionClient(directory) else { return nil }
        self.client = client
        self.loop = loop
        self.shown = shown
        self.onTransition = onTransition
        self.onEnd = onEnd
        do {
            try client.send(.subscribe)
            try loop.add(client.raw) { [weak self] _ in self?.read() }
        } catch {
            return nil
        }
    }

    deinit {
        loop.remove(client.raw)
    }

    private func read() {
        var transitions: [SessionTransition] = []
        var hasEnded = false
        while let reply = client.receiveIfReady() {
            if case .reply(.transition(let transition)) = reply {
                transitions.append(transition)
                continue
            }
            if case .reply(.status) = reply { continue }
            hasEnded = true
            break
        }
        if isFirst, !transitions.isEmpty {
            isFirst = false
            // The history of the attempt: what the snapshot showed is not told twice.
            if let seen = transitions.lastIndex(where: { $0.status == shown }) {
                transitions.removeFirst(seen + 1)
            }
        }
        transitions.forEach(onTransition)
        if hasEnded { onEnd() }
    }
}
