internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// The servers of a configuration, as far as they are known without asking anybody.
struct KnownServers {
    /// The addresses by the way they are written.
    let resolved: [String: [IPAddress]]
    /// The names that only a resolver may know.
    let unknown: [String]
    /// Why no session could find any of them; `nil` where one may.
    private(set) var failure: DisconnectReason?

    /// Looks in hosts(5), which comes before every resolver.
    init(_ configuration: Configuration, _ layout: FileLayout) {
        let names = configuration.serverNames
        let found = names.isEmpty ? [:] : Self.hosts(names, layout)
        let literals = configuration.serverLiterals.map { ($0.name, [$0.address]) }
        resolved = found.merging(literals) { $1 }
        unknown = names.filter { found[$0] == nil }
        // What is within this host answers also while everything else is blocked.
        let mayAnswer = NameResolution.resolvers(layout).contains(where: \.isLoopback)
        if resolved.isEmpty, !mayAnswer {
            failure = Self.problem(ofUnanswered: unknown, configuration).map {
                DisconnectReason(.serverAddressResolution, $0)
            }
        }
    }

    var addresses: Set<IPAddress> { Set(resolved.values.joined()) }

    /// Why names have no address that a configuration lets nobody be asked for; `nil` where it
    /// is not the configuration.
    static func problem(ofUnanswered names: [String], _ configuration: Configuration) -> String? {
        let routing = configuration.routing
        guard routing.mode == .all, !routing.resolveWhileBlocked, let first = names.min() else {
            return nil
        }
        let others = names.count > 1 ? " (and \(names.count - 1) more)" : ""
        return "\(first)\(others) is not in /etc/hosts, and no resolver may be asked while"
            + " everything is blocked, as routing.resolveWhileBlocked is false: write it into"
            + " /etc/hosts, or utunctl save \(configuration.name) --unset"
            + " routing.resolveWhileBlocked"
    }

    private static func hosts(_ names: [String], _ layout: FileLayout) -> [String: [IPAddress]] {
        guard let file = try? FileDescriptor.open(layout.hostsFile, O_RDONLY | O_NONBLOCK),
            let text = try? file.readAll(limit: HostsFile.longest, "hosts")
        else { return [:] }
        return HostsFile.addresses(of: names, in: text)
    }
}
