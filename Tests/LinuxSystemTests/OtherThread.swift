import Glibc
import Testing

/// A thread of its own: the tests' pool has no more threads than processors, and may have
/// none left for a task that another one waits for.
final class OtherThread {
    private final class Body {
        let run: () throws -> Void

        init(_ run: @escaping () throws -> Void) { self.run = run }
    }

    private var thread = pthread_t()

    init(_ body: @escaping @Sendable () throws -> Void) {
        let argument = Unmanaged.passRetained(Body(body)).toOpaque()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                do { try body.run() } catch { Issue.record(error) }
                return nil
            }, argument)
        precondition(failure == 0, "no thread")
    }

    /// Waits for its end.
    func join() {
        pthread_join(thread, nil)
    }
}
