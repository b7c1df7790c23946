internal import KernelNetwork
internal import LinuxSystem
internal import TunnelModel

/// What makes a host forward packets of others to and from a tunnel.
struct Forwarding {
    /// A setting of the kernel that is to be "1", by its path below /proc/sys.
    struct Setting {
        let path: String
        var value = "1"
        /// Whether it goes with the tunnel's own link.
        var isOwn = false
    }

    /// The links that forward because of it, those that did before among them.
    var links: ForwardingLinks
    private(set) var settings: [Setting] = []
    private let tunnel: UInt32

    /// Nothing yet, but the links that forward already because of a tunnel, which is known by its
    /// own.
    init(links: ForwardingLinks, of tunnel: UInt32) {
        self.links = links
        self.tunnel = tunnel
    }

    /// Adds what has links forward IPv4.
    mutating func addIPv4(_ all: [Link]) {
        add(all, .v4) { "net/ipv4/conf/\($0)/forwarding" }
    }

    /// Adds what has links forward IPv6, which the kernel does for all of them or, since Linux
    /// 6.17, for those that are forced to.
    mutating func addIPv6(_ all: [Link]) {
        let host = "net/ipv6/conf/all/forwarding"
        guard Self.read(host) == "0" else { return }
        let own = all.first { $0.index == tunnel }?.name ?? "lo"
        func forced(_ link: String) -> String { "net/ipv6/conf/\(link)/force_forwarding" }
        guard Self.read(forced(own)) == nil else { return add(all, .v6, forced) }
        for link in all where link.index != tunnel {
            let router = "net/ipv6/conf/\(link.name)/accept_ra"
            // A host that forwards heeds no router unless it is told to: it would lose its way.
            if Self.read(router) == "1" { settings.append(Setting(path: router, value: "2")) }
            links[.v6].insert(link.index)
        }
        settings.append(Setting(path: host))
    }

    private mutating func add(
        _ all: [Link],
        _ family: IPAddress.Family,
        _ path: (String) -> String
    ) {
        for link in all {
            let path = path(link.name)
            guard Self.read(path) == "0" else { continue }
            settings.append(Setting(path: path, isOwn: link.index == tunnel))
            if link.index != tunnel { links[family].insert(link.index) }
        }
    }

    private static func read(_ path: String) -> String? { try? KernelSetting(path).read() }
}
