import JSON
import TestSupport
import Testing

/// Rules are refused where they are saved, and explained without any network.
@Suite struct OnDemandVerbTests {
    private static let probe = "http://probe.example/"
    private static let snapshot = """
        {"time": "2026-12-01T00:00:00Z", "underlying": {"interface": "wlan0", "index": 3,
         "type": "wifi", "gateways": ["192.0.2.1"], "ssid": "Caf\u{e9}"},
         "dnsServers": ["192.0.2.53"], "searchDomains": ["example.org"], "probes": {}}
        """

    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider()
    }

    private func save(_ rules: String, _ name: String = "office") throws -> Command.Result {
        try root.run(["save", name, "--set", "onDemand.rules=[\(rules)]", "--json"])
    }

    private func replay(_ snapshot: String = snapshot, _ arguments: String...) throws
        -> Command.Result
    {
        try root.run(
            ["ondemand", "explain", "--snapshot", "-"] + arguments,
            input: "{\"formatVersion\": 1, \"snapshot\": \(snapshot)}")
    }

    // MARK: Saving

    @Test func evaluateConnectionIsRefusedByName() throws {
        let run = try save(#"{"action": "ignore"}, {"action": "evaluateConnection"}"#)
        #expect(run.status == 7)
        let error = run.json?["error"]?.object
        #expect(error?["code"] == .string("documentInvalid"))
        #expect(error?["text"]?.string?.hasPrefix("onDemand.rules[1].action: evaluate") == true)
        #expect(root.read("/etc/utunctl/preferences.json") == nil)
    }

    @Test func inADocumentItsPlaceIsNamed() throws {
        let run = try root.run(
            ["save", "--from", "-"],
            input: """
                {"formatVersion": 1, "configurations": [{"name": "a"}, {"name": "b",
                 "onDemand": {"rules": [{"action": "connect", "gatewayAddress": ["x"]}]}}]}
                """)
        #expect(run.status == 7)
        #expect(
            run.errors.contains(
                "standard input: configurations[1].onDemand.rules[0].gatewayAddress[0]:"
                    + " not an IP address"))
    }

    @Test func whatAnEarlierVersionSavedStaysReadable() throws {
        #expect(try save(#"{"action": "ignore"}"#).status == 0)
        let path = "/etc/utunctl/preferences.json"
        let saved = try #require(root.read(path))
        try root.write(
            path,
            saved.replacing(
                "\"action\":\"ignore\",\"matching\":\"exact\"",
                with: "\"action\":\"evaluateConnection\"")
        )
        #expect(root.read(path) != saved)
        let loaded = try root.run(["load", "office"])
        #expect(loaded.status == 0 && loaded.output.contains("evaluateConnection"))
        #expect(try root.run(["status", "office"]).status == 3)
        #expect(try root.run(["stop", "office"]).status == 0)
        let explained = try replay(Self.snapshot, "office")
        #expect(explained.output.contains("rule 1: ignore instead of evaluateConnection"))
    }

    @Test func aRuleThatIsNeverLookedAtIsAWarning() throws {
        let run = try save(#"{"action": "connect"}, {"action": "ignore"}"#)
        #expect(run.status == 0)
        let codes = run.json?["warnings"]?.array?.compactMap { $0.object?["code"]?.string }
        #expect(codes == ["ruleUnreachable"])
    }

    // MARK: Explaining

    @Test func theReasonOfEachConditionIsShown() throws {
        let rules = """
            {"action": "disconnect", "interfaceType": "ethernet", "ssid": ["Home"]},
            {"action": "connect", "interfaceType": "wifi", "ssid": ["Caf\u{e9}", "Bar"]},
            {"action": "ignore", "gatewayAddress": ["192.0.2.1"]}
            """
        #expect(try save(rules).status == 0)
        let run = try replay()
        #expect(run.status == 0)
        #expect(
            run.output == """
                network         wlan0, wifi, SSID Caf\u{e9}
                gateways        192.0.2.1
                DNS servers     192.0.2.53
                search domains  example.org

                office: rule 2: connect, as interfaceType is wifi and ssid is Caf\u{e9} (On Demand \
                is off)
                  rule 1, disconnect  no
                    interfaceType     no   wifi, wanted ethernet
                    ssid              -    wanted Home
                  rule 2, connect     yes
                    interfaceType     yes  wifi, wanted wifi
                    ssid              yes  Caf\u{e9}, wanted Caf\u{e9}, Bar
                  rule 3, ignore      -
                    gatewayAddress    -    wanted 192.0.2.1

                """)
    }

    @Test func anAnswerIsReplayedToTheSame() throws {
        #expect(try save("{\"action\": \"connect\", \"probeURL\": \"\(Self.probe)\"}").status == 0)
        let known = Self.snapshot.replacing(
            "\"probes\": {}",
            with: "\"probes\": {\"\(Self.probe)\": {\"status\": 200, \"problem\": null}}")
        let first = try replay(known, "--json")
        #expect(
            first.json?["configurations"]?.array?.first?.object?["decision"]?.object?["rule"]
                == .integer(1))
        let again = try root.run(
            ["ondemand", "explain", "--snapshot", "-", "--json"], input: first.output)
        #expect(again.output == first.output)
    }

    @Test func aProbeThatTheSnapshotDoesNotHaveIsNotMade() throws {
        #expect(try save("{\"action\": \"connect\", \"probeURL\": \"\(Self.probe)\"}").status == 0)
        let run = try replay()
        #expect(run.output.contains("office: no rule matches: nothing is done"))
        #expect(run.output.contains("not in the snapshot, wanted \(Self.probe)"))
    }

    @Test func ofAllThoseAreExplainedThatHaveRules() throws {
        #expect(try save(#"{"action": "connect"}"#).status == 0)
        #expect(try root.run(["save", "plain"]).status == 0)
        #expect(!(try replay().output.contains("plain: ")))
        let named = try replay(Self.snapshot, "plain")
        #expect(named.output.contains("plain: there are no rules: nothing is done"))
        let none = try replay(Self.snapshot, "offise")
        #expect(none.status == 4)
        #expect(none.errors.contains("did you mean office?"))
    }

    @Test(arguments: [
        ("{}", "snapshot.time: missing"),
        (#"{"time": "2026-12-01T00:00:00Z", "x": 1}"#, "snapshot: unknown key x"),
        (
            #"{"time": "2026-12-01T00:00:00Z", "dnsServers": ["x"]}"#,
            "snapshot.dnsServers[0]: not an IP address"
        ),
    ])
    func aSnapshotThatIsNoneIsRefused(snapshot: String, text: String) throws {
        let run = try replay(snapshot)
        #expect(run.status == 7)
        #expect(run.errors.contains("standard input: \(text)"))
    }

    @Test(arguments: [
        ["ondemand"], ["ondemand", "explian"], ["ondemand", "explain", "a", "b"],
        ["ondemand", "explain", "--snapshot", "/dev/null", "--ssid-file", "/dev/null"],
    ])
    func aCommandLineThatMeansNothingIsUsage(arguments: [String]) throws {
        let run = try root.run(arguments)
        #expect(run.status == 2, "\(run)")
    }
}
