import JSON
import Testing
import TunnelModel

@Suite struct ConfigurationRulesTests {
    private static func routing(_ included: [String]?, _ excluded: [String] = []) -> Configuration {
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        configuration.routing.includedRoutes = included.map(Model.prefixes)
        configuration.routing.excludedRoutes = Model.prefixes(excluded)
        return configuration
    }

    @Test func hostBitsAreMaskedWithANoticeInsteadOfAnErrorOfTheKernel() {
        let given = Self.routing(["10.77.77.1/24", "10.1.2.3/0", "1::1/127"], ["fd00::1/64"])
        let (configuration, notices) = given.normalized()
        #expect(
            configuration.routing.includedRoutes
                == Model.prefixes(["10.77.77.0/24", "0.0.0.0/0", "1::/127"]))
        #expect(configuration.routing.excludedRoutes == Model.prefixes(["fd00::/64"]))
        #expect(configuration.routing.includedRoutes?[1].isDefault == true)
        #expect(
            notices.map(\.path) == [
                "routing.includedRoutes[0]", "routing.includedRoutes[1]",
                "routing.includedRoutes[2]", "routing.excludedRoutes[0]",
            ])
        #expect(notices.allSatisfy { $0.code == "hostBitsMasked" })
        #expect(notices[1].text == "10.1.2.3/0 has host bits, taken as 0.0.0.0/0")
    }

    @Test func aRouteThatStandsTwiceIsMergedWithANotice() {
        let given = Self.routing(["128.0.0.0/0", "0.0.0.0/0", "10.0.0.0/8", "10.0.0.0/8"])
        let (configuration, notices) = given.normalized()
        #expect(
            configuration.routing.includedRoutes == Model.prefixes(["0.0.0.0/0", "10.0.0.0/8"]))
        #expect(
            notices == [
                ConfigurationNotice(
                    path: "routing.includedRoutes[0]", code: "hostBitsMasked",
                    text: "128.0.0.0/0 has host bits, taken as 0.0.0.0/0"),
                ConfigurationNotice(
                    path: "routing.includedRoutes[1]", code: "duplicatePrefix",
                    text: "0.0.0.0/0 stands there already, merged"),
                ConfigurationNotice(
                    path: "routing.includedRoutes[3]", code: "duplicatePrefix",
                    text: "10.0.0.0/8 stands there already, merged"),
            ])
    }

    @Test(arguments: [nil, [], ["10.0.0.0/8", "fd00::/8", "::/0"]] as [[String]?])
    func whatIsInOrderStaysAsItIs(included: [String]?) {
        let given = Self.routing(included, ["10.0.0.0/8"])
        let (configuration, notices) = given.normalized()
        #expect(configuration == given)
        #expect(notices.isEmpty)
    }

    @Test func theDefaultsAreAllInForce() {
        let plain = Configuration(identifier: Model.identifier, name: "office")
        #expect(plain.unenforcedKeys.isEmpty)
    }

    @Test(arguments: [
        (true, ["onDemand.rules"]), (false, []),
    ])
    func aRuleThatNeedsTheResolverIsNamedAndNotIgnored(isArmed: Bool, keys: [String]) throws {
        let members = """
            "onDemand": {"enabled": \(isArmed), "rules": [{"action": "evaluateConnection"}]}
            """
        #expect(try Model.configuration(with: members).unenforcedKeys == keys)
    }

    @Test(
        arguments: [
            ("\"title\": \"x\"", .plain),
            ("\"routing\": {\"enforceRoutes\": true, \"excludeLocalNetworks\": true}", .enforced),
            ("\"routing\": {\"includeAllNetworks\": true, \"lockdown\": \"always\"}", .all),
            ("\"routing\": {\"includeAllNetworks\": true, \"enforceRoutes\": true}", .all),
        ] as [(String, RoutingMode)])
    func theModeIsTheMostThatIsAskedFor(members: String, mode: RoutingMode) throws {
        #expect(try Model.configuration(with: members).routing.mode == mode)
    }

    @Test(arguments: [
        "\"title\": \"x\"", "\"enabled\": false", "\"provider\": \"org.example.thing\"",
        "\"serverAddress\": \"a:1\"", "\"username\": \"me\"",
        "\"credentials\": {\"key\": \"file:a\"}", "\"providerConfiguration\": {\"a\": 1}",
        "\"interface\": {\"name\": \"vpn0\", \"mtu\": 1400}",
        "\"routing\": {\"includedRoutes\": [\"0.0.0.0/0\"]}",
        "\"onDemand\": {\"enabled\": true, \"rules\": [{\"action\": \"ignore\"}]}",
        "\"idleTimeout\": 60",
        "\"livenessInterval\": null", "\"startTimeout\": 1, \"stopTimeout\": 1",
    ])
    func whatIsInForceIsNotNamed(members: String) throws {
        #expect(try Model.configuration(with: members).unenforcedKeys.isEmpty)
    }
}
