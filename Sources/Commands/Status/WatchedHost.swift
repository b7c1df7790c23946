internal import JSON
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// The subscription of a watch to one session host.
final class WatchedHost {
    let attempt: String
    /// The number of the last transition that was told.
    private(set) var lastTransition: UInt64
    private let client: SessionClient
    private let loop: EventLoop
    private let onTransition: (SessionTransition) -> Void
    private let onEnd: () -> Void

    /// Subscribes; `nil` when the host cannot be reached.
    ///
    /// `seen` is the number of the last transition that was told already: those after it come
    /// in their order, whether they have been or are still to be.
    init?(
        _ directory: SessionDirectory,
        _ loop: EventLoop,
        attempt: String,
        seen: UInt64,
        onTransition: @escaping (SessionTransition) -> Void,
        onEnd: @escaping () -> Void
    ) {
        guard let client = try? SessionClient(directory) else { return nil }
        self.attempt = attempt
        self.client = client
        self.loop = loop
        lastTransition = seen
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

    /// Tells what has come.
    func read() {
        while let reply = client.receiveIfReady() {
            switch reply {
            case .reply(.status), .reply(.paused), .reply(.told): continue
            case .reply(.transition(let transition)):
                // Of an older host, which does not count, each is told.
                guard transition.number > lastTransition || transition.number == 0 else { continue }
                lastTransition = transition.number
                onTransition(transition)
            case .reply(.ended), .reply(.refused), .closed, .timedOut: return onEnd()
            }
        }
    }
}
