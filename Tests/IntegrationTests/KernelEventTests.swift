import Glibc
import JSON
import TestSupport
import Testing

/// Others change the interface of a tunnel under it.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct KernelEventTests {
    private func connected() throws -> Installation {
        let site = try Installation()
        try site.save(
            "office", #"providerConfiguration.addresses=["10.96.0.1/30","fd96::1/64"]"#,
            #"providerConfiguration.includedRoutes=["10.95.0.0/16","fd95::/64"]"#)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        return site
    }

    private func restored(_ site: Installation) throws -> [String: Int64] {
        let object = try site.status("office")["interface"]?.object?["restored"]?.object
        var counts: [String: Int64] = [:]
        for key in ["addresses", "routes", "rules"] {
            if case .integer(let count)? = object?[key] { counts[key] = count }
        }
        return counts
    }

    private func isWhole(_ site: Installation) throws -> Bool {
        let addresses = try Command.run(["ip", "-o", "addr", "show", "dev", "utun0"]).output
        let routes = try ["-4", "-6"].map {
            try Command.run(["ip", $0, "route", "show", "proto", "117"]).output
        }
        return try site.utunctl("status", "office").status == 0
            && addresses.contains("10.96.0.1/30") && addresses.contains("fd96::1/64")
            && routes[0].contains("10.95.0.0/16 dev utun0")
            && routes[1].contains("fd95::/64 dev utun0")
    }

    @Test func aDeletedInterfaceEndsTheTunnel() throws {
        let site = try connected()
        let host = try site.livingHost(of: "office")
        let provider = try site.livingProvider(of: "office")
        try Kernel.ip("link", "delete", "utun0")
        #expect(try eventually(seconds: 2) { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "interfaceRemoved")
        #expect(!Processes.isAlive(provider))
        #expect(eventually(seconds: 2) { !Processes.isAlive(host) })
    }

    @Test func aProviderThatHoldsOnToADeletedInterfaceCostsNothing() throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.ignoreStop=true", "stopTimeout=2")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let processes = [try site.livingHost(of: "office"), try site.livingProvider(of: "office")]
        try Kernel.ip("link", "delete", "utun0")
        #expect(try eventually(seconds: 1) { try site.word("office") == "disconnecting" })
        usleep(1_000_000)
        for process in processes {
            #expect((Processes.processorTime(process) ?? 0) < 40, "hundredths of a second")
        }
        #expect(try eventually(seconds: 5) { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "interfaceRemoved")
    }

    @Test(arguments: ["10.96.0.1/30", "fd96::1/64"])
    func aDeletedAddressIsPutBackAndCounted(_ address: String) throws {
        let site = try connected()
        try Kernel.ip("address", "delete", address, "dev", "utun0")
        #expect(try eventually { try isWhole(site) })
        #expect(try restored(site)["addresses"] ?? 0 >= 1)
    }

    @Test(arguments: ["10.95.0.0/16", "fd95::/64"])
    func aDeletedRouteIsPutBackAndCounted(_ route: String) throws {
        let site = try connected()
        try Kernel.ip(
            route.contains(":") ? "-6" : "-4", "route", "delete", route, "dev", "utun0")
        #expect(try eventually { try isWhole(site) })
        #expect(try restored(site) == ["addresses": 0, "routes": 1, "rules": 0])
    }

    @Test func allAddressesFlushedAtOnceArePutBack() throws {
        let site = try connected()
        try Kernel.ip("address", "flush", "dev", "utun0")
        #expect(try eventually { try isWhole(site) })
    }

    @Test func anInterfaceSetDownIsDegradedUntilItIsUpAgain() throws {
        let site = try connected()
        try Kernel.ip("link", "set", "utun0", "down")
        #expect(try eventually { try site.warnings("office").contains("linkDown") })
        #expect(try site.word("office") == "connected")
        #expect(try site.utunctl("status", "office").status == 5)
        try Kernel.ip("link", "set", "utun0", "up")
        #expect(try eventually { try isWhole(site) })
        let ping = try Command.run(["ping", "-c", "1", "-W", "2", "fd96::2"])
        #expect(ping.status == 0, "\(ping)")
    }

    @Test func aQuarrelStaysCheap() throws {
        let site = try connected()
        let host = try site.livingHost(of: "office")
        let quarrel = try Command([
            "python3", "-c",
            """
            import os, subprocess, time
            commands = "".join("route del 10.95.0.0/16 dev utun0\\n" for _ in range(100000))
            subprocess.run(["ip", "-force", "-batch", "-"], input=commands.encode(),
                           stderr=subprocess.DEVNULL, timeout=2)
            """,
        ])
        usleep(200_000)
        let before = try #require(Processes.processorTime(host))
        usleep(1_000_000)
        let after = try #require(Processes.processorTime(host))
        let (status, time) = try timed { try site.utunctl("status", "office").status }
        #expect(after - before < 40, "hundredths of a second in a second")
        #expect([0, 5].contains(status) && time < aSecond)
        quarrel.signal(SIGKILL)
        _ = try quarrel.finish()
        #expect(try eventually { try isWhole(site) })
        #expect(try restored(site)["routes"] ?? 0 > 3)
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func aRenamedInterfaceIsFollowed() throws {
        let site = try connected()
        let index = try site.interfaceIndex("office")
        try Kernel.ip("link", "set", "utun0", "down")
        try Kernel.ip("link", "set", "utun0", "name", "wan7")
        try Kernel.ip("link", "set", "wan7", "up")
        #expect(
            try eventually {
                try site.status("office")["interface"]?.object?["name"] == .string("wan7")
            })
        #expect(try site.interfaceIndex("office") == index)
        #expect(try eventually { try site.utunctl("status", "office").status == 0 })
        #expect(try site.utunctl("start", "office").output == "office: connected (wan7)\n")
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func aChangedMTUIsNoticed() throws {
        let site = try connected()
        try Kernel.ip("link", "set", "utun0", "mtu", "1300")
        let status = try site.status("office")["interface"]?.object
        #expect(status?["mtu"] == .integer(1300))
    }

    @Test func anInterfaceWithoutItsMarkIsNoLongerOurs() throws {
        let site = try connected()
        try Kernel.ip("link", "set", "utun0", "alias", "mine")
        #expect(try eventually(seconds: 2) { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "interfaceRemoved")
    }
}
