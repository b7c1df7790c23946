internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

extension TunnelInterface {
    /// How many servers are looked at: all of a tunnel are reached over few interfaces.
    private static let mostServers = 64

    /// Why the answers of servers would not arrive; `nil` where nothing is known against it.
    ///
    /// Where the reverse path is filtered strictly, the kernel looks where an unmarked packet
    /// to the sender would go, and drops what did not come from there: each answer of a server
    /// that one of the tunnel's routes holds.
    func reversePathProblem(
        _ settings: EffectiveSettings
    ) throws(NetlinkError) -> String? {
        let servers = surroundings.keptOutside
        let own = RoutePlan(settings, surroundings).own.filter { $0.family == .v4 }
        guard !own.isEmpty else { return nil }
        for server in servers.filter({ $0.family == .v4 }).prefix(Self.mostServers)
        where own.contains(where: { $0.contains(server) }) {
            let route = try kernel.routeLookup(to: server, mark: OutsideSocket.mark)
            guard let route, let link = try kernel.link(index: route.interfaceIndex),
                !link.isLoopback, Self.isStrict(link.name)
            else { continue }
            return "the answers of \(server) would be dropped, as the reverse path is filtered"
                + " strictly: sysctl net.ipv4.conf.\(link.name).rp_filter=2"
        }
        return nil
    }

    private static func isStrict(_ name: String) -> Bool {
        // Whoever has marks count in the reverse path sees to it that answers carry them.
        guard setting("src_valid_mark", name) == 0 else { return false }
        return setting("rp_filter", name) == 1
    }

    /// The higher of the values for all interfaces and for one, as the kernel takes it.
    private static func setting(_ key: String, _ name: String) -> Int {
        [name, "all"].map { place in
            let path = "/proc/sys/net/ipv4/conf/\(place)/\(key)"
            guard let file = try? FileDescriptor.open(path, O_RDONLY),
                let digit = try? file.read(atMost: 1).first
            else { return 0 }
            return Int(digit) - 0x30
        }.max() ?? 0
    }
}
