import TestSupport
import Testing

/// The suites that change the network of the namespace they share; one test after the other.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent }
)
enum KernelSuite {}
