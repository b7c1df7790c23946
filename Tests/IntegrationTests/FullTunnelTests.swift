import Glibc
import JSON
import TestSupport
import Testing

/// Tunnels that take everything, the way to their own server included.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct FullTunnelTests {
    /// What lies beyond the far end, which has these addresses itself.
    private static let beyond = ["203.0.113.9", "2001:db8:99::9"]

    private func expectReply(of address: String) throws {
        let ping = try Command.run(["ping", "-c", "3", "-i", "0.1", "-W", "5", address])
        #expect(ping.status == 0, "\(ping)")
    }

    private func site(
        _ underlay: InteropSite.Underlay,
        _ allowed: [String],
        settings: [String] = []
    ) throws -> InteropSite {
        let site = try InteropSite(.utunctl) { plan in
            plan.underlay = underlay
            plan.settings = settings
            plan.starts = false
            plan.change = { near, _ in near.peers[0].allowedIPs = allowed }
        }
        for address in Self.beyond {
            try site.host.place.run("ip", "address", "add", address, "dev", "lo")
        }
        return site
    }

    @Test(arguments: InteropSite.Underlay.allCases)
    func everythingGoesThroughTheTunnelButTheTunnelItself(underlay: InteropSite.Underlay) throws {
        let site = try site(underlay, ["0.0.0.0/0", "::/0"])
        for (family, gateway) in [("-4", site.host.v4), ("-6", site.host.v6)] {
            try Kernel.ip(family, "route", "add", "default", "via", gateway)
        }
        let tunnel = try site.tunnel
        try tunnel.connect()
        for address in Self.beyond + [InteropSite.farAddress, InteropSite.farV6] {
            #expect(try Kernel.interface(to: address) == tunnel.interface)
            let former = try Kernel.received(by: tunnel.interface)
            try expectReply(of: address)
            #expect(try Kernel.received(by: tunnel.interface) >= former + 3)
        }
        // And so says the kernel, asked about each of its packets.
        let leaks = try tunnel.site.utunctl("doctor", "leaks", tunnel.name)
        #expect(leaks.status == 0, "\(leaks)")
        let server = underlay == .v4 ? site.host.v4 : site.host.v6
        #expect(leaks.output.contains("\(server) (the tunnel's own) outside, by "), "\(leaks)")
        // The more specific route of the cable stays in force.
        #expect(try Kernel.interface(to: site.host.v4) == site.host.interface)
        // What loops multiplies: a handful of pings are a handful of messages.
        #expect(try Kernel.received(by: site.host.interface) < 100)
        #expect(try tunnel.site.warnings(tunnel.name).isEmpty)
        #expect(try tunnel.site.utunctl("stop", tunnel.name).status == 0)
        #expect(try Kernel.tunnelRules().isEmpty && Kernel.tunnels().isEmpty)
        #expect(try Kernel.interface(to: Self.beyond[0]) == site.host.interface)
    }

    @Test(
        arguments: InteropSite.Underlay.allCases,
        ["routing.enforceRoutes=true", "routing.includeAllNetworks=true"])
    func nothingButTheTunnelItselfLeavesBesideIt(
        underlay: InteropSite.Underlay, mode: String
    ) throws {
        let site = try site(underlay, ["0.0.0.0/0", "::/0"], settings: [mode])
        let tunnel = try site.tunnel
        try tunnel.connect()
        // The network of the cable too, but for the tunnel's own packets.
        for address in Self.beyond + [site.host.v4, site.host.v6, InteropSite.farAddress] {
            #expect(try Kernel.interface(to: address) == tunnel.interface)
            try expectReply(of: address)
        }
        #expect(try tunnel.site.warnings(tunnel.name).isEmpty)
        #expect(try tunnel.site.utunctl("status", tunnel.name).status == 0)
        // A session that fails leaves the host blocked; one that is begun anew goes on.
        kill(try tunnel.site.livingProvider(of: tunnel.name), SIGKILL)
        #expect(try eventually { try tunnel.word == "disconnected" })
        if mode.contains("includeAll") {
            #expect(try Kernel.interface(to: site.host.v4) == nil)
        }
        try tunnel.connect()
        try expectReply(of: Self.beyond[0])
        #expect(try tunnel.site.utunctl("stop", tunnel.name).status == 0)
        #expect(try Kernel.tunnelRules().isEmpty && Kernel.tunnels().isEmpty)
    }

    @Test(arguments: InteropSite.Underlay.allCases)
    func aRouteThatHoldsTheEndpointIsNoLoop(underlay: InteropSite.Underlay) throws {
        // The very network of the cable, so that no other route is more specific.
        let site = try site(underlay, [underlay == .v4 ? "192.0.2.0/28" : "2001:db8:1::/64"])
        let tunnel = try site.tunnel
        try tunnel.connect()
        // The server's own address, asked from within the tunnel, which has no way back but it.
        let endpoint = underlay == .v4 ? site.host.v4 : site.host.v6
        #expect(try Kernel.interface(to: endpoint) == tunnel.interface)
        let former = try Kernel.received(by: tunnel.interface)
        try expectReply(of: endpoint)
        #expect(try Kernel.received(by: tunnel.interface) >= former + 3)
        #expect(try Kernel.received(by: site.host.interface) < 100)
        #expect(try tunnel.site.utunctl("status", tunnel.name).status == 0)
        #expect(try tunnel.site.utunctl("stop", tunnel.name).status == 0)
    }
}
