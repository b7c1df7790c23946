import CLinux
import Glibc

/// Signals as something to read: `signalfd(2)`.
package struct SignalDescriptor: ~Copyable {
    /// Readable when a signal is pending.
    package let descriptor: FileDescriptor

    /// Blocks the signals and receives them from now on.
    package init(_ signals: [CInt]) throws(SystemError) {
        descriptor = FileDescriptor(
            taking: try checkShim("signalfd") { ut_signal_descriptor(signals, signals.count) })
    }

    /// The number of a pending signal, or `nil` when there is none.
    package borrowing func next() throws(SystemError) -> CInt? {
        let raw = descriptor.raw
        do throws(SystemError) {
            return try checkShim("signalfd") { ut_signal_read(raw) }
        } catch {
            if error.errno == EAGAIN { return nil }
            throw error
        }
    }

    /// A pending signal, and whether it came from the terminal, as all processes of a job have it.
    package borrowing func nextWithOrigin() throws(SystemError) -> (CInt, isOfTerminal: Bool)? {
        let raw = descriptor.raw
        var isOfKernel = false
        do throws(SystemError) {
            let signal = try checkShim("signalfd") { ut_signal_read_from(raw, &isOfKernel) }
            return (signal, isOfKernel)
        } catch {
            if error.errno == EAGAIN { return nil }
            throw error
        }
    }

    /// Whether the caller had this process ignore a signal, as nohup(1) does.
    package static func isIgnored(_ signal: CInt) -> Bool { ut_signal_is_ignored(signal) }

    /// Lets a write to a closed pipe be an error (EPIPE) and not the end of the process.
    package static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Lets a request to end (SIGTERM) pass without effect.
    package static func ignoreTermination() {
        signal(SIGTERM, SIG_IGN)
    }
}
