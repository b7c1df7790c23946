import Glibc
import JSON
import TestSupport
import Testing

/// What is around a tunnel changes, and the tunnel follows.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct RoutingChangeTests {
    /// Notes the paths that it is told of.
    private static let listener = """
        settle(start["configuration"]["providerConfiguration"]["addresses"])
        send(type="connected")
        paths = []
        while True:
            message = receive()
            if message["type"] == "pathChanged":
                paths.append(message)
            if message["type"] == "query":
                send(type="report", id=message["id"], paths=paths)
            if message["type"] == "stop":
                send(type="stopped")
                os._exit(0)
        """

    private func paths(_ site: RoutingSite) throws -> [JSONObject] {
        try site.installation.status("office").value("provider.report.paths")?.array?
            .compactMap(\.object) ?? []
    }

    private func listening(_ server: String) throws -> RoutingSite {
        let site = try RoutingSite()
        try site.installation.save(
            "office", hostile: Self.listener, "serverAddress=\(server)",
            #"providerConfiguration.addresses=["10.98.0.1/30"]"#)
        try site.start()
        #expect(try site.warnings().isEmpty)
        #expect(try paths(site).isEmpty)
        return site
    }

    @Test(arguments: RoutingSite.beyond)
    func theProviderHearsOfEachNewWay(server: String) throws {
        let site = try listening(server)
        let family = server.contains(":") ? "-6" : "-4"
        let key = server.contains(":") ? "v6" : "v4"
        let other = try FarHost(number: 2)
        let gateway = family == "-6" ? other.v6 : other.v4
        // Another default route.
        try Kernel.ip(family, "route", "replace", "default", "via", gateway, "dev", other.interface)
        #expect(try eventually { try paths(site).count == 1 })
        let path = try #require(try paths(site).last)
        #expect(path.value("\(key).interface") == .string("near2"))
        #expect(path.value("\(key).gateway") == .string(gateway))
        #expect(path.value("\(key).kind") == .string("ethernet"))
        #expect(path[key == "v4" ? "v6" : "v4"] == .null)
        // Its link goes down.
        try Kernel.ip("link", "set", other.interface, "down")
        #expect(try eventually { try paths(site).count == 2 })
        #expect(try paths(site).last?[key] == .null)
        #expect(try site.warnings() == ["noUnderlyingNetwork"])
        #expect(try site.installation.word("office") == "connected")
        #expect(try site.installation.utunctl("status", "office").status == 5)
        // Another network at all.
        try Kernel.ip(
            family, "route", "add", "default", "via",
            family == "-6" ? site.router.v6 : site.router.v4, "dev", site.router.interface)
        #expect(try eventually { try paths(site).count == 3 })
        #expect(try site.warnings().isEmpty)
        // What does not concern the way is none of its business.
        try Kernel.ip("route", "add", "198.51.100.0/24", "dev", site.router.interface)
        usleep(500_000)
        #expect(try paths(site).count == 3)
    }

    @Test func aNewAddressIsANewWay() throws {
        let site = try listening(RoutingSite.beyond4)
        let link = site.router.interface
        try Kernel.ip("address", "add", "192.0.2.7/28", "dev", link)
        try Kernel.ip(
            "route", "replace", "default", "via", site.router.v4, "dev", link, "src", "192.0.2.7")
        #expect(try eventually { try paths(site).last?.value("v4.source") == .string("192.0.2.7") })
        // What comes at once is told at once.
        let count = try paths(site).count
        for _ in 0..<20 {
            try Kernel.ip("route", "replace", "default", "via", "192.0.2.3", "dev", link)
            try Kernel.ip("route", "replace", "default", "via", "192.0.2.4", "dev", link)
        }
        #expect(
            try eventually {
                try paths(site).last?.value("v4.gateway") == .string("192.0.2.4")
            })
        #expect(try paths(site).count - count < 10)
    }

    @Test func wireGuardSpeaksAtOnceByTheNewWay() throws {
        let site = try InteropSite(.utunctl) { $0.starts = true }
        let peer = site.nearFile.key.publicKey
        let link = site.host.interface
        let before = try site.far.show("latest-handshakes")[peer]
        #expect(try site.far.show("endpoints")[peer]?.hasPrefix(site.host.nearV4) == true)
        sleep(1)
        // The address that it spoke from goes, and another comes; nobody sends anything.
        try Kernel.ip("address", "add", "192.0.2.9/28", "dev", link)
        try Kernel.ip("address", "delete", "\(site.host.nearV4)/28", "dev", link)
        try Kernel.ip("address", "replace", "192.0.2.9/28", "dev", link)
        #expect(
            try eventually(seconds: 3) {
                try site.far.show("endpoints")[peer]?.hasPrefix("192.0.2.9:") == true
            })
        #expect(try site.far.show("latest-handshakes")[peer] != before)
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
        #expect(try site.tunnel.word == "connected")
    }

    @Test(arguments: ["routing.includeAllNetworks=true", "routing.enforceRoutes=true"])
    func localNetworksFollowTheLinks(mode: String) throws {
        let site = try RoutingSite()
        let link = site.router.interface
        let before = try Kernel.wholeSnapshot()
        try site.save(
            "office", mode, "routing.excludeLocalNetworks=true",
            #"routing.includedRoutes=["0.0.0.0/0","::/0"]"#)
        try site.start()
        let tunnel = try site.interface()
        let neighbours = ["192.168.77.9", "fd77::9"]
        for address in neighbours { #expect(try Kernel.interface(to: address) == tunnel) }
        // A public network on the link stays in the tunnel.
        #expect(try Kernel.interface(to: site.router.v4) == tunnel)
        try Kernel.ip("address", "add", "192.168.77.1/24", "dev", link)
        try Kernel.ip("address", "add", "fd77::1/64", "dev", link, "nodad")
        for address in neighbours {
            #expect(try eventually { try Kernel.interface(to: address) == link }, "\(address)")
        }
        let excluded = try site.installation.status("office").value("routing.excluded")?.array
        #expect(excluded?.contains(.string("192.168.77.0/24")) == true)
        #expect(excluded?.contains(.string("192.0.2.0/28")) == false)
        #expect(try site.installation.utunctl("status", "office").status == 0)
        try Kernel.ip("address", "delete", "192.168.77.1/24", "dev", link)
        try Kernel.ip("address", "delete", "fd77::1/64", "dev", link)
        for address in neighbours {
            #expect(try eventually { try Kernel.interface(to: address) == tunnel }, "\(address)")
        }
        try site.stop()
        #expect(try Kernel.wholeSnapshot() == before)
    }

    @Test func foreignRulesAheadAreNamed() throws {
        let site = try RoutingSite()
        try site.save("office", "routing.enforceRoutes=true")
        try site.start()
        try Kernel.ip(
            "route", "add", "default", "via", site.router.v4, "dev", site.router.interface,
            "table", "300")
        try Kernel.ip("rule", "add", "priority", "100", "lookup", "300")
        #expect(try site.leaks() == (1, 0))
        #expect(try eventually { try site.warnings() == ["ruleShadowed"] })
        #expect(try site.installation.utunctl("status", "office").status == 5)
        try Kernel.ip("rule", "delete", "priority", "100")
        #expect(try eventually { try site.warnings().isEmpty })
        // One that is asked later, or has nothing to say of these packets, is none.
        try Kernel.ip("rule", "add", "priority", "6000", "lookup", "300")
        try Kernel.ip("rule", "add", "priority", "101", "fwmark", "7", "lookup", "300")
        usleep(500_000)
        #expect(try site.warnings().isEmpty)
        for priority in ["6000", "101"] { try Kernel.ip("rule", "delete", "priority", priority) }
    }

    @Test func overlappingTunnelsAreShown() throws {
        let site = try RoutingSite()
        let narrow = #"routing.includedRoutes=["203.0.113.0/25"]"#
        try site.save()
        try site.save(
            "narrow", narrow, #"providerConfiguration.addresses=["10.97.0.1/30"]"#)
        try site.save(
            "strict", "routing.enforceRoutes=true", #"routing.includedRoutes=["203.0.0.0/16"]"#,
            #"providerConfiguration.addresses=["10.96.0.1/30"]"#)
        try site.start()
        try site.start("narrow")
        #expect(try eventually { try site.warnings() == ["routesOverlap"] })
        #expect(try site.warnings("narrow").isEmpty)
        #expect(try site.installation.utunctl("status", "office").status == 0)
        #expect(try Kernel.interface(to: RoutingSite.beyond4) == site.interface("narrow"))
        // Enforced routes go before all plain ones.
        try site.start("strict")
        #expect(try Kernel.interface(to: RoutingSite.beyond4) == site.interface("strict"))
        #expect(try eventually { try site.warnings("narrow") == ["routesOverlap"] })
        #expect(try site.warnings("strict").isEmpty)
        try site.stop("strict")
        #expect(try eventually { try site.warnings("narrow").isEmpty })
        try site.stop("narrow")
        #expect(try eventually { try site.warnings().isEmpty })
        #expect(try Kernel.interface(to: RoutingSite.beyond4) == site.interface())
    }
}
