/// A table of nf_tables as the kernel tells of it.
package struct FirewallTable: Equatable, Sendable {
    /// Its name within the family `inet`.
    package let name: String
    /// Its comment; empty where it has none.
    package let comment: String
    /// Whether its chains are in force: a dormant table lets everything pass.
    package let isDormant: Bool
}
