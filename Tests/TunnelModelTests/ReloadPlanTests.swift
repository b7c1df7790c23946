import JSON
import Testing

@testable import TunnelModel

@Suite struct ReloadPlanTests {
    private static func manifest(_ members: String = "") throws -> ProviderManifest {
        let text = """
            {"formatVersion": 1, "identifier": "org.example.thing", "executable": "/x",
             "protocolVersion": 1\(members)}
            """
        return try Model.read(text) { node throws(JSONError) in try ProviderManifest(node) }
    }

    private static let taking = """
        , "credentials": ["key"], "reload": ["providerConfiguration.peers", "trust", "credentials"]
        """

    private func plan(
        _ running: String, _ saved: String, references: Set<String> = [],
        _ manifest: ProviderManifest
    ) throws -> ReloadPlan {
        ReloadPlan(
            from: try Model.configuration(with: running),
            to: try Model.configuration(with: saved), references: references, manifest)
    }

    @Test(arguments: [
        (#""title": "a""#, #""title": "b""#, "title"),
        (#""enabled": true"#, #""enabled": false"#, "enabled"),
        (#""stopTimeout": 20"#, #""stopTimeout": 30"#, "stopTimeout"),
        (#""disconnectOnSleep": false"#, #""disconnectOnSleep": true"#, "disconnectOnSleep"),
        (#""interface": {}"#, #""interface": {"mtu": 1400}"#, "interface.mtu"),
        (#""dns": {}"#, #""dns": {"servers": ["192.0.2.53"]}"#, "dns.servers"),
        (
            #""routing": {"includedRoutes": ["10.1.0.0/16"]}"#,
            #""routing": {"includedRoutes": ["10.1.0.0/16", "10.2.0.0/16"]}"#,
            "routing.includedRoutes"
        ),
        (
            #""routing": {}"#, #""routing": {"excludedRoutes": ["10.2.0.0/16"]}"#,
            "routing.excludedRoutes"
        ),
        (
            #""onDemand": {"enabled": false}"#,
            #""onDemand": {"enabled": false, "rules": [{"action": "connect"}]}"#, "onDemand"
        ),
    ])
    func theHostTakesByItself(running: String, saved: String, key: String) throws {
        let plan = try plan(running, saved, Self.manifest())
        #expect(plan.changed == [key])
        #expect(plan.restart.isEmpty && plan.forProvider.isEmpty)
    }

    @Test(arguments: [
        (#""provider": "a.b""#, #""provider": "a.c""#, "provider"),
        (#""interface": {}"#, #""interface": {"name": "vpn%d"}"#, "interface.name"),
        (
            #""interface": {}"#, #""interface": {"networkNamespace": "x"}"#,
            "interface.networkNamespace"
        ),
        (
            #""routing": {}"#, #""routing": {"includeAllNetworks": true}"#,
            "routing.includeAllNetworks"
        ),
        (#""routing": {}"#, #""routing": {"enforceRoutes": true}"#, "routing.enforceRoutes"),
        (#""routing": {}"#, #""routing": {"forward": true}"#, "routing.forward"),
        (#""serverAddress": "a.example""#, #""serverAddress": "b.example""#, "serverAddress"),
        (#""livenessInterval": 100"#, #""livenessInterval": null"#, "livenessInterval"),
        (
            #""providerConfiguration": {"addresses": ["10.0.0.1/24"]}"#,
            #""providerConfiguration": {"addresses": ["10.0.0.2/24"]}"#,
            "providerConfiguration.addresses"
        ),
        (
            #""providerConfiguration": {"a": {"b": [1]}}"#,
            #""providerConfiguration": {"a": {"b": [1, 2], "c": 3}}"#, "providerConfiguration.a"
        ),
        (
            #""credentials": {"key": "file:a"}"#, #""credentials": {"key": "file:b"}"#,
            "credentials.key"
        ),
        (#""trust": []"#, #""trust": ["office/a"]"#, "trust"),
    ])
    func aRestartIsNeeded(running: String, saved: String, key: String) throws {
        let plan = try plan(running, saved, Self.manifest())
        #expect(plan.changed == [key])
        #expect(plan.restart == [key])
        #expect(plan.forProvider.isEmpty)
    }

    @Test func theProviderTakesWhatItsManifestNames() throws {
        let running = """
            "trust": ["office/a"], "credentials": {"key": "file:k", "psk": "file:a"},
            "providerConfiguration": {"peers": [{"trust": "office/a"}], "port": 1}
            """
        let saved = """
            "trust": ["office/a", "office/b"], "credentials": {"key": "file:k", "other.x": "file:b"},
            "providerConfiguration": {"peers": [{"trust": "office/a", "x": 1}, {}], "port": 1}
            """
        let manifest = try Self.manifest(Self.taking)
        let taken = try plan(running, saved, manifest)
        let keys = [
            "credentials.other.x", "credentials.psk", "providerConfiguration.peers", "trust",
        ]
        #expect(taken.changed == keys)
        #expect(taken.forProvider == keys)
        #expect(taken.restart.isEmpty)
        // The same, of a provider that takes nothing.
        #expect(try plan(running, saved, Self.manifest()).restart == keys)
        let configuration = try Model.configuration(with: saved)
        #expect(manifest.handedAnew(configuration) == ["other.x"])
    }

    @Test func whatItNeedsToStartItTakesOnlyByName() throws {
        let same = #""credentials": {"key": "file:k", "psk": "file:a"}"#
        let references: Set = ["credentials.key", "credentials.psk", "trust"]
        let plan = try plan(same, same, references: references, Self.manifest(Self.taking))
        #expect(plan.changed == references.sorted())
        #expect(plan.restart == ["credentials.key"])
        let naming = try Self.manifest(
            #", "credentials": ["key"], "reload": ["credentials.key"]"#)
        #expect(
            try self.plan(same, same, references: references, naming).restart
                == ["credentials.psk", "trust"])
    }

    @Test func whatIsTheSameIsNoChange() throws {
        let members = #""dns": {"servers": ["192.0.2.53"]}, "generation": 4"#
        let plan = try plan(members, #""dns": {"servers": ["192.0.2.53"]}"#, Self.manifest())
        #expect(plan.changed.isEmpty && plan.restart.isEmpty)
    }

    @Test(arguments: [
        "provider", "interface.mtu", "routing.forward", "providerConfiguration", "credentials.",
        "onDemand", "name", "", "dns.servers",
    ])
    func noProviderTakesWhatIsTheHosts(key: String) {
        #expect(throws: JSONError.self) { try Self.manifest(", \"reload\": [\"\(key)\"]") }
    }
}
