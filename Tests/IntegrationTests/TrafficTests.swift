import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// `start --when traffic`: everything is there but the provider, until a packet comes.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct TrafficTests {
    private static let addresses =
        #"providerConfiguration.addresses=["10.78.0.1/24", "fd00:78::1/64"]"#
    private static let peers = ["10.78.0.2", "fd00:78::2"]

    /// Saves a tunnel, and has it wait.
    private func waiting(_ settings: String...) throws -> Installation {
        let site = try Installation()
        for setting in [Self.addresses] + settings { try site.save("office", setting) }
        try wait(site)
        return site
    }

    private func wait(_ site: Installation) throws {
        let start = try site.utunctl("start", "--when", "traffic", "office")
        #expect(start.status == 0, "\(start)")
        #expect(try eventually { try site.word("office") == "waiting" })
    }

    private func isConnected(_ site: Installation) throws -> Bool {
        try eventually { try site.word("office") == "connected" }
    }

    private func wake(_ site: Installation) throws {
        #expect(try Echoes.run(to: Self.peers[0], count: 1, wait: 5).received == 1)
    }

    @Test func everythingIsThereButTheProvider() throws {
        let site = try waiting(#"routing.includedRoutes=["10.80.0.0/16"]"#)
        let result = try site.utunctl("status", "office")
        #expect(result.status == 5)
        #expect(result.output.contains("the next packet to it starts its provider"), "\(result)")
        #expect(!result.output.contains("warning"), "\(result)")
        let status = try site.status("office")
        #expect(status.value("provider.pid") == .null)
        #expect(status["connectedSince"] == .null)
        let addresses = status.value("interface.addresses")?.array?.compactMap(\.string)
        #expect(addresses == ["10.78.0.1/24", "fd00:78::1/64"])
        #expect(try Place.here.run("ip", "route", "get", "10.80.1.1").contains("dev utun0"))
        #expect(try site.utunctl("status").output.contains("waiting"))
    }

    /// The kernel itself has nothing to say on such an interface, not even as a router.
    @Test(arguments: [false, true])
    func itDoesNotWakeItself(forwards: Bool) throws {
        if forwards {
            try Place.here.run(
                "sysctl", "-qw", "net.ipv6.conf.all.forwarding=1", "net.ipv4.ip_forward=1")
        }
        defer {
            _ = try? Command.run([
                "sysctl", "-qw", "net.ipv6.conf.all.forwarding=0", "net.ipv4.ip_forward=0",
            ])
        }
        let site = try waiting()
        for _ in 0..<50 {
            usleep(100_000)
            #expect(try site.word("office") == "waiting")
        }
        // And the probe is not blind.
        try wake(site)
    }

    @Test(arguments: 0..<4, ["10.78.0.2", "fd00:78::2"])
    func theFirstPacketIsAnswered(round: Int, address: String) throws {
        let site = try waiting()
        let echoes = try Echoes.run(to: address, count: 1, wait: 5)
        #expect(echoes.received == 1)
        #expect(try isConnected(site))
        #expect(try site.status("office")["connectedSince"]?.string != nil)
    }

    @Test(arguments: 0..<3)
    func theFirstPacketOfAWireGuardTunnelIsAnswered(round: Int) throws {
        let interop = try InteropSite(.utunctl) { $0.starts = false }
        let tunnel = try interop.tunnel
        let start = try tunnel.site.utunctl("start", "--when=traffic", tunnel.name)
        #expect(start.status == 0, "\(start)")
        #expect(try eventually { try tunnel.word == "waiting" })
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 1, wait: 5).received == 1)
        #expect(try eventually { try tunnel.word == "connected" })
    }

    @Test func nothingLeavesBesideItWhileItWaitsNorWhileItConnects() throws {
        let all = try KillSwitchSite()
        let chatter = try Chatterer(to: all.unicast + all.multicast)
        #expect(try all.getsOut())
        // What is sent all the time wakes it at once, as it is to.
        try all.utunctl("start", "--when", "traffic", all.tunnel.name)
        try all.cable.reset()
        #expect(try eventually { try all.tunnel.word == "connected" })
        usleep(300_000)
        #expect(try all.leaks() == "")
        #expect(try all.cable.count(.tunnel) > 0)
        withExtendedLifetime(chatter) {}
    }

    @Test func aPersonWakesItAndItIsTheirsFromThenOn() throws {
        let site = try Installation()
        try site.save("office", Self.addresses)
        #expect(
            try site.utunctl("start", "--origin=ondemand", "--when=traffic", "office").status == 0)
        #expect(try eventually { try site.word("office") == "waiting" })
        #expect(try site.status("office")["origin"] == .string("ondemand"))
        // It waits already, which is what was asked for.
        let again = try site.utunctl("start", "--when=traffic", "office")
        #expect(again.status == 0 && again.output.contains("waiting"), "\(again)")
        #expect(try site.word("office") == "waiting")
        let start = try site.utunctl("start", "--wait", "office")
        #expect(start.status == 0, "\(start)")
        #expect(start.output == "office: connected (utun0)\n")
        #expect(start.errors.contains("it waited for traffic, and connects now"))
        #expect(try site.status("office")["origin"] == .string("user"))
    }

    @Test func onDemandWakesItUnlessAPersonIsAgainstIt() throws {
        let site = try waiting()
        let identifier = try site.identifier(of: "office")
        try site.write("{}", to: "run/utunctl/\(identifier).hold")
        #expect(try site.utunctl("start", "--origin=ondemand", "office").status == 7)
        #expect(try site.word("office") == "waiting")
        #expect(unlink("\(site.root)/run/utunctl/\(identifier).hold") == 0)
        #expect(try site.utunctl("start", "--origin=ondemand", "office").status == 0)
        #expect(try isConnected(site))
        #expect(try site.status("office")["origin"] == .string("user"))
    }

    @Test func whoCannotKnowWhereItLeadsIsRefused() throws {
        let site = try Installation()
        try site.installProbe("return {}", nil)
        try site.save("office", "provider=\(ProbeProvider.identifier)")
        let start = try site.utunctl("--json", "start", "--when", "traffic", "office")
        #expect(start.status == 7, "\(start)")
        #expect(start.json?.value("error.code") == .string("settingsUnknown"))
    }

    @Test func aStopOrASignalEndsItWithNothingLeft() throws {
        let before = try Kernel.snapshot()
        let site = try waiting()
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try Kernel.snapshot() == before)
        #expect(try site.lastDisconnect("office").code == "stoppedByUser")
        let host = try site.start("start", "--foreground", "--when", "traffic", "office")
        #expect(try eventually { try site.word("office") == "waiting" })
        host.signal(SIGTERM)
        #expect(try host.finish(seconds: 5).status == 0)
        #expect(try Kernel.snapshot() == before)
    }

    @Test func aRuleEndsItAndARestartConnects() throws {
        let site = try waiting()
        #expect(try site.utunctl("stop", "--origin=ondemand", "office").status == 0)
        #expect(try site.lastDisconnect("office").code == "onDemandRule")
        try wait(site)
        #expect(try site.utunctl("restart", "--wait", "office").status == 0)
    }

    @Test func aLostInterfaceEndsIt() throws {
        let site = try waiting()
        try Kernel.ip("link", "delete", "utun0")
        #expect(try eventually { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "interfaceRemoved")
    }

    @Test func aReloadPutsWhatWasSavedIntoForce() throws {
        let site = try waiting()
        try site.save("office", #"routing.includedRoutes=["10.81.0.0/16"]"#)
        try site.save("office", #"providerConfiguration.addresses=["10.79.9.1/24"]"#)
        let reload = try site.utunctl("reload", "office")
        #expect(reload.status == 0, "\(reload)")
        #expect(try site.word("office") == "waiting")
        #expect(try Place.here.run("ip", "route", "get", "10.81.1.1").contains("dev utun0"))
        let status = try site.status("office")
        #expect(status["restartNeeded"] == .bool(false))
        #expect(try Echoes.run(to: "10.79.9.2", count: 1, wait: 5).received == 1)
    }

    @Test func aSleepOfTheSystemLeavesItWaiting() throws {
        let site = try waiting()
        #expect(try site.utunctl("sleep").status == 0)
        #expect(try site.utunctl("wake").status == 0)
        #expect(try site.word("office") == "waiting")
        try wake(site)
    }

    @Test func aProviderThatFailsAfterwardsEndsTheSessionWithItsCode() throws {
        let site = try waiting(
            #"providerConfiguration.fail={"code": "serverNotResponding", "after": 0}"#)
        _ = try Command.run(["ping", "-c", "1", "-W", "1", Self.peers[0]])
        #expect(try eventually { try site.word("office") == "disconnected" })
        #expect(try site.lastDisconnect("office").code == "serverNotResponding")
    }

    @Test func aCredentialThatIsGoneByThenEndsItToo() throws {
        let site = try Installation()
        try site.save("office", Self.addresses)
        try site.write("secret", to: "etc/utunctl/credentials/key", mode: 0o600)
        chmod("\(site.root)/etc/utunctl/credentials", 0o700)
        try site.save("office", #"credentials={"key": "file:key"}"#)
        try wait(site)
        #expect(unlink("\(site.root)/etc/utunctl/credentials/key") == 0)
        _ = try Command.run(["ping", "-c", "1", "-W", "1", Self.peers[0]])
        #expect(try eventually { try site.word("office") == "disconnected" })
        let last = try site.lastDisconnect("office")
        #expect(last.code == "providerRefused")
        #expect(last.text.contains("the credential key cannot be used"), "\(last)")
    }

    @Test func aServiceManagerHearsThatItIsReady() throws {
        let site = try Installation()
        try site.save("office", Self.addresses)
        let notifications = try Notifications(site)
        let host = try site.start(
            "start", "--foreground", "--when=traffic", "office",
            environment: ["NOTIFY_SOCKET": notifications.path])
        let heard = try notifications.heard(until: "READY=1")
        #expect(heard.last?.hasPrefix("STATUS=waiting: ") == true, "\(heard)")
        host.signal(SIGTERM)
        #expect(try host.finish(seconds: 5).status == 0)
    }

    @Test func whoWatchesIsTold() throws {
        let site = try waiting()
        let watch = try site.start("--json", "status", "--watch", "office")
        _ = try watch.output(until: "snapshot", seconds: 5)
        try wake(site)
        let told = try watch.output(until: "\"connected\"", seconds: 5)
        #expect(told.contains("\"waiting\"") && told.contains("\"connected\""), "\(told)")
        watch.signal(SIGTERM)
    }
}
