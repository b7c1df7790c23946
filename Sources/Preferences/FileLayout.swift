internal import Glibc
internal import LinuxSystem
internal import TunnelModel

/// Where everything lies, below one root.
///
/// With a root other than the system's, a test, a demo or a container touches nothing else.
package struct FileLayout: Equatable, Sendable {
    /// The root's path without a final slash; empty for the system itself.
    package let root: String
    /// What the marks of this root end in; empty for the system itself.
    private let markSuffix: String

    /// The layout of the system.
    package static let system = FileLayout(root: "")

    /// The layout below a directory, which is resolved so that one place has one name.
    package init(root: String) {
        let path = Self.resolve(root)
        self.root = path == "/" ? "" : path
        markSuffix = self.root.isEmpty ? "" : "@\(Fingerprint(of: self.root).text.prefix(8))"
    }

    private static func resolve(_ root: String) -> String {
        guard !root.isEmpty, let resolved = realpath(root, nil) else { return root }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// A path of the system, below the root.
    package func path(_ path: String) -> String { root + path }

    /// The directory of all that is configured.
    var configurationDirectory: String { path("/etc/utunctl") }

    /// The document with all configurations.
    package var preferences: String { path("/etc/utunctl/preferences.json") }

    /// What is there while an enrolment is not at its end.
    var enrolmentJournal: String { path("/etc/utunctl/.enrolment.json") }

    /// What is there while somebody changes the preferences.
    var preferencesLock: String { path("/etc/utunctl/.lock") }

    /// The directory of enrolled profiles.
    package var profilesDirectory: String { path("/etc/utunctl/profiles") }

    /// The directory of secrets.
    package var credentialsDirectory: String { path("/etc/utunctl/credentials") }

    /// The directories of provider manifests; those of later ones win.
    package var providerDirectories: [String] {
        [path("/usr/lib/utunctl/providers.d"), path("/etc/utunctl/providers.d")]
    }

    /// The directory of living sessions and of their history since the boot.
    package var runtimeDirectory: String { path("/run/utunctl") }

    /// The directories in which is seen what is saved and which sessions there are, that of the
    /// preferences' own file included where it is a link.
    package var watchedDirectories: [String] {
        let target = (try? AtomicFile.destination(of: preferences)) ?? preferences
        return [
            AtomicFile.split(preferences).directory, AtomicFile.split(target).directory,
            runtimeDirectory,
        ]
    }

    /// A helper program.
    package func helper(_ name: String) -> String { path("/usr/libexec/utunctl/\(name)") }

    /// The hosts file: the root's own where it has one, else the system's.
    package var hostsFile: String { ownOrSystem("/etc/hosts") }

    /// The list of resolvers that were there before ours.
    ///
    /// Where systemd-resolved runs, its upstreams: its own queries carry no mark.
    package var resolverList: String {
        let own = path("/etc/resolv.conf")
        if !root.isEmpty, access(own, F_OK) == 0 { return own }
        let upstreams = "/run/systemd/resolve/resolv.conf"
        return access(upstreams, R_OK) == 0 ? upstreams : "/etc/resolv.conf"
    }

    /// The file of a network namespace that has a name.
    package func networkNamespace(_ name: String) -> String { ownOrSystem("/run/netns/\(name)") }

    /// What ip-netns(8) puts in the place of files of /etc for programs in a network namespace.
    package func namespaceFiles(_ name: String) -> String { path("/etc/netns/\(name)") }

    /// The alias that marks the interface of a configuration as ours.
    package func mark(of identifier: String) -> String {
        "utunctl:\(identifier)\(markSuffix)"
    }

    /// The identifier in the alias of an interface, if it carries a mark of this root.
    package func identifier(inMark alias: String?) -> String? {
        guard let alias, Self.isMark(alias), alias.hasSuffix(markSuffix) else { return nil }
        let identifier = String(alias.dropFirst(8).dropLast(markSuffix.count))
        return Identifier.isValid(identifier) ? identifier : nil
    }

    /// Whether the alias of an interface is a mark, of whichever root.
    package static func isMark(_ alias: String?) -> Bool {
        alias?.hasPrefix("utunctl:") ?? false
    }

    /// The firewall table of a configuration, in the family `inet`.
    package func firewallTable(of identifier: String) -> String {
        "\(Self.firewallPrefix)\(identifier)\(firewallSuffix)"
    }

    /// The identifier in the name of a firewall table, if it is of this root.
    package func identifier(inFirewallTable name: String) -> String? {
        guard Self.isFirewallTable(name), name.hasSuffix(firewallSuffix) else { return nil }
        let identifier = String(
            name.dropFirst(Self.firewallPrefix.count).dropLast(firewallSuffix.count))
        return Identifier.isValid(identifier) ? identifier : nil
    }

    /// Whether a firewall table is of a tunnel, of whichever root.
    package static func isFirewallTable(_ name: String) -> Bool {
        name.hasPrefix(firewallPrefix)
    }

    private static let firewallPrefix = "utunctl-"

    // A name of nft has no @.
    private var firewallSuffix: String { markSuffix.isEmpty ? "" : "-\(markSuffix.dropFirst())" }

    private func ownOrSystem(_ path: String) -> String {
        access(self.path(path), F_OK) == 0 ? self.path(path) : path
    }
}
