/// What the comment of a firewall table says, so that whoever finds the table knows whose it is
/// and what it is for without any file.
package struct FirewallLabel: Equatable, Sendable {
    package let mode: FirewallMode
    /// The index of the tunnel's interface; 0 before there is one.
    package let link: UInt32
    /// Whether only `unblock` lifts it.
    package let lockdown: RoutingSettings.Lockdown
    /// The name of the configuration.
    package let name: String

    package init(
        mode: FirewallMode,
        link: UInt32,
        lockdown: RoutingSettings.Lockdown,
        name: String
    ) {
        self.mode = mode
        self.link = link
        self.lockdown = lockdown
        self.name = name
    }

    /// The comment, with a hash of what the table holds; nft takes up to 127 bytes.
    package func text(hash: String) -> String {
        "utunctl \(mode.rawValue) \(link) \(lockdown.rawValue) \(hash) \(name)"
    }

    /// Reads a comment; `nil` where it is none of ours.
    package init?(_ comment: String) {
        let words = comment.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0] == "utunctl",
            let mode = FirewallMode(rawValue: String(words[1])), let link = UInt32(words[2]),
            let lockdown = RoutingSettings.Lockdown(rawValue: String(words[3]))
        else { return nil }
        self.init(mode: mode, link: link, lockdown: lockdown, name: String(words[5]))
    }
}
