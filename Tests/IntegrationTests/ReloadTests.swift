import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// `reload`: what is saved comes into force while the tunnel goes on, all of it or nothing.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ReloadTests {
    private static let addresses = #"providerConfiguration.addresses=["10.98.0.1/30","fd98::1/64"]"#

    private static func included(_ networks: String...) -> String {
        "routing.includedRoutes=[\(networks.map { "\"\($0)\"" }.joined(separator: ","))]"
    }

    private func running(_ settings: String...) throws -> Installation {
        let site = try Installation()
        for setting in [Self.addresses] + settings { try site.save("office", setting) }
        let start = try site.utunctl("start", "--wait", "office")
        try #require(start.status == 0, "\(start)")
        return site
    }

    @Test func routesComeAndGoWhileWhatIsTheSameLosesNothing() throws {
        let site = try running(Self.included("10.97.0.0/16", "10.95.0.0/16"))
        let before = try site.status("office")
        let interface = before.value("interface.name")?.string ?? ""
        let monitor = try Command(["ip", "monitor", "route", "address"])
        let echoes = try Echoes(to: "10.98.0.2", count: 60, every: 0.1)
        for round in 0..<10 {
            let route = "10.96.\(round).0/24"
            try site.save("office", Self.included("10.97.0.0/16", route))
            let answer = try site.json("reload", "office")
            #expect(answer["applied"] == .array([.string("routing.includedRoutes")]))
            #expect(answer["changed"] == .bool(true))
            #expect(answer["generation"] == (try site.status("office"))["savedGeneration"])
            #expect(try Kernel.interface(to: "10.96.\(round).9") == interface)
            #expect(try Kernel.interface(to: "10.95.0.9") != interface)
            if round > 0 { #expect(try Kernel.interface(to: "10.96.\(round - 1).9") != interface) }
        }
        #expect(try echoes.finish().lost == 0)
        monitor.signal(SIGTERM)
        let told = try monitor.finish().output
        // The probe sees what has changed, and nothing else has.
        #expect(told.contains("10.96.3.0/24"))
        #expect(told.contains("Deleted 10.95.0.0/16"))
        #expect(!told.contains("10.97.0.0/16"), "\(told)")
        #expect(!told.contains("10.98.0.1"), "\(told)")
        let after = try site.status("office")
        for key in [
            "attempt", "connectedSince", "provider.pid", "interface.index", "counters.countsFrom",
        ] {
            #expect(after.value(key) == before.value(key), "\(key)")
        }
        #expect(after["restartNeeded"] == .bool(false))
        #expect(after["restartReasons"] == .array([]))
        #expect(after["runningGeneration"] == after["savedGeneration"])
        #expect(after["warnings"] == .array([]))
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test func theMTUChangesByItself() throws {
        let site = try running("interface.mtu=1400")
        try site.save("office", "interface.mtu=1330")
        #expect(try site.json("reload", "office")["applied"] == .array([.string("interface.mtu")]))
        #expect(try site.status("office").value("interface.mtu") == .integer(1330))
        try site.save("office", "interface.mtu=1000")
        let refused = try site.utunctl("reload", "office", "--json")
        #expect(refused.status == 7, "\(refused)")
        #expect(refused.output.contains(#""code":"reloadRefused""#))
        #expect(try site.status("office").value("interface.mtu") == .integer(1330))
        #expect(try site.status("office")["restartReasons"] == .array([.string("interface")]))
    }

    @Test func theResolverComesChangesAndGoes() throws {
        let site = try ResolverSite()
        try site.save(servers: ["10.9.0.1"])
        try site.connect()
        try site.save(servers: ["10.9.0.2", "10.9.0.3"])
        #expect(try site.site.utunctl("reload", "office").status == 0)
        #expect(site.lines.contains("nameserver 10.9.0.3"))
        #expect(!site.lines.contains("nameserver 10.9.0.1"))
        #expect(try site.dns("verified") == .bool(true))
        #expect(try site.warnings() == [])
        try site.site.save("office", "dns.servers=[]")
        #expect(try site.site.utunctl("reload", "office").status == 0)
        #expect(site.text == ResolverSite.original)
        try site.save(servers: ["10.9.0.4"])
        #expect(try site.site.utunctl("reload", "office").status == 0)
        #expect(site.lines.contains("nameserver 10.9.0.4"))
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(site.text == ResolverSite.original)
    }

    @Test func whatTheHostAloneReadsIsInForceAtOnce() throws {
        let site = try running("title=before")
        try site.save("office", "title=after", "disconnectOnSleep=true")
        let answer = try site.json("reload", "office")
        #expect(
            answer["applied"] == .array([.string("disconnectOnSleep"), .string("title")]))
        #expect(try site.status("office")["restartReasons"] == .array([]))
        #expect(try site.utunctl("sleep").status == 0)
        #expect(try site.lastDisconnect("office").code == "sleep")
    }

    @Test func nothingIsChangedWhereOneKeyNeedsARestart() throws {
        let site = try running(Self.included("10.96.0.0/16"))
        let before = try Kernel.snapshot()
        let generation = try site.status("office")["runningGeneration"]
        try site.save("office", Self.included("10.96.0.0/16", "10.97.0.0/16"))
        try site.save("office", "interface.mtu=1400", "providerConfiguration.mtu=1300")
        try site.save("office", "routing.enforceRoutes=true")
        let reload = try site.utunctl("reload", "office", "--json")
        #expect(reload.status == 12, "\(reload)")
        let error = try Installation.parse(reload.output)["error"]?.object
        #expect(error?["code"] == .string("restartNeeded"))
        #expect(
            error?["text"]
                == .string(
                    "a restart is needed for: providerConfiguration.mtu, routing.enforceRoutes;"
                        + " nothing was changed"))
        #expect(error?["hint"] == .string("utunctl restart office"))
        #expect(try Kernel.snapshot() == before)
        let after = try site.status("office")
        #expect(after["runningGeneration"] == generation)
        #expect(
            after["restartReasons"]
                == .array(["interface", "providerConfiguration", "routing"].map { .string($0) }))
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test func whatFailsHalfWayIsTakenBack() throws {
        let site = try ResolverSite()
        try site.site.save("other", Self.included("10.97.0.0/16"), Self.addresses)
        try site.connect("other")
        try site.save(
            servers: ["10.9.0.1"], Self.included("10.96.0.0/16"),
            #"providerConfiguration.addresses=["10.95.0.1/30"]"#)
        try site.connect()
        let before = try Kernel.snapshot()
        let resolver = site.text
        // Another tunnel has the route.
        try site.site.save(
            "office", Self.included("10.94.0.0/16", "10.97.0.0/16"), "interface.mtu=1333")
        try site.save(servers: ["10.9.0.7"])
        let taken = try site.site.utunctl("reload", "office", "--json")
        #expect(taken.status == 7, "\(taken)")
        #expect(taken.output.contains("10.97.0.0/16"), "\(taken)")
        #expect(taken.output.contains("nothing was changed"))
        #expect(try Kernel.snapshot() == before)
        #expect(site.text == resolver)
        // The last thing that can fail: the resolver's file cannot be written.
        try site.site.save("office", Self.included("10.96.0.0/16", "10.94.0.0/16"))
        try Place.here.run("mount", "--bind", site.path, site.path)
        try Place.here.run("mount", "-o", "remount,bind,ro", site.path)
        let unwritable = try site.site.utunctl("reload", "office", "--json")
        try Place.here.run("umount", site.path)
        #expect(unwritable.status != 0 && unwritable.status != 12, "\(unwritable)")
        #expect(try Kernel.snapshot() == before)
        #expect(site.text == resolver)
        #expect(try site.site.word("office") == "connected")
        // It is no reason not to try again.
        let again = try site.site.utunctl("reload", "office")
        #expect(again.status == 0, "\(again)")
        #expect(site.lines.contains("nameserver 10.9.0.7"))
    }

    @Test func thereIsNothingToReloadWithoutASessionOrAChange() throws {
        let site = try Installation()
        try site.save("office")
        let stopped = try site.utunctl("reload", "office", "--json")
        #expect(stopped.status == 3)
        #expect(stopped.output.contains(#""code":"notRunning""#))
        #expect(try site.utunctl("reload", "nobody").status == 4)
        #expect(try site.utunctl("reload").status == 2)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let same = try site.utunctl("reload", "office", "--json")
        #expect(same.status == 0)
        #expect(same.errors.contains("office: it runs what is saved already"))
        #expect(try Installation.parse(same.output)["changed"] == .bool(false))
        #expect(try Installation.parse(same.output)["applied"] == .array([]))
        // Changed there and back again, only the generation is another.
        try site.save("office", "title=x")
        try site.save("office", "title=")
        #expect(try site.utunctl("reload", "office").status == 0)
        let status = try site.status("office")
        #expect(status["runningGeneration"] == status["savedGeneration"])
    }

    @Test func beforeItIsConnectedItIsTooEarly() throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.hangOnStart=true")
        #expect(try site.utunctl("start", "office").status == 0)
        try site.save("office", "title=x")
        let early = try site.utunctl("reload", "office", "--json")
        #expect(early.status == 12, "\(early)")
        #expect(early.output.contains(#""code":"sessionChanges""#))
    }

    @Test func whatAStartWouldRefuseIsRefused() throws {
        let site = try running()
        try site.save(
            "office", "title=x", "onDemand.enabled=true",
            #"onDemand.rules=[{"action": "disconnect"}]"#)
        // As an earlier version has saved it.
        let saved = try #require(site.read("etc/utunctl/preferences.json"))
        try site.write(
            saved.replacing("\"disconnect\"", with: "\"evaluateConnection\""),
            to: "etc/utunctl/preferences.json", mode: 0o600)
        let refused = try site.utunctl("reload", "office", "--json")
        #expect(refused.status == 7, "\(refused)")
        #expect(refused.output.contains("onDemand.rules"))
        #expect(try site.status("office")["title"] == .string("x"))
        try site.write("{", to: "etc/utunctl/preferences.json", mode: 0o600)
        #expect(try site.utunctl("reload", "office").status == 11)
    }

    @Test func aManagerHearsOfItsBeginningAndItsEnd() throws {
        let site = try Installation()
        try site.save("office", Self.addresses)
        let notifications = try Notifications(site)
        let host = try site.start(
            "start", "--foreground", "office", environment: ["NOTIFY_SOCKET": notifications.path])
        let first = try notifications.heard(until: "READY=1")
        try site.save("office", Self.included("10.98.0.0/16"))
        #expect(try site.utunctl("reload", "office").status == 0)
        let heard = try notifications.heard(until: "RELOADING=1").dropFirst(first.count)
        #expect(heard.first?.hasPrefix("RELOADING=1 & MONOTONIC_USEC=") == true, "\(heard)")
        #expect(
            try eventually {
                try notifications.heard(until: "RELOADING=1").last == "READY=1"
            })
        host.signal(SIGTERM)
        #expect(try host.finish().status == 0)
    }

    @Test func killedAnywhereInItNothingIsLeft() throws {
        let site = try Installation()
        try site.save("office", Self.addresses, "dns.servers=[\"10.9.0.1\"]")
        try site.write(ResolverSite.original, to: "etc/resolv.conf")
        let before = try Kernel.snapshot()
        var interrupted = 0
        for round in 0..<12 {
            try site.save("office", Self.included("10.98.0.0/16"), "routing.enforceRoutes=true")
            #expect(try site.utunctl("start", "--wait", "office").status == 0)
            try site.save(
                "office", Self.included("10.98.0.0/16", "10.96.\(round).0/24", "fd96::/64"),
                "routing.excludedRoutes=[\"10.98.7.0/24\"]", "interface.mtu=\(1300 + round)",
                "dns.servers=[\"10.9.0.\(round + 2)\"]")
            let host = try site.livingHost(of: "office")
            let reload = try site.start("reload", "office")
            usleep(UInt32(round * 4000))
            kill(host, SIGKILL)
            let end = try reload.finish()
            if end.status != 0 { interrupted += 1 }
            // While it dies its lock is still held, and what is a living session's stays.
            #expect(eventually { kill(host, 0) != 0 })
            #expect([0, 12, 3].contains(end.status), "\(end)")
            let cleared = try site.utunctl(round % 2 == 0 ? "stop" : "repair", "office")
            #expect(cleared.status == 0, "\(cleared)")
            #expect(try Kernel.snapshot() == before, "after \(round * 4000) µs")
            #expect(site.read("etc/resolv.conf") == ResolverSite.original)
            try site.save("office", "routing.excludedRoutes=[]", "dns.servers=[\"10.9.0.1\"]")
        }
        #expect(interrupted > 3)
    }
}
