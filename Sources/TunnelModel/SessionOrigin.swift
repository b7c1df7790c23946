/// Who started a session.
package enum SessionOrigin: String, CaseIterable, Sendable {
    case user, ondemand, systemd
}
