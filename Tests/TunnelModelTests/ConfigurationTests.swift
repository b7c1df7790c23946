import JSON
import Testing
import TunnelModel

@Suite struct ConfigurationTests {
    @Test func allDefaultsAreWrittenOutAndNothingIsLeftOut() {
        let configuration = Configuration(identifier: Model.identifier, name: "office")
        #expect(
            Model.written(configuration, layout: .indented) == """
                {
                  "identifier": "7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c001",
                  "name": "office",
                  "title": "",
                  "generation": 0,
                  "enabled": true,
                  "provider": "org.utunctl.loopback",
                  "serverAddress": null,
                  "username": null,
                  "trust": [],
                  "credentials": {},
                  "providerConfiguration": {},
                  "interface": {
                    "name": "utun%d",
                    "mtu": null,
                    "networkNamespace": null
                  },
                  "routing": {
                    "includedRoutes": null,
                    "excludedRoutes": [],
                    "includeAllNetworks": false,
                    "excludeLocalNetworks": false,
                    "enforceRoutes": false,
                    "ipv6": "tunnel",
                    "lockdown": "session",
                    "resolveWhileBlocked": true,
                    "forward": false,
                    "masquerade": false,
                    "mssClamp": false
                  },
                  "dns": {
                    "servers": [],
                    "searchDomains": [],
                    "matchDomains": [],
                    "tls": false
                  },
                  "onDemand": {
                    "enabled": false,
                    "rules": []
                  },
                  "disconnectOnSleep": false,
                  "idleTimeout": null,
                  "livenessInterval": 120,
                  "startTimeout": 60,
                  "stopTimeout": 20
                }
                """)
    }

    /// A configuration of which no key has its default.
    private static let everything = """
        {"identifier":"7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c001","name":"office","title":"Büro",\
        "generation":12,"enabled":false,"provider":"org.example.thing",\
        "serverAddress":"vpn.example.org:51820","username":"me","trust":["office/gateway"],\
        "credentials":{"key":"file:office.key","psk":"credential:psk"},\
        "providerConfiguration":{"z":1,"a":[null,{"x":0.5}]},\
        "interface":{"name":"vpn0","mtu":1400,"networkNamespace":null},\
        "routing":{"includedRoutes":["10.0.0.0/8"],"excludedRoutes":["10.1.0.0/16"],\
        "includeAllNetworks":true,"excludeLocalNetworks":true,"enforceRoutes":true,\
        "ipv6":"block","lockdown":"always","resolveWhileBlocked":false,"forward":true,\
        "masquerade":true,"mssClamp":true},\
        "dns":{"servers":["192.0.2.53","2001:db8::53"],"searchDomains":["example.org"],\
        "matchDomains":["example.com"],"tls":true},\
        "onDemand":{"enabled":true,"rules":[{"action":"evaluateConnection",\
        "matching":"profile","interfaceType":"wifi","ssid":["home"],"dnsSearchDomain":["lan"],\
        "dnsServerAddress":["192.168.1.1"],"gatewayAddress":["192.168.1.1"],\
        "probeURL":"http://192.168.1.1/","when":"traffic"}]},\
        "disconnectOnSleep":true,"idleTimeout":300,"livenessInterval":null,"startTimeout":5,\
        "stopTimeout":3600}
        """

    @Test func readingAndWritingEveryKeyIsAFixedPoint() throws {
        let configuration = try Model.configuration(Self.everything)
        #expect(Model.written(configuration) == Self.everything)
        #expect(configuration != Configuration(identifier: Model.identifier, name: "office"))
        let indented = Model.written(configuration, layout: .indented)
        #expect(try Model.configuration(indented) == configuration)
    }

    @Test func absentKeysHaveTheirDefaults() throws {
        let plain = Configuration(identifier: "", name: "office")
        #expect(try Model.configuration("{\"name\":\"office\"}") == plain)
        #expect(try Model.configuration(Model.written(plain)) == plain)
        let sparse = """
            {"name":"office","interface":{},"routing":{},"dns":{},"onDemand":{},
             "providerConfiguration":null,"credentials":null,"trust":null}
            """
        #expect(try Model.configuration(sparse) == plain)
    }

    @Test func noLivenessIntervalIsNotTheDefaultOne() throws {
        #expect(try Model.configuration(with: "\"title\": \"\"").livenessInterval == 120)
        #expect(try Model.configuration(with: "\"livenessInterval\": null").livenessInterval == nil)
    }

    @Test(arguments: [
        (
            "\"identifier\": \"7B0D3C1E-95A4-4A0F-8F5E-0A3A54D0C001\", \"name\": \"a\"",
            "identifier: not a UUID in lower case"
        ),
        ("\"identifier\": 1, \"name\": \"a\"", "identifier: not a string"),
        ("\"title\": \"\"", "name: missing"),
        ("\"name\": null", "name: null where a string must stand"),
        ("\"name\": \"\"", "name: a name must not be empty"),
        ("\"name\": \"a/b\"", "name: a name consists of letters, digits, '_', '.' and '-'"),
    ])
    func whatIsWrongWithIdentityIsNamedByItsPath(members: String, problem: String) {
        let text = "{\(members)}"
        #expect(
            Model.problem(text) { node throws(JSONError) in try Configuration(node) } == problem)
    }

    @Test(arguments: [
        ("\"title\": 1", "title: not a string"),
        ("\"generation\": -1", "generation: not an integer from 0 to 9223372036854775807"),
        ("\"enabled\": \"yes\"", "enabled: not true or false"),
        (
            "\"provider\": \"thing\"",
            "provider: a provider identifier is a reverse DNS name such as org.example.thing"
        ),
        (
            "\"serverAddress\": \"a:b:c\"",
            "serverAddress: not HOST, HOST:PORT or [IPv6]:PORT"
        ),
        ("\"username\": []", "username: not a string"),
        ("\"trust\": [\"a\", 1]", "trust[1]: not a string"),
        ("\"trust\": \"system\"", "trust: not an array"),
        ("\"credentials\": {\"key\": 1}", "credentials.key: not a string"),
        (
            "\"credentials\": {\"key\": \"hunter2\"}",
            "credentials.key: not file:PATH or credential:NAME"
        ),
        (
            "\"credentials\": {\"z\": \"\", \"b\": \"\", \"y\": \"\", \"c\": \"\"}",
            "credentials.b: not file:PATH or credential:NAME"
        ),
        ("\"providerConfiguration\": []", "providerConfiguration: not an object"),
        (
            "\"interface\": {\"name\": \"a b\"}",
            "interface.name: an interface name has no '/', white space or control characters"
        ),
        ("\"interface\": {\"mtu\": 67}", "interface.mtu: not an integer from 68 to 65535"),
        (
            "\"interface\": {\"networkNamespace\": 1}",
            "interface.networkNamespace: not a string"
        ),
        ("\"interface\": {\"nam\": \"x\"}", "interface: unknown key nam"),
        (
            "\"routing\": {\"includedRoutes\": [\"10.0.0.0/8\", \"10.0.0.0/33\"]}",
            "routing.includedRoutes[1]: 10.0.0.0/33 is not an address prefix"
        ),
        (
            "\"routing\": {\"includedRoutes\": [\"0.0.0.0/0,::/0\"]}",
            "routing.includedRoutes[0]: 0.0.0.0/0,::/0 is not an address prefix"
        ),
        (
            "\"routing\": {\"excludedRoutes\": [\"x\"]}",
            "routing.excludedRoutes[0]: x is not an address prefix"
        ),
        (
            "\"interface\": {\"networkNamespace\": \"blue\"}, \"routing\": {\"forward\": true}",
            "routing.forward: not with interface.networkNamespace, out of which nothing but the"
                + " tunnel leads"
        ),
        (
            "\"routing\": {\"ipv6\": \"skip\"}",
            "routing.ipv6: skip is not one of: tunnel, block, leave"
        ),
        (
            "\"routing\": {\"lockdown\": \"never\"}",
            "routing.lockdown: never is not one of: session, always"
        ),
        (
            "\"routing\": {\"lockdown\": \"always\", \"enforceRoutes\": true}",
            "routing.lockdown: \"always\" needs includeAllNetworks"
        ),
        (
            "\"routing\": {\"excludeLocalNetworks\": true}",
            "routing.excludeLocalNetworks: needs enforceRoutes or includeAllNetworks"
        ),
        (
            "\"routing\": {\"forward\": null}",
            "routing.forward: null where a boolean must stand"
        ),
        ("\"routing\": {\"x\": 1}", "routing: unknown key x"),
        (
            "\"dns\": {\"servers\": [\"192.0.2.1\", \"ns.example.org\"]}",
            "dns.servers[1]: ns.example.org is not an IP address"
        ),
        ("\"dns\": {\"tls\": 1}", "dns.tls: not true or false"),
        ("\"dns\": {\"x\": 1}", "dns: unknown key x"),
        (
            "\"onDemand\": {\"rules\": [{\"action\": \"connect\"}, {\"action\": \"go\"}]}",
            "onDemand.rules[1].action: go is not one of: connect, disconnect, ignore, "
                + "evaluateConnection"
        ),
        ("\"onDemand\": {\"rules\": [{}]}", "onDemand.rules[0].action: missing"),
        (
            "\"onDemand\": {\"rules\": [{\"action\": \"ignore\", \"when\": \"later\"}]}",
            "onDemand.rules[0].when: later is not one of: now, traffic"
        ),
        (
            "\"onDemand\": {\"rules\": [{\"action\": \"ignore\", \"ssids\": []}]}",
            "onDemand.rules[0]: unknown key ssids"
        ),
        ("\"onDemand\": {\"x\": 1}", "onDemand: unknown key x"),
        ("\"disconnectOnSleep\": 0", "disconnectOnSleep: not true or false"),
        ("\"idleTimeout\": 0", "idleTimeout: not an integer from 1 to 31536000"),
        ("\"livenessInterval\": 86401", "livenessInterval: not an integer from 1 to 86400"),
        ("\"startTimeout\": 0", "startTimeout: not an integer from 1 to 3600"),
        ("\"stopTimeout\": null", "stopTimeout: null where an integer must stand"),
        ("\"titel\": \"x\"", "unknown key titel"),
    ])
    func whatIsWrongIsNamedByItsPath(members: String, problem: String) {
        let text = "{\"name\": \"office\", \(members)}"
        #expect(
            Model.problem(text) { node throws(JSONError) in try Configuration(node) } == problem)
    }

    @Test func aMistypedKeyFindsEveryKeyThatWouldDo() throws {
        do {
            _ = try Model.configuration(with: "\"livenessIntervall\": 1")
            Issue.record("accepted")
        } catch {
            guard case .unknownKey(_, let key, let known) = error else {
                Issue.record("\(error.text)")
                return
            }
            #expect(nearestWord(to: key, in: known) == "livenessInterval")
            #expect(known.count == 20)
        }
    }

    @Test func fingerprintsTellWhichPartOfARunningConfigurationChanged() throws {
        let plain = Configuration(identifier: Model.identifier, name: "office")
        let full = try Model.configuration(Self.everything)
        let parts = plain.fingerprints
        #expect(full.fingerprints.count == parts.count)
        for (key, print) in full.fingerprints { #expect(print != parts[key], "\(key)") }

        var renamed = plain
        renamed.name = "home"
        renamed.title = "Home"
        renamed.generation = 9
        renamed.enabled = false
        renamed.onDemand.enabled = true
        #expect(renamed.fingerprints == parts)
        renamed.routing.forward = true
        #expect(renamed.fingerprints.filter { parts[$0.key] != $0.value }.map(\.key) == ["routing"])
        // Absent and empty are two values.
        renamed.username = ""
        #expect(renamed.fingerprints["username"] != parts["username"])
    }
}
