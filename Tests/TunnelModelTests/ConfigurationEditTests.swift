import JSON
import Testing
import TunnelModel

@Suite struct ConfigurationEditTests {
    private let start = Configuration(identifier: "", name: "office")

    private func apply(_ settings: (String, String)..., to configuration: Configuration? = nil)
        throws -> Configuration
    {
        try (configuration ?? start).applying(
            settings.map { try ConfigurationEdit(setting: $0.0, text: $0.1) })
    }

    private func error(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch let error as JSONError {
            return error.text
        } catch let error as ConfigurationEditError {
            return error.text
        } catch {
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("title", "a \"b\"", "title", "\"a \\\"b\\\"\""),
        ("title", "\"quoted\"", "title", "\"quoted\""),
        ("title", "\"half", "title", "\"\\\"half\""),
        ("title", "12", "title", "\"12\""),
        ("title", "null", "title", "\"null\""),
        ("title", "", "title", "\"\""),
        ("name", "home", "name", "\"home\""),
        ("provider", "org.example.thing", "provider", "\"org.example.thing\""),
        ("serverAddress", "[2001:db8::1]:443", "serverAddress", "\"[2001:db8::1]:443\""),
        ("username", "true", "username", "\"true\""),
        (
            "interface.name", "wg%d", "interface",
            #"{"name":"wg%d","mtu":null,"networkNamespace":null}"#
        ),
        (
            "interface.networkNamespace", "blue", "interface",
            #"{"name":"utun%d","mtu":null,"networkNamespace":"blue"}"#
        ),
        ("credentials.my.key", "file:a=b", "credentials", #"{"my.key":"file:a=b"}"#),
        ("credentials", #"{"k":"credential:x"}"#, "credentials", #"{"k":"credential:x"}"#),
        ("trust", #"["a","b"]"#, "trust", #"["a","b"]"#),
        ("trust[0]", #""a""#, "trust", #"["a"]"#),
        ("enabled", "false", "enabled", "false"),
        ("idleTimeout", "9", "idleTimeout", "9"),
        ("livenessInterval", "null", "livenessInterval", "null"),
        ("providerConfiguration.a.b[0].c", "1", "providerConfiguration", #"{"a":{"b":[{"c":1}]}}"#),
        ("providerConfiguration", #"{"x":[]}"#, "providerConfiguration", #"{"x":[]}"#),
    ])
    func sets(path: String, text: String, key: String, value: String) throws {
        let member = try #require(try apply((path, text)).object[key])
        #expect(String(decoding: JSONWriter.line(member).dropLast(), as: UTF8.self) == value)
    }

    @Test(arguments: [
        ("mtu", "1", "unknown key mtu"),
        ("routing.ipvs", "1", "unknown key routing.ipvs"),
        ("routing", #"{"ipvs":1}"#, "routing: unknown key ipvs"),
        ("nowhere.at.all", "1", "unknown key nowhere"),
        ("identifier", "x", "identifier: cannot be set"),
        ("generation", "3", "generation: cannot be set"),
        ("title.x", "1", "title: not an object"),
        ("title[0]", "1", "title: not an array"),
        ("trust[1]", #""a""#, "trust[1]: the array has 0 elements"),
        ("routing.ipv6", "blok", "routing.ipv6: blok is not one of: tunnel, block, leave"),
        ("enabled", "yes", "enabled: not true or false"),
        ("interface.mtu", "big", "interface.mtu: not a number"),
        ("interface", "x", "interface: not a JSON object"),
        ("trust", "x", #"trust: the value is not JSON; write --set 'trust=["TEXT"]'"#),
        ("trust[0]", "x", #"trust[0]: the value is not JSON; write --set 'trust[0]="TEXT"'"#),
        ("providerConfiguration.a", "it's", "providerConfiguration: unknown key a"),
        (
            "providerConfiguration.addresses", "10.9.0.1/24",
            #"providerConfiguration.addresses: the value is not JSON; write --set 'providerConfiguration.addresses=["TEXT"]'"#
        ),
        ("providerConfiguration.mtu", "big", "providerConfiguration.mtu: not a number"),
        (
            "providerConfiguration.hangOnStart", "yes",
            "providerConfiguration.hangOnStart: not true or false"
        ),
        ("trust", #""x""#, "trust: not an array"),
        ("name", "all", "name: the name all is reserved"),
        ("", "1", "not a path"),
        ("a..b", "1", "a..b: not a path"),
        ("trust[", "1", "trust[: not a path"),
        ("trust[x]", "1", "trust[x]: not a path"),
        ("trust[0]x", "1", "trust[0]x: not a path"),
        ("trust[99999999999999999999]", "1", "trust[99999999999999999999]: not a path"),
        ("trust]", "1", "trust]: not a path"),
        (".title", "1", ".title: not a path"),
        ("credentials.", "1", "credentials.: not a path"),
    ])
    func refuses(path: String, text: String, problem: String) {
        let found = error { _ = try apply((path, text)) }
        #expect(found?.hasPrefix(problem) == true, "\(found ?? "no error")")
    }

    @Test func anUnknownPathKnowsTheKnownOnes() throws {
        do {
            _ = try apply(("mtu", "1"))
            Issue.record("no error")
        } catch ConfigurationEditError.invalid(.unknownKey(let path, let key, let known)) {
            #expect(path.isEmpty)
            #expect(key == "mtu")
            #expect(known.contains("interface.mtu"))
            #expect(known.contains("routing"))
            #expect(!known.contains("identifier"))
        }
    }

    @Test func unsetRestoresTheDefault() throws {
        let changed = try apply(
            ("title", "x"), ("interface.mtu", "1400"), ("interface.name", "t%d"),
            ("livenessInterval", "7"), ("trust", #"["a","b","c"]"#),
            ("providerConfiguration.a.b", "1"), ("credentials.k.l", "file:x"))
        func unset(_ paths: String...) throws -> Configuration {
            try changed.applying(paths.map { try ConfigurationEdit(unsetting: $0) })
        }
        #expect(try unset("title").title.isEmpty)
        #expect(try unset("interface").interface == InterfaceSettings())
        #expect(try unset("interface.mtu").interface.mtu == nil)
        #expect(try unset("interface.mtu").interface.name == "t%d")
        #expect(try unset("livenessInterval").livenessInterval == 120)
        #expect(try unset("trust[1]").trust == ["a", "c"])
        #expect(try unset("trust[0]", "trust[0]").trust == ["c"])
        #expect(
            try unset("providerConfiguration.a.b").providerConfiguration["a"]?.object?.isEmpty
                == true)
        #expect(try unset("providerConfiguration.nothing.here") == changed)
        #expect(try unset("credentials.k.l").credentials.isEmpty)
        #expect(try unset("credentials.other") == changed)
        #expect(error { _ = try unset("trust[3]") } == "trust[3]: the array has 3 elements")
        #expect(error { _ = try unset("routing.ipvs") } == "unknown key routing.ipvs")
        #expect(error { _ = try unset("mtu") } == "unknown key mtu")
        for path in ["name", "identifier", "generation"] {
            #expect(error { _ = try unset(path) } == "\(path): cannot be unset")
        }
    }

    @Test func editsFollowOneAnother() throws {
        let result = try start.applying([
            ConfigurationEdit(setting: "trust[0]", text: #""a""#),
            ConfigurationEdit(setting: "trust[1]", text: #""b""#),
            ConfigurationEdit(setting: "trust[0]", text: #""c""#),
            ConfigurationEdit(unsetting: "interface"),
            ConfigurationEdit(setting: "interface.mtu", text: "1400"),
            ConfigurationEdit(setting: "onDemand.rules[0].action", text: #""connect""#),
            ConfigurationEdit(setting: "onDemand.rules[0].when", text: #""traffic""#),
        ])
        #expect(result.trust == ["c", "b"])
        #expect(result.interface.mtu == 1400)
        #expect(result.onDemand.rules.first?.when == .traffic)
        #expect(result.identifier.isEmpty)
        #expect(result.name == "office")
    }

    @Test func changesAreListedByPath() throws {
        var old = try apply(
            ("trust", #"["a","b"]"#), ("providerConfiguration.gone", "1"), ("title", "t"))
        old.identifier = "11111111-1111-4111-8111-111111111111"
        old.generation = 3
        var new = try apply(
            ("trust", #"["a"]"#), ("routing.ipv6", "block"), ("providerConfiguration.x.y", "2"),
            ("title", "t"))
        new.generation = 4
        let changes = old.changes(to: new).map { change in
            "\(change.path) \(change.old.map { "\($0)" } ?? "-") \(change.new.map { "\($0)" } ?? "-")"
        }
        #expect(
            changes == [
                #"trust[1] string("b") -"#,
                "providerConfiguration.gone integer(1) -",
                "providerConfiguration.x - "
                    + "\(JSONValue.object(try apply(("providerConfiguration.y", "2")).providerConfiguration))",
                #"routing.ipv6 string("tunnel") string("block")"#,
            ])
        #expect(old.changes(to: old).isEmpty)
    }
}
