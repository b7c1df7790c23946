import JSON
import Testing
import TunnelModel

/// What a configuration says of servers: the names to be resolved, and what it wants routed.
@Suite struct ConfigurationServersTests {
    private static func wireGuard(_ peers: [String]) throws -> Configuration {
        try Model.configuration(
            with: """
                "provider": "org.utunctl.wireguard",
                "providerConfiguration": {"addresses": ["10.9.0.1/24"],
                                          "peers": [\(peers.joined(separator: ","))]}
                """)
    }

    private static func peer(_ number: Int, _ endpoint: String?, _ allowed: [String] = []) -> String
    {
        let allowed = allowed.map { "\"\($0)\"" }.joined(separator: ",")
        return """
            {"trust": "office/peer\(number)", "allowedIPs": [\(allowed)],
             "endpoint": \(endpoint.map { "\"\($0)\"" } ?? "null")}
            """
    }

    @Test func eachEndpointOfAPeerIsAServerAndEachHostIsNamedOnce() throws {
        let configuration = try Self.wireGuard([
            Self.peer(1, "vpn.example.org:1"), Self.peer(2, "192.0.2.1:1"), Self.peer(3, nil),
            Self.peer(4, "vpn.example.org:2"), Self.peer(5, "[2001:db8::1]:1"),
            Self.peer(6, "192.0.2.1:9"), Self.peer(7, "a.example.org:1"),
        ])
        #expect(configuration.serverNames == ["vpn.example.org", "a.example.org"])
        #expect(configuration.serverLiterals.map(\.name) == ["192.0.2.1", "2001:db8::1"])
        #expect(
            configuration.serverLiterals.map(\.address.description) == ["192.0.2.1", "2001:db8::1"])
        #expect(
            configuration.soughtPeers
                == Set([1, 2, 4, 5, 6, 7].map { "office/peer\($0)" }))
    }

    @Test func ofOtherProvidersTheServerIsTheOne() throws {
        let named = try Model.configuration(with: #""serverAddress": "vpn.example.org:443""#)
        #expect(named.serverNames == ["vpn.example.org"])
        #expect(named.serverLiterals.isEmpty)
        #expect(named.soughtPeers == nil)
        let literal = try Model.configuration(with: #""serverAddress": "[::1]:443""#)
        #expect(literal.serverNames.isEmpty)
        #expect(literal.serverLiterals.map(\.name) == ["::1"])
        let none = try Model.configuration(with: #""title": """#)
        #expect(none.serverNames.isEmpty && none.serverLiterals.isEmpty)
    }

    @Test func whatCannotBeReadHasNoServers() throws {
        let configuration = try Model.configuration(
            with: #""provider": "org.utunctl.wireguard", "providerConfiguration": {"peers": 7}"#)
        #expect(configuration.serverNames.isEmpty)
        #expect(configuration.soughtPeers == nil)
    }

    @Test(arguments: [
        (["0.0.0.0/0"], true, false), (["0.0.0.0/0", "::/0"], true, true),
        (["0.0.0.0/1", "128.0.0.0/1"], true, false), (["::/1", "8000::/1"], false, true),
        (["10.0.0.0/8"], false, false), ([], false, false),
    ])
    func aDefaultRouteIsAskedForByWhatPeersAreAllowed(
        allowed: [String],
        v4: Bool,
        v6: Bool
    ) throws {
        let configuration = try Self.wireGuard([
            Self.peer(1, nil, Array(allowed.prefix(1))),
            Self.peer(2, nil, Array(allowed.dropFirst())),
        ])
        #expect(configuration.asksForDefaultRoute(.v4) == v4)
        #expect(configuration.asksForDefaultRoute(.v6) == v6)
        var asked = NetworkSettings()
        asked.addresses = Model.prefixes(["10.9.0.1/24"])
        for (route, isAllowed) in [("0.0.0.0/0", v4), ("::/0", v6)] {
            asked.includedRoutes = Model.prefixes([route])
            switch EffectiveSettings.derive(from: asked, for: configuration) {
            case .accepted(let settings):
                #expect(isAllowed && settings.includedRoutes == asked.includedRoutes)
            case .rejected(let reasons):
                #expect(!isAllowed && reasons.map(\.key) == ["includedRoutes"])
            }
        }
    }

    @Test func ofOtherProvidersADefaultRouteIsAskedForByIncludingAllNetworks() throws {
        let plain = try Model.configuration(with: #""title": """#)
        #expect(!plain.asksForDefaultRoute(.v4) && !plain.asksForDefaultRoute(.v6))
        let all = try Model.configuration(with: #""routing": {"includeAllNetworks": true}"#)
        #expect(all.asksForDefaultRoute(.v4) && all.asksForDefaultRoute(.v6))
    }
}
