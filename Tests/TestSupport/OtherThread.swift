import Glibc
import Synchronization

/// A thread of its own: the tests' pool has no more threads than processors, and may have
/// none left for a task that another one waits for.
package final class OtherThread: Sendable {
    private final class Body: Sendable {
        let failure = Mutex<(any Error)?>(nil)
        private let run: @Sendable () throws -> Void

        init(_ run: @escaping @Sendable () throws -> Void) { self.run = run }

        func runToEnd() {
            do { try run() } catch { failure.withLock { $0 = error } }
        }
    }

    private let thread: pthread_t
    private let body: Body

    /// Starts it.
    package init(_ body: @escaping @Sendable () throws -> Void) {
        self.body = Body(body)
        let argument = Unmanaged.passRetained(self.body).toOpaque()
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().runToEnd()
                return nil
            }, argument)
        precondition(failure == 0, "no thread")
        self.thread = thread
    }

    /// Waits for its end, and throws what it ended by.
    package func join() throws {
        pthread_join(thread, nil)
        if let failure = body.failure.withLock({ $0 }) { throw failure }
    }
}
