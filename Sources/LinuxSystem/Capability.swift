/// A capability of capabilities(7) that a session host needs.
///
/// The first is what everybody lacks who is not root; the others are those that containers are
/// not given.
package enum Capability: CInt, CaseIterable, Sendable {
    case networkAdministration = 12
    case systemAdministration = 21
    case setUser = 7
    case setGroup = 6
    case setCapabilities = 8
    case kill = 5

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
