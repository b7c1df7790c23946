import Glibc

extension EventLoop {
    /// Kills a child, and reaps it when it has ended, so that no zombie is left of it.
    package func end(_ child: consuming ChildProcess) {
        child.signal(SIGKILL)
        let ending = EndingChild(child)
        let raw = ending.raw
        do throws(SystemError) {
            try add(raw) { [weak self] _ in
                guard ending.reap() else { return }
                self?.remove(raw)
            }
        } catch {
            // Nothing tells when it has ended: it is reaped with this process.
        }
    }
}

/// A killed child, kept by the handler that waits for its end.
private final class EndingChild {
    private let child: ChildProcess

    init(_ child: consuming ChildProcess) {
        self.child = child
    }

    var raw: CInt { child.descriptor.raw }

    func reap() -> Bool {
        do throws(SystemError) { return try child.reap() != nil } catch { return true }
    }
}
