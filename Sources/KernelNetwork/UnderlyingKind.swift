import CNetlink
import Glibc

/// The sort of network that a tunnel's packets travel on.
package enum UnderlyingKind: String, Sendable {
    /// A cable, or what looks like one.
    case ethernet

    /// A wireless LAN.
    case wifi

    /// A mobile network.
    case cellular

    /// Anything else, such as PPP.
    case other

    /// The sort of this link, from sysfs and, where that is silent, from type and name.
    ///
    /// - Parameters:
    ///   - link: The link.
    ///   - classDirectory: Where sysfs describes the links of this network namespace.
    package init(of link: Link, classDirectory: String = "/sys/class/net") {
        let directory = "\(classDirectory)/\(link.name)"
        let deviceType = Self.deviceType(directory)
        if deviceType == "wlan" || Self.exists("\(directory)/wireless")
            || Self.exists("\(directory)/phy80211")
        {
            self = .wifi
            return
        }
        if deviceType == "wwan" {
            self = .cellular
            return
        }
        switch CInt(bitPattern: link.hardwareType) {
        case ARPHRD_IEEE80211, ARPHRD_IEEE80211_PRISM, ARPHRD_IEEE80211_RADIOTAP: self = .wifi
        case ARPHRD_RAWIP: self = .cellular
        case ARPHRD_ETHER where link.name.hasPrefix("ww"): self = .cellular
        case ARPHRD_ETHER where link.name.hasPrefix("wl"): self = .wifi
        case ARPHRD_ETHER: self = .ethernet
        default: self = link.name.hasPrefix("wwan") ? .cellular : .other
        }
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The DEVTYPE line of the link's uevent file.
    private static func deviceType(_ directory: String) -> Substring? {
        let descriptor = open("\(directory)/uevent", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let text = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
        }
        let key = "DEVTYPE="
        return text.split(separator: "\n").first { $0.hasPrefix(key) }?.dropFirst(key.count)
    }
}

extension Link {
    /// Whether the link is itself a tunnel: its packets leave the host by another link.
    package var isTunnel: Bool {
        switch kind {
        case "tun", "wireguard", "ovpn", "xfrm", "vti", "vti6", "ipip", "sit", "ip6tnl", "gre",
            "gretap", "ip6gre", "ip6gretap", "erspan", "ip6erspan", "vxlan", "geneve", "bareudp",
            "gtp", "l2tp", "macsec":
            true
        default: false
        }
    }

    /// The links that can carry a tunnel's packets off the host: neither loopback nor tunnels, nor
    /// links that swallow what they are sent.
    package static func underlyingLinks(of links: [Link]) -> [Link] {
        links.filter { !$0.isLoopback && !$0.isTunnel && !$0.isSink }
    }

    private var isSink: Bool {
        switch kind {
        case "dummy", "ifb", "nlmon", "vcan": true
        default: false
        }
    }
}
