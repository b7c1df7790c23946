import CLinux
import Glibc

/// A real fault of the processor, for tests of whatever watches a process.
package enum Fault: String, CaseIterable, Sendable {
    case segmentation = "SIGSEGV"
    case bus = "SIGBUS"
    case illegalInstruction = "SIGILL"

    /// Ends the process by the fault, which a raised signal does not do to PID 1 of a
    /// namespace.
    package func strike() {
        switch self {
        case .segmentation: ut_fault(SIGSEGV)
        case .bus: ut_fault(SIGBUS)
        case .illegalInstruction: ut_fault(SIGILL)
        }
    }
}
