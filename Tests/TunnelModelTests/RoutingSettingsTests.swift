import JSON
import Testing
import TunnelModel

/// What a configuration may say of routes, and what follows from it for the settings.
@Suite struct RoutingSettingsTests {
    private static let contradictions: [(routing: String, key: String)] = [
        (#"{"includedRoutes":["10.0.0.0/8"],"excludedRoutes":["10.0.0.0/8"]}"#, "excludedRoutes"),
        (#"{"includedRoutes":["10.1.2.3/8"],"excludedRoutes":["10.0.0.0/8"]}"#, "excludedRoutes"),
        (#"{"includeAllNetworks":true,"excludedRoutes":["0.0.0.0/0"]}"#, "excludedRoutes"),
        (
            #"{"includeAllNetworks":true,"excludedRoutes":["0.0.0.0/1","128.0.0.0/1"]}"#,
            "excludedRoutes"
        ),
        (#"{"includeAllNetworks":true,"excludedRoutes":["::/0"]}"#, "excludedRoutes"),
        (#"{"ipv6":"block","excludedRoutes":["::/1","8000::/1"]}"#, "excludedRoutes"),
        (#"{"includeAllNetworks":true,"ipv6":"leave"}"#, "ipv6"),
        (#"{"excludeLocalNetworks":true}"#, "excludeLocalNetworks"),
        (#"{"lockdown":"always"}"#, "lockdown"),
    ]

    @Test(arguments: contradictions)
    func whatStandsAgainstEachOtherIsNotSaved(routing: String, key: String) throws {
        let error = try #require(throws: JSONError.self) {
            try Model.configuration(with: "\"routing\": \(routing)")
        }
        #expect(error.text.contains("routing.\(key)"), "\(error.text)")
    }

    @Test(arguments: [
        #"{"includedRoutes":["10.0.0.0/8"],"excludedRoutes":["10.0.0.0/9","0.0.0.0/0"]}"#,
        #"{"ipv6":"block","excludedRoutes":["0.0.0.0/0"]}"#,
        #"{"ipv6":"leave","enforceRoutes":true,"excludedRoutes":["::/0"]}"#,
        #"{"includeAllNetworks":true,"ipv6":"block","excludedRoutes":["0.0.0.0/1","fd00::/8"]}"#,
    ])
    func everythingElseIs(routing: String) throws {
        let configuration = try Model.configuration(with: "\"routing\": \(routing)")
        #expect(configuration.unenforcedKeys.isEmpty)
    }

    @Test(arguments: [
        (["10.9.0.2/24", "fd09::2/64"], ["0.0.0.0/0", "::/0"]), (["10.9.0.2/24"], ["0.0.0.0/0"]),
        (["fd09::2/64"], ["::/0"]),
    ])
    func allNetworksAreIncludedOfEachFamilyThatTheTunnelHas(
        addresses: [String], added: [String]
    ) throws {
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        configuration.routing.includeAllNetworks = true
        var asked = NetworkSettings()
        asked.addresses = Model.prefixes(addresses)
        for routes in [nil, [], ["10.0.0.0/8"], ["0.0.0.0/0", "::/0"]] as [[String]?] {
            asked.includedRoutes = routes.map { Model.prefixes($0) }
            guard
                case .accepted(let settings) = EffectiveSettings.derive(
                    from: asked, for: configuration)
            else { return #expect(Bool(false), "\(String(describing: routes))") }
            #expect(
                Set(settings.includedRoutes)
                    == Set(Model.prefixes(added)).union(asked.includedRoutes ?? []))
        }
    }

    @Test(arguments: [
        UnderlyingPath(),
        UnderlyingPath(
            v4: .init(interface: "eth0", index: 2, kind: "ethernet"),
            v6: .init(
                interface: "wlan0", index: 3, kind: "wifi", gateway: IPAddress("fe80::1"),
                source: IPAddress("2001:db8::7"))),
    ])
    func aPathComesBackAsItWasSent(path: UnderlyingPath) throws {
        let message = HostMessage.pathChanged(path)
        #expect(try HostMessage(line: JSONWriter.line(message)) == message)
        #expect(path.isUsable == (path.v4 != nil))
    }

    @Test func aPathInFull() {
        let path = UnderlyingPath(
            v4: .init(
                interface: "eth0", index: 2, kind: "ethernet", gateway: IPAddress("192.0.2.1")))
        #expect(
            Model.written(HostMessage.pathChanged(path))
                == #"{"type":"pathChanged","v4":{"interface":"eth0","index":2,"kind":"ethernet","#
                + #""gateway":"192.0.2.1","source":null},"v6":null}"#)
        #expect(path.text == "IPv4 by eth0")
        #expect(UnderlyingPath().text == "no network")
    }
}
