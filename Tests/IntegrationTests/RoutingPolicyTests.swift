import Glibc
import JSON
import TestSupport
import Testing

/// IPv6 that a tunnel does not carry, and providers whose packets nothing marks.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct RoutingPolicyTests {
    private static let onlyV4 = #"providerConfiguration.addresses=["10.98.0.1/30"]"#
    private static let allOfV4 = #"routing.includedRoutes=["0.0.0.0/0"]"#

    @Test(
        arguments: [
            (["routing.ipv6=tunnel"], 0, "block"), (["routing.ipv6=leave"], 1, "leave"),
            (["routing.ipv6=block"], 0, "block"),
        ], [false, true])
    func aFullTunnelWithoutIPv6(
        policy: (settings: [String], leaks: Int, shown: String), isEnforced: Bool
    ) throws {
        let site = try RoutingSite()
        let before = try Kernel.wholeSnapshot()
        try site.save(
            "office", Self.onlyV4, Self.allOfV4, policy.settings[0],
            "routing.enforceRoutes=\(isEnforced)")
        try site.start()
        #expect(try site.leaks() == (0, policy.leaks))
        let status = try site.installation.status("office")
        #expect(status.value("routing.ipv6") == .string(policy.shown))
        // What never leaves the link is none of this.
        let neighbour = try site.router.place.run(
            "ip", "-6", "-o", "addr", "show", "dev", site.router.farInterface, "scope", "link")
        let words = neighbour.split(separator: " ").first { $0.hasPrefix("fe80:") }
        let address = try #require(words?.split(separator: "/").first)
        #expect(
            try eventually {
                try Command.run([
                    "ping", "-6", "-c", "1", "-W", "1", "\(address)%\(site.router.interface)",
                ]).status == 0
            })
        #expect(try site.installation.utunctl("status", "office").status == 0)
        try site.stop()
        #expect(try Kernel.wholeSnapshot() == before)
    }

    @Test(arguments: [false, true])
    func blockedIPv6IsAllThatTheTunnelDoesNotCarry(isEnforced: Bool) throws {
        let site = try RoutingSite()
        try site.save(
            "office", "routing.ipv6=block", #"routing.includedRoutes=["2001:db8:5:1::/64"]"#,
            "routing.enforceRoutes=\(isEnforced)")
        try site.start()
        #expect(try site.leaks() == (1, 0))
        let tunnel = try site.interface()
        #expect(try Kernel.interface(to: "2001:db8:5:1::9") == tunnel)
        // Not even when the tunnel has lost its way.
        try Kernel.ip("link", "set", tunnel, "down")
        #expect(try site.leaks(to: ["2001:db8:5:1::9"]) == (0, 0))
        #expect(try !RoutingSite.send(to: "2001:db8:5:1::9"))
    }

    @Test(arguments: ["routing.enforceRoutes=false", "routing.includeAllNetworks=true"])
    func aTunnelThatGetsNoIPv6HoldsTheHostsBack(mode: String) throws {
        let site = try RoutingSite()
        let before = try Kernel.wholeSnapshot()
        // Of interfaces that are made from now on, as a container may have it.
        let path = "/proc/sys/net/ipv6/conf/default/disable_ipv6"
        try site.save("office", mode, #"routing.includedRoutes=["0.0.0.0/0","::/0"]"#)
        try Place.here.run("/bin/sh", "-c", "echo 1 >\(path)")
        defer { _ = try? Place.here.run("/bin/sh", "-c", "echo 0 >\(path)") }
        try site.start()
        #expect(try site.warnings() == ["ipv6Unavailable"])
        #expect(try site.leaks() == (0, 0))
        #expect(try site.installation.status("office").value("routing.ipv6") == .string("block"))
        try site.stop()
        try Place.here.run("/bin/sh", "-c", "echo 0 >\(path)")
        #expect(try Kernel.wholeSnapshot() == before)
    }

    /// A provider on the host's own network: its packets look like everybody's.
    private static let unmarked = """
        settle(start["configuration"]["providerConfiguration"]["addresses"])
        send(type="connected")
        server = start["configuration"]["serverAddress"]
        family = socket.AF_INET6 if ":" in server else socket.AF_INET
        link = socket.socket(family, socket.SOCK_DGRAM)
        link.sendto(b"hello", (server, 7))
        serve()
        """

    private func save(_ site: RoutingSite, _ settings: String...) throws {
        try site.installation.installPythonProvider(
            "unmarked", HostileProvider.prelude + Self.unmarked, #""network": "host""#)
        let edits = [
            "provider=org.example.unmarked",
            #"providerConfiguration.addresses=["10.98.0.1/30","fd98::1/64"]"#,
        ]
        let save = try Command.run(
            site.installation.command(
                ["save", "office"] + (edits + settings).flatMap { ["--set", $0] }))
        guard save.status == 0 else { throw Unexpected("\(save)") }
    }

    @Test(arguments: RoutingSite.beyond)
    func packetsWithoutAMarkReachTheirServerAndNothingElseLeaks(server: String) throws {
        let site = try RoutingSite()
        let isV6 = server.contains(":")
        let before = try Kernel.wholeSnapshot()
        try save(
            site, "serverAddress=\(server)", #"routing.includedRoutes=["0.0.0.0/0","::/0"]"#)
        let count = try site.leaked()
        try site.start()
        #expect(
            try eventually {
                let now = try site.leaked()
                return (now.v4 - count.v4, now.v6 - count.v6) == (isV6 ? (0, 1) : (1, 0))
            })
        #expect(try site.warnings() == ["endpointRouteLeaks"])
        #expect(try site.installation.utunctl("status", "office").status == 0)
        let others = ["203.0.113.6", "2001:db8:5::6"]
        #expect(try site.leaks(to: others) == (0, 0))
        #expect(try site.leaks(to: [server]) == (isV6 ? (0, 1) : (1, 0)))
        // Nothing is pinned: the way to the server is the host's own, whichever it is now.
        let other = try FarHost(number: 2)
        try Kernel.ip(
            isV6 ? "-6" : "-4", "route", "replace", "default", "via", isV6 ? other.v6 : other.v4,
            "dev", other.interface)
        #expect(try Kernel.interface(to: server) == other.interface)
        try Kernel.ip(
            isV6 ? "-6" : "-4", "route", "replace", "default", "via",
            isV6 ? site.router.v6 : site.router.v4, "dev", site.router.interface)
        try site.stop()
        withExtendedLifetime(other) {}
        _ = before
        #expect(try Kernel.tunnelRules().isEmpty)
    }

    @Test(
        arguments: [
            ("routing.enforceRoutes", "true"), ("routing.includeAllNetworks", "true"),
        ])
    func whatNothingMarksCannotBePromised(key: String, value: String) throws {
        let site = try RoutingSite()
        try save(site, "serverAddress=\(RoutingSite.beyond4)", "\(key)=\(value)")
        let before = try Kernel.wholeSnapshot()
        let start = try site.installation.utunctl("start", "office")
        #expect(start.status == 7, "\(start)")
        #expect(start.errors.contains(key), "\(start)")
        #expect(try Kernel.wholeSnapshot() == before)
    }
}
