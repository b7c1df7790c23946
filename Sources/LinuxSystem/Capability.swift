/// A capability of capabilities(7) that a session host needs.
package enum Capability: CInt, CaseIterable, Sendable {
    case kill = 5
    case setGroup = 6
    case setUser = 7
    case setCapabilities = 8
    case networkAdministration = 12
    case systemAdministration = 21

    /// The name without `CAP_`, as container tools have it.
    package var name: String {
        switch self {
        case .kill: "KILL"
        case .setGroup: "SETGID"
        case .setUser: "SETUID"
        case .setCapabilities: "SETPCAP"
        case .networkAdministration: "NET_ADMIN"
        case .systemAdministration: "SYS_ADMIN"
        }
    }

    /// Whether the effective set holds it.
    ///
    /// Corresponds to `capget(2)`.
    package var isEffective: Bool { Privilege.isEffective(rawValue) }
}
