internal import Glibc
internal import LinuxSystem

/// Signals as something that ends a wait, and nothing else.
struct Interruption: ~Copyable {
    /// What ends a wait by itself.
    static let usual = [SIGINT, SIGTERM]

    /// The signals that are received here, and so are blocked.
    let signals: [CInt]
    private let descriptor: SignalDescriptor

    init(_ signals: [CInt] = Interruption.usual) throws(Failure) {
        self.signals = signals
        do { descriptor = try SignalDescriptor(signals) } catch { throw Failure(error) }
    }

    /// Readable when a signal has come.
    var raw: CInt { descriptor.descriptor.raw }

    /// The signal that came.
    func next() -> (signal: CInt, isOfTerminal: Bool)? {
        guard let next = try? descriptor.nextWithOrigin() else { return nil }
        return (next.0, next.isOfTerminal)
    }

    /// Waits for a while; answers the signal that came before its end.
    func pause(until deadline: Deadline) -> CInt? {
        _ = try? LineClient.wait(for: [(raw, .readable)], until: deadline)
        return next()?.signal
    }
}

extension ExitStatus {
    /// The exit status for a signal that ended a wait.
    init(ofSignal signal: CInt) {
        self = signal == SIGINT ? .interrupted : .terminated
    }
}
