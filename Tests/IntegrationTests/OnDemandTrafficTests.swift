import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Tunnels that On Demand has connect when something is sent, and sleep when nothing is.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct OnDemandTrafficTests {
    private static let onTraffic = #"[{"action": "connect", "when": "traffic"}]"#
    private static let elsewhere = """
        [{"action": "connect", "interfaceType": "wifi"},
         {"action": "connect", "when": "traffic"}]
        """

    private func ping() throws -> Bool {
        try Command.run(["ping", "-c", "1", "-W", "5", "10.99.0.2"]).status == 0
    }

    private func save(_ host: OnDemandSite, _ rules: String, _ settings: String...) throws {
        try host.save("office", rules: rules, "providerConfiguration.addresses=[\"10.99.0.1/30\"]")
        for setting in settings { try host.site.save("office", setting) }
    }

    @Test func theFirstPacketWakesItAndSilenceSendsItBackToSleep() throws {
        let host = try OnDemandSite()
        try save(host, Self.onTraffic, "idleTimeout=1")
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "waiting")
        let attempt = try host.site.status("office")["attempt"]
        for _ in 0..<3 {
            #expect(try ping())
            try host.expect("office", "waiting")
            #expect(try host.site.lastDisconnect("office").code == "idle")
        }
        // All in one session: what leads to the tunnel was never gone.
        #expect(try host.site.status("office")["attempt"] == attempt)
        #expect(try host.state("office") == "following")
    }

    @Test func aTunnelThatIsToConnectAtOnceSleepsWhenIdleUntilTheNetworkChanges() throws {
        let host = try OnDemandSite()
        try save(host, #"[{"action": "connect"}]"#, "idleTimeout=1")
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "connected")
        try host.expect("office", "waiting")
        usleep(700_000)
        #expect(try host.site.word("office") == "waiting")
        #expect(try ping())
        try host.expect("office", "waiting")
        try host.enter(.cafe)
        try host.expect("office", "connected")
    }

    @Test func anotherNetworkWakesWhatIsToConnectThereAtOnce() throws {
        let host = try OnDemandSite()
        try save(host, Self.elsewhere)
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "waiting")
        try host.enter(.cafe)
        try host.expect("office", "connected")
    }

    @Test func whatWaitsIsEndedWhereRulesSayIgnore() throws {
        let host = try OnDemandSite()
        try save(
            host, #"[{"action": "connect", "when": "traffic", "interfaceType": "wifi"}]"#)
        try host.enter(.cafe)
        try host.follow()
        try host.expect("office", "waiting")
        try host.enter(.home)
        try host.expect("office", "disconnected")
        #expect(try host.site.lastDisconnect("office").code == "onDemandRule")
    }

    @Test func whatWaitsGoesOnWaitingWhileThereIsNoNetwork() throws {
        let host = try OnDemandSite()
        try save(host, Self.onTraffic)
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "waiting")
        let attempt = try host.site.status("office")["attempt"]
        try host.leave()
        try host.expect("office", "noNetwork")
        #expect(try host.site.word("office") == "waiting")
        try host.enter(.home)
        try host.expect("office", "following")
        #expect(try host.site.status("office")["attempt"] == attempt)
    }

    @Test func aPersonsStopOfWhatWaitsHolds() throws {
        let host = try OnDemandSite()
        try save(host, Self.onTraffic)
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "waiting")
        #expect(try host.site.utunctl("stop", "office").status == 0)
        try host.expect("office", "held")
        try host.enter(.cafe)
        usleep(500_000)
        #expect(try host.site.word("office") == "disconnected")
        #expect(try !ping())
    }
}
