import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Tunnels come and go with the network, and never against a person.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct OnDemandServiceTests {
    /// Down at the office, up in every wireless network, left alone elsewhere.
    private static let rules = """
        [{"action": "disconnect", "dnsSearchDomain": ["corp.example.com"],
          "gatewayAddress": ["10.77.0.1"]},
         {"action": "connect", "interfaceType": "wifi"},
         {"action": "ignore", "dnsServerAddress": ["192.168.77.1"]}]
        """
    private static let always = #"[{"action": "connect"}]"#

    @Test func aTunnelComesAndGoesWithTheNetwork() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: Self.rules)
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "following")
        #expect(try host.site.word("office") == "disconnected")
        try host.enter(.cafe)
        try host.expect("office", "connected")
        #expect(try host.site.status("office")["origin"] == .string("ondemand"))
        #expect(try host.site.status("office").value("onDemand.rule") == .integer(2))
        try host.enter(.office)
        try host.expect("office", "disconnected")
        #expect(try host.site.lastDisconnect("office").code == "onDemandRule")
        // Where rules say ignore, what is up stays up.
        try host.enter(.cafe)
        try host.expect("office", "connected")
        try host.enter(.home)
        try host.until("the rule of home decides") {
            try host.site.status("office").value("onDemand.action") == .string("ignore")
        }
        #expect(try host.site.word("office") == "connected")
        #expect(try host.end().status == 0)
        #expect(try host.site.word("office") == "connected")
    }

    @Test func aPersonsStopWinsOverEveryRule() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: Self.always)
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "connected")
        #expect(try host.site.utunctl("stop", "office").status == 0)
        for place in [Surroundings.cafe, .office, .home] {
            try host.enter(place)
            usleep(400_000)
            #expect(try host.site.word("office") == "disconnected")
            #expect(try host.state("office") == "held")
        }
        #expect(try host.site.utunctl("ondemand", "resume", "office").status == 0)
        try host.expect("office", "connected")
    }

    @Test func aStopInTheMiddleOfAnEvaluationHolds() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: Self.always)
        try host.follow()
        for round in 0..<15 {
            try host.enter(.home)
            // From before the network is looked at to after the tunnel is up.
            usleep(UInt32(round) * 25_000)
            #expect(try host.site.utunctl("stop", "office").status == 0)
            #expect(try host.site.word("office") == "disconnected", "round \(round)")
            usleep(300_000)
            #expect(try host.site.word("office") == "disconnected", "round \(round)")
            try host.leave()
            #expect(try host.site.utunctl("ondemand", "resume", "office").status == 0)
        }
    }

    @Test func aPersonsStartIsNotTakenBack() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: #"[{"action": "disconnect"}]"#)
        try host.enter(.home)
        try host.follow()
        #expect(try host.site.utunctl("start", "--wait", "office").status == 0)
        try host.expect("office", "overruled")
        // Neither a cable that is out for a moment nor a service that knows nothing is a reason.
        try host.leave()
        try host.expect("office", "noNetwork")
        try host.enter(.home)
        try host.expect("office", "overruled")
        host.kill()
        try Directory.removeFile("\(host.site.root)/run/utunctl/ondemand.json")
        try host.follow()
        try host.expect("office", "overruled")
        #expect(try host.site.word("office") == "connected")
    }

    @Test func aPauseLeavesEverythingAsItIs() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: Self.rules)
        try host.enter(.cafe)
        try host.follow()
        try host.expect("office", "connected")
        #expect(try host.site.utunctl("ondemand", "pause").status == 0)
        try host.enter(.office)
        usleep(600_000)
        #expect(try host.site.word("office") == "connected")
        #expect(try host.state("office") == "paused")
        #expect(try host.site.utunctl("ondemand", "resume").status == 0)
        try host.expect("office", "disconnected")
    }

    @Test func aPauseOfOneTunnelLeavesItAloneAndTheOtherNot() throws {
        let host = try OnDemandSite()
        try host.save("one", rules: Self.always)
        let addresses = "providerConfiguration.addresses=[\"10.98.0.1/30\"]"
        try host.save("two", rules: Self.always, addresses)
        #expect(try host.site.utunctl("ondemand", "pause", "one").status == 0)
        try host.enter(.home)
        try host.follow()
        try host.expect("two", "connected")
        #expect(try host.site.word("one") == "disconnected")
        #expect(try host.site.status("one").value("hold.origin") == .string("user"))
        #expect(try host.site.utunctl("ondemand", "resume", "one").status == 0)
        try host.expect("one", "connected")
    }

    @Test func aPersonsStartOfWhatRunsLiftsThePauseOfIt() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: Self.always)
        #expect(try host.site.utunctl("start", "--wait", "office").status == 0)
        #expect(try host.site.utunctl("ondemand", "pause", "office").status == 0)
        #expect(try host.site.status("office").value("hold.origin") == .string("user"))
        #expect(try host.site.utunctl("start", "office").status == 0)
        #expect(try host.site.status("office")["hold"] == .null)
    }

    @Test func rulesThatAreSavedCountAtOnce() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: "[]")
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "following")
        try host.save("office", rules: Self.always)
        try host.expect("office", "connected")
        let more = #"onDemand.rules=[{"action": "connect"}, {"action": "ignore"}]"#
        let save = try host.site.utunctl("save", "office", "--set", more)
        #expect(!save.errors.contains("takes effect"), "\(save)")
        #expect(try host.site.status("office")["restartNeeded"] == .bool(false))
        #expect(try host.site.utunctl("remove", "office").status == 0)
        usleep(500_000)
        #expect(try host.site.utunctl("status").output.isEmpty)
        #expect(host.site.processes.isEmpty)
    }

    @Test func aTunnelThatWantsWhatAnotherHasIsTriedLaterAndTheFirstOneHasItEachTime() throws {
        for _ in 0..<3 {
            let host = try OnDemandSite()
            let wanted = "routing.includedRoutes=[\"10.98.0.0/16\"]"
            try host.save("first", rules: Self.always, wanted)
            try host.save("second", rules: Self.always, wanted)
            try host.enter(.home)
            try host.follow()
            try host.expect("first", "connected")
            try host.expect("second", "retrying")
            let status = try host.site.status("second")
            #expect(status.value("onDemand.failure")?.string?.isEmpty == false)
        }
    }

    @Test func whatASleepHasEndedComesAgainAfterItAndNotBefore() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: Self.always, "disconnectOnSleep=true")
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "connected")
        #expect(try host.site.utunctl("sleep").status == 0)
        try host.expect("office", "retrying")
        usleep(800_000)
        #expect(try host.site.word("office") == "disconnected")
        #expect(try host.site.lastDisconnect("office").code == "sleep")
        #expect(try host.site.utunctl("wake").status == 0)
        try host.expect("office", "connected", seconds: 5)
    }

    @Test func aSecondServiceIsRefused() throws {
        let host = try OnDemandSite()
        try host.follow()
        let second = try host.site.utunctl("--json", "ondemand", "run")
        #expect(second.status == 12)
        #expect(second.json?.value("error.code") == .string("onDemandRuns"))
    }

    @Test func withoutAServiceStatusSaysThatNobodyFollows() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: Self.always)
        #expect(try host.state("office") == "notRunning")
        try host.enter(.home)
        try host.follow()
        try host.expect("office", "connected")
        host.kill()
        #expect(try host.state("office") == "notRunning")
        #expect(try host.site.word("office") == "connected")
    }

    @Test func anIdleServiceDoesNotWakeUp() throws {
        let host = try OnDemandSite()
        try host.save("office", rules: Self.rules)
        try host.enter(.home)
        try host.follow()
        // The last change, and what it brought about itself.
        usleep(1_500_000)
        #expect(try host.wakeUps(in: 3000) == 0)
    }
}
