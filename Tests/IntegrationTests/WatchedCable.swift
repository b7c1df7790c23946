import TestSupport

/// The far end of a cable, which counts what comes over it: the physical link as the network
/// underneath sees it.
struct WatchedCable {
    /// What a packet is.
    enum Kind: String, CaseIterable {
        /// Of the tunnel itself, to its server.
        case tunnel
        /// To the name server at the far end.
        case names
        /// What finds neighbours and routers.
        case neighbours
        /// What the kernel tells routers of multicast groups.
        case groups
        /// To the far end or its network, or to all hosts there.
        case local
        /// Anything else.
        case leaked
    }

    private let host: FarHost

    /// Counts what comes to `port` of the far host as the tunnel's.
    init(_ host: FarHost, port: UInt16) throws {
        self.host = host
        let counters = Kind.allCases.map { "counter \($0.rawValue) { }" }.joined(separator: "\n")
        try host.place.run(
            "nft",
            """
            table inet watch {
              \(counters)
              set seen4 { type inet_proto . ipv4_addr; flags dynamic; size 1024; }
              set seen6 { type inet_proto . ipv6_addr; flags dynamic; size 1024; }
              chain seen {
                type filter hook prerouting priority raw; policy accept;
                iifname != "\(host.farInterface)" accept
                ip daddr \(host.v4) udp dport \(port) counter name tunnel accept
                ip6 daddr \(host.v6) udp dport \(port) counter name tunnel accept
                ip daddr \(host.v4) udp dport 53 counter name names accept
                icmpv6 type 133-136 ip6 hoplimit 255 counter name neighbours accept
                icmpv6 type mld2-listener-report counter name groups accept
                ip protocol igmp counter name groups accept
                ip daddr \(host.v4) counter name local accept
                ip6 daddr \(host.v6) counter name local accept
                ip daddr { 224.0.0.0/4, 255.255.255.255 } counter name local accept
                ip6 daddr ff00::/8 counter name local accept
                add @seen4 { meta l4proto . ip daddr }
                add @seen6 { meta l4proto . ip6 daddr }
                counter name leaked
              }
            }
            """)
    }

    /// Forgets what was counted so far.
    func reset() throws {
        try host.place.run("nft", "reset counters table inet watch")
        try host.place.run("nft", "flush set inet watch seen4; flush set inet watch seen6")
    }

    /// How many packets of a kind have come.
    func count(_ kind: Kind) throws -> Int {
        let text = try host.place.run("nft", "list counter inet watch \(kind.rawValue)")
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let place = words.firstIndex(of: "packets"), let count = Int(words[place + 1]) else {
            throw Unexpected("no counter: \(text)")
        }
        return count
    }

    /// What came that was not to come, in words.
    func leaks() throws -> String {
        try ["seen4", "seen6"].map { try host.place.run("nft", "list set inet watch \($0)") }
            .joined()
    }
}

/// Somebody on this host who sends to everywhere all the time.
final class Chatterer {
    private static let script = """
        import socket, sys, time
        places = sys.argv[1:]
        def made(family, kind):
            one = socket.socket(family, kind)
            one.setblocking(False)
            return one
        four = made(socket.AF_INET, socket.SOCK_DGRAM)
        four.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        six = made(socket.AF_INET6, socket.SOCK_DGRAM)
        print("ready", flush=True)
        while True:
            for place in places:
                host, _, port = place.rpartition("/")
                name, _, zone = host.partition("%")
                try:
                    if ":" in host:
                        six.sendto(b"x", (name, int(port), 0, socket.if_nametoindex(zone) if zone else 0))
                    else:
                        four.sendto(b"x", (host, int(port)))
                except OSError:
                    pass
                for family in (socket.AF_INET, socket.AF_INET6):
                    if (":" in host) != (family == socket.AF_INET6) or zone:
                        continue
                    try:
                        stream = made(family, socket.SOCK_STREAM)
                        stream.connect((name, int(port)))
                    except OSError:
                        pass
                    stream.close()
            time.sleep(0.003)
        """

    private let process: Command

    /// Sends to places, each ADDRESS/PORT, from where `place` is.
    init(to places: [String], at place: Place = .here) throws {
        process = try place.daemon(["/usr/bin/python3", "-c", Self.script] + places)
        guard try process.output(until: "ready").contains("ready") else {
            throw Unexpected("nobody chats: \(try process.finish(seconds: 1))")
        }
    }

    deinit {
        process.signal(9)
        _ = try? process.finish()
    }
}

/// Somebody who sends by one link, whatever the routes say, as fast as it takes.
final class BoundFlood {
    private static let script = """
        import socket, sys
        link, places = sys.argv[1], sys.argv[2:]
        def made(family):
            one = socket.socket(family, socket.SOCK_DGRAM)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, link.encode())
            one.setblocking(False)
            return one
        four, six = made(socket.AF_INET), made(socket.AF_INET6)
        print("ready", flush=True)
        while True:
            for place in places:
                try:
                    (six if ":" in place else four).sendto(b"x", (place, 9))
                except OSError:
                    pass
        """

    private let process: Command

    /// Sends to addresses by a link of this host.
    init(to places: [String], by link: String) throws {
        process = try Place.here.daemon(["/usr/bin/python3", "-c", Self.script, link] + places)
        guard try process.output(until: "ready").contains("ready") else {
            throw Unexpected("nobody sends: \(try process.finish(seconds: 1))")
        }
    }

    deinit {
        process.signal(9)
        _ = try? process.finish()
    }
}

/// What the firewall of this host holds, as nft lists it.
enum Firewall {
    /// All of it, without the numbers of handles.
    static func ruleset() throws -> String {
        try Place.here.run("nft", "list ruleset")
    }

    /// Carries out a command of nft.
    static func nft(_ text: String) throws {
        try Place.here.run("nft", text)
    }

    /// The tables of tunnels.
    static func tables() throws -> [String] {
        try Place.here.run("nft", "list tables").split(separator: "\n").map(String.init)
            .filter { $0.contains("utunctl-") }
    }

    /// The settings of the kernel that tunnels change: those of every interface.
    static func settings() throws -> String {
        try Place.here.run(
            "sh", "-c",
            "grep -H . /proc/sys/net/ipv4/conf/*/rp_filter /proc/sys/net/ipv4/conf/*/forwarding"
                + " /proc/sys/net/ipv4/conf/*/src_valid_mark /proc/sys/net/ipv4/ip_forward"
                + " /proc/sys/net/ipv6/conf/*/*forwarding /proc/sys/net/ipv6/conf/*/accept_ra"
                + " 2>/dev/null; true")
    }
}
