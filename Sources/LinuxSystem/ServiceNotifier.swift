internal import Glibc

/// Tells the service manager how a service fares: sd_notify(3)'s datagram protocol.
package struct ServiceNotifier: Sendable {
    private let address: String?

    /// Takes the address from $NOTIFY_SOCKET; without one nothing is told to anybody.
    package init() {
        address = getenv("NOTIFY_SOCKET").map { String(cString: $0) }
    }

    /// Whether a service manager listens.
    package var isPresent: Bool { address != nil }

    /// Sends assignments such as `READY=1`; a manager that does not listen is no error.
    package func send(_ assignments: [String]) {
        guard let address else { return }
        guard let socket = try? UnixSocket.datagrams(to: address) else { return }
        try? socket.write(Array(assignments.joined(separator: "\n").utf8))
    }
}
