import Glibc
import JSON
import TestSupport
import Testing

/// Others have what a tunnel needs, or its own wishes repeat each other.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ConflictTests {
    @Test(arguments: [
        ["link", "add", "wan0", "type", "bridge"],
        ["tuntap", "add", "dev", "wan0", "mode", "tun"],
    ])
    func aStrangersInterfaceIsLeftAlone(made: [String]) throws {
        let site = try Installation()
        try site.save("office", "interface.name=wan0")
        let result = try Command.run(["ip"] + made)
        guard result.status == 0 else { throw Unexpected("\(result)") }
        defer { _ = try? Command.run(["ip", "link", "delete", "wan0"]) }
        let before = try Kernel.snapshot()
        let start = try site.utunctl("start", "office")
        #expect(start.status == 12, "\(start)")
        #expect(start.output.isEmpty)
        #expect(start.errors.contains("wan0"))
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("repair").status == 0)
        let after = try Kernel.snapshot()
        #expect(after == before)
        #expect(try site.word("office") == "disconnected")
        #expect(try site.hasNoProcess())
    }

    @Test func anInterfaceWithAForeignMarkIsLeftAlone() throws {
        let site = try Installation()
        let other = try Installation()
        try other.save("office")
        #expect(try other.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.utunctl("repair", "--all").status == 0)
        #expect(try site.utunctl("stop", "--all").status == 0)
        #expect(try other.utunctl("status", "office").status == 0)
    }

    @Test func twoConfigurationsOfOneInterfaceNameRunOneAtATime() throws {
        let site = try Installation()
        try site.save("one", "interface.name=wan0")
        try site.save("two", "interface.name=wan0")
        #expect(try site.utunctl("start", "--wait", "one").status == 0)
        let two = try site.utunctl("start", "--wait", "two")
        #expect(two.status == 12, "\(two)")
        #expect(try site.utunctl("status", "one").status == 0)
        #expect(try site.utunctl("stop", "one").status == 0)
        #expect(try site.utunctl("start", "--wait", "two").status == 0)
    }

    @Test func ofManyStartsForOneInterfaceNameOneWins() throws {
        let site = try Installation()
        let names = (0..<6).map { "t\($0)" }
        for name in names { try site.save(name, "interface.name=wan0") }
        let starts = try names.map { try site.start("start", $0) }
        let statuses = try starts.map { try $0.finish().status }
        #expect(statuses.sorted() == [0, 12, 12, 12, 12, 12])
        #expect(try Kernel.tunnels() == ["wan0"])
    }

    @Test func anIncludedRouteEqualToTheConnectedPrefixIsOneRoute() throws {
        let site = try Installation()
        try site.save(
            "office", #"providerConfiguration.addresses=["10.96.0.1/24"]"#,
            #"providerConfiguration.includedRoutes=["10.96.0.0/24","10.96.0.7/24"]"#)
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 0, "\(start)")
        let routes = try Command.run(["ip", "-4", "route", "show", "10.96.0.0/24"]).output
        #expect(routes.split(separator: "\n").count == 1, "\(routes)")
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test func equalRoutesWithHostBitsAreOneRoute() throws {
        let site = try Installation()
        try site.save(
            "office", #"providerConfiguration.addresses=["10.96.0.1/30","fd96::1/64"]"#,
            #"routing.includedRoutes=["10.95.1.2/16","10.95.0.0/16","fd95::7/64","fd95::/64"]"#)
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 0, "\(start)")
        for family in ["-4", "-6"] {
            let routes = try Command.run(["ip", family, "route", "show", "proto", "117"]).output
            #expect(routes.split(separator: "\n").count == 1, "\(routes)")
        }
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test func aRestartAfterACrashHasTheRoutesOfACleanStart() throws {
        let site = try Installation()
        try site.save(
            "office", #"providerConfiguration.addresses=["10.96.0.1/30"]"#,
            #"providerConfiguration.includedRoutes=["10.95.0.0/16"]"#)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let before = try Command.run(["ip", "route"]).output
        // Found before: a host whose provider is gone is on its way out.
        let host = try site.livingHost(of: "office")
        kill(try site.livingProvider(of: "office"), SIGKILL)
        kill(host, SIGKILL)
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 0, "\(start)")
        #expect(try Command.run(["ip", "route"]).output == before)
        #expect(try Kernel.tunnels() == ["utun0"])
    }

    @Test func aRouteThatAnotherLinkHasIsToldOfAndNotTaken() throws {
        let site = try Installation()
        try Kernel.ip("tuntap", "add", "dev", "lan0", "mode", "tun")
        defer { _ = try? Command.run(["ip", "link", "delete", "lan0"]) }
        try Kernel.ip("link", "set", "lan0", "up")
        try Kernel.ip("route", "add", "10.95.0.0/16", "dev", "lan0")
        try site.save(
            "office", #"providerConfiguration.addresses=["10.96.0.1/30"]"#,
            #"providerConfiguration.includedRoutes=["10.95.0.0/16"]"#)
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 6, "\(start)")
        #expect(start.errors.contains("10.95.0.0/16"), "\(start.errors)")
        let routes = try Command.run(["ip", "route", "show", "10.95.0.0/16"]).output
        #expect(routes.contains("dev lan0"))
        #expect(try Kernel.tunnels() == ["lan0"])
    }

    @Test(arguments: ["10.96.0.1/30", "10.96.0.2/30", "10.96.0.1/32"])
    func anAddressThatAnotherTunnelHasIsAConflict(_ address: String) throws {
        let site = try Installation()
        try site.save("one", #"providerConfiguration.addresses=["10.96.0.1/30"]"#)
        try site.save("two", #"providerConfiguration.addresses=["\#(address)"]"#)
        #expect(try site.utunctl("start", "--wait", "one").status == 0)
        let two = try site.utunctl("start", "--wait", "two")
        #expect(two.status == 12, "\(two)")
        #expect(two.errors.contains("utun0"), "\(two.errors)")
        #expect(try site.utunctl("status", "one").status == 0)
        #expect(try Kernel.tunnels() == ["utun0"])
    }

    @Test func anAddressThatAProviderAsksForAndAnotherHasIsRejected() throws {
        let site = try Installation()
        try site.save("one", #"providerConfiguration.addresses=["10.98.0.1/30"]"#)
        try site.save("two", hostile: "connect()\nserve()")
        #expect(try site.utunctl("start", "--wait", "one").status == 0)
        #expect(try site.utunctl("start", "--wait", "two").status == 6)
        #expect(try site.lastDisconnect("two").code == "networkSettingsRejected")
        #expect(try site.utunctl("status", "one").status == 0)
        #expect(try Kernel.tunnels() == ["utun0"])
    }
}
