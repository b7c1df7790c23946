import JSON
import TestSupport
import Testing

/// Keys, certificates, secrets and switches against verification come into no configuration.
@Suite struct SaveRuleTests {
    private static let foreign = "org.example.thing"
    private static let secret = "hunter2-canary"

    private let root: TemporaryRoot
    private let preferences = "/etc/utunctl/preferences.json"

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider()
        try root.installProvider(Self.foreign)
        try root.installProvider("org.utunctl.wireguard", keys: #", "trust": "wireguard""#)
    }

    /// What stands in the configuration, its path, and the code that refuses it.
    static let material: [(object: String, path: String, code: String, hint: String)] = [
        (
            #"{"privateKey": "\#(EnrolledRoot.privateKey)"}"#, "privateKey", "keyInConfiguration",
            "credential set"
        ),
        (
            #"{"peers": [{"publicKey": "\#(EnrolledRoot.publicKey)"}]}"#, "peers[0].publicKey",
            "keyInConfiguration", "enroll"
        ),
        (
            #"{"auth": {"password": "\#(secret)"}}"#, "auth.password", "secretInConfiguration",
            "credential set"
        ),
        (
            #"{"ca": "-----BEGIN CERTIFICATE-----\n\#(secret)"}"#, "ca", "trustInConfiguration",
            "enroll"
        ),
        (
            #"{"key": "-----BEGIN EC PRIVATE KEY-----\n\#(secret)"}"#, "key",
            "secretInConfiguration", "credential set"
        ),
        (#"{"tls": {"skipVerify": true}}"#, "tls.skipVerify", "verificationSwitchedOff", "enroll"),
        (#"{"tls": {"verify": false}}"#, "tls.verify", "verificationSwitchedOff", "enroll"),
    ]

    private func expectRefused(
        _ run: Command.Result, _ path: String, _ code: String, _ hint: String
    ) {
        #expect(run.status == 7, "\(run)")
        let error = run.json?["error"]?.object
        #expect(error?["code"] == .string(code), "\(run)")
        #expect(error?["text"]?.string?.contains("\(path): ") == true, "\(run)")
        #expect(error?["hint"]?.string?.contains(hint) == true, "\(run)")
        for canary in [Self.secret, EnrolledRoot.privateKey, EnrolledRoot.publicKey] {
            #expect(!"\(run)".contains(canary.prefix(11)), "\(run)")
        }
    }

    @Test(arguments: material)
    func savingItIsRefusedByTheNameOfTheKey(
        object: String, path: String, code: String, hint: String
    ) throws {
        for provider in [Self.foreign, "org.utunctl.wireguard", "org.utunctl.loopback"] {
            let path = "providerConfiguration.\(path)"
            let set = ["--provider", provider, "--set", "providerConfiguration=\(object)"]
            for option in [[], ["--dry-run"]] {
                let run = try root.run(["save", "office", "--json"] + set + option)
                expectRefused(run, path, code, hint)
            }
            let one =
                #"{"name": "b", "provider": "\#(provider)", "providerConfiguration": \#(object)}"#
            expectRefused(
                try root.run(["save", "--json", "--from", "-"], input: one),
                "standard input: \(path)", code, hint)
            let several = #"{"formatVersion": 1, "configurations": [{"name": "a"}, \#(one)]}"#
            expectRefused(
                try root.run(["save", "--json", "--from", "-"], input: several),
                "standard input: configurations[1].\(path)", code, hint)
        }
        #expect(root.read(preferences) == nil)
    }

    /// What follows `--set`, without the quotes of JSON, the code that refuses it, and its text.
    @Test(
        arguments: [
            (
                "providerConfiguration.privateKey=\(EnrolledRoot.privateKey)",
                "keyInConfiguration", "providerConfiguration.privateKey: a key has no place"
            ),
            (
                "providerConfiguration.peers[0].presharedKey=\(EnrolledRoot.privateKey)",
                "keyInConfiguration", "providerConfiguration.peers[0].presharedKey: a key"
            ),
            (
                "providerConfiguration.password=\(secret)", "secretInConfiguration",
                "providerConfiguration.password: a secret has no place"
            ),
            (
                "providerConfiguration.tls.verify=no", "verificationSwitchedOff",
                "providerConfiguration.tls.verify: verification"
            ),
            ("privateKey=\(EnrolledRoot.privateKey)", "documentInvalid", "unknown key privateKey"),
            ("AllowedIPs=\(secret)", "documentInvalid", "unknown key AllowedIPs"),
            ("interface.mut=\(secret)", "documentInvalid", "unknown key interface.mut"),
            (
                "providerConfiguration.a=\(secret)", "documentInvalid",
                "write --set 'providerConfiguration.a=\"TEXT\"'"
            ),
            ("interface=\(secret)", "documentInvalid", "interface: not a JSON object"),
            (
                "routing.ipv6=\(EnrolledRoot.privateKey)", "keyInConfiguration",
                "routing.ipv6: a key"
            ),
            ("trust=\(EnrolledRoot.privateKey)", "keyInConfiguration", "trust: a key"),
            (EnrolledRoot.privateKey, "usage", "--set: no path"),
            ("password \(EnrolledRoot.privateKey)", "usage", "--set: no path"),
            ("=\(secret)", "usage", "--set: no path"),
        ])
    func aValueThatIsNoJSONIsNeverRepeated(assignment: String, code: String, text: String) throws {
        for option in [[], ["--dry-run"]] {
            let set = ["save", "a", "--json", "--provider", Self.foreign, "--set", assignment]
            let run = try root.run(set + option)
            let error = run.json?["error"]?.object
            #expect(error?["code"]?.string == code, "\(run)")
            #expect(error?["text"]?.string?.contains(text) == true, "\(run)")
            for canary in [Self.secret, EnrolledRoot.privateKey] {
                #expect(!"\(run)".contains(canary.prefix(11)), "\(run)")
            }
        }
        #expect(root.read(preferences) == nil)
    }

    @Test func aKeyThatFollowsABlankIsNotRepeatedAsAnOperand() throws {
        let run = try root.run([
            "save", "a", "--set", "providerConfiguration.privateKey=", EnrolledRoot.privateKey,
        ])
        #expect(run.status == 2)
        #expect(!"\(run)".contains(EnrolledRoot.privateKey.prefix(11)), "\(run)")
    }

    @Test func anUnknownKeyOfAProviderIsToldBeforeTheFormOfItsValue() throws {
        let run = try root.run([
            "save", "a", "--provider", "org.utunctl.wireguard", "--set",
            "providerConfiguration.adresses=10.9.0.2/24",
        ])
        #expect(run.status == 7)
        #expect(run.errors.contains("unknown key adresses\ndid you mean addresses?"), "\(run)")
    }

    @Test func ourOwnKeysHoldNoneEither() throws {
        for key in ["title", "username"] {
            let run = try root.run([
                "save", "a", "--json", "--set", "\(key)=\(EnrolledRoot.privateKey)",
            ])
            expectRefused(run, key, "keyInConfiguration", "enroll")
        }
        let trust = try root.run(
            ["save", "a", "--json", "--set", #"trust=["\#(EnrolledRoot.publicKey)"]"#])
        expectRefused(trust, "trust[0]", "keyInConfiguration", "enroll")
        let path = try root.run(
            ["save", "a", "--json", "--set", "credentials.k=file:\(EnrolledRoot.privateKey)"])
        expectRefused(path, "credentials.k", "keyInConfiguration", "credential set")
        #expect(root.read(preferences) == nil)
    }

    @Test func aPresharedKeyIsTheNameOfACredential() throws {
        let peer = #"{"trust": "office/peer1", "presharedKey": "PSK"}"#
        let office = """
            {"name": "office", "provider": "org.utunctl.wireguard", "trust": ["office/peer1"],
             "credentials": {"psk": "file:office.psk"},
             "providerConfiguration": {"addresses": ["10.9.0.2/24"], "peers": [\(peer)]}}
            """
        let saved = try root.run(
            ["save", "--from", "-"], input: office.replacing("PSK", with: "psk"))
        #expect(saved.status == 0, "\(saved)")
        let other = try root.run(
            ["save", "--json", "--from", "-"], input: office.replacing("PSK", with: Self.secret))
        expectRefused(
            other, "providerConfiguration.peers[0].presharedKey", "secretInConfiguration",
            "credential set")
    }

    /// A file that was edited by hand, or saved before there was the rule.
    private func write(_ object: String) throws {
        _ = try root.run(["save", "good", "--provider", Self.foreign])
        let place = #""title": "by hand", "providerConfiguration": {}"#
        _ = try root.run(
            ["save", "--from", "-"],
            input: #"{"name": "bad", "provider": "\#(Self.foreign)", \#(place)}"#)
        let text = try #require(root.read(preferences))
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            .map { line in
                guard line.contains("by hand") else { return line }
                return line.replacing(
                    #""providerConfiguration":{}"#, with: #""providerConfiguration":\#(object)"#)
            }
        try root.write(preferences, lines.joined(separator: "\n"), mode: 0o600)
    }

    @Test(arguments: material)
    func whatWasWrittenByHandIsRefusedByStartAndToldOf(
        object: String, path: String, code: String, hint: String
    ) throws {
        try write(object)
        let path = "providerConfiguration.\(path)"
        for verb in ["start", "plan"] {
            expectRefused(try root.run([verb, "--json", "bad"]), path, code, hint)
        }
        let doctor = try root.run(["doctor"])
        #expect(
            doctor.status == 1 && doctor.output.contains("\(code): bad: \(path): "), "\(doctor)")
        let load = try root.run(["load"])
        #expect(load.status == 0)
        #expect(load.errors.contains("warning: load bad: \(path): "), "\(load.errors)")
        #expect(try root.run(["load", "good"]).errors == "")
        // The others are not held up by it.
        #expect(try root.run(["save", "good", "--title", "x"]).status == 0)
        expectRefused(try root.run(["save", "bad", "--json", "--title", "x"]), path, code, hint)
        let mended = try root.run(["save", "bad", "--set", "providerConfiguration={}"])
        #expect(mended.status == 0, "\(mended)")
        #expect(try root.run(["load"]).errors == "")
    }

    @Test(
        arguments: [
            ("exec:cat /etc/shadow", "nothing is run for a secret, by exec: or otherwise"),
            ("cmd:x", "by cmd:"), ("sh:x", "by sh:"), ("env:PASSWORD", "there is no env:"),
            ("pass:\(secret)", "there is no pass:"),
            ("https://example.org/k", "there is no https:"),
            (secret, "not file:PATH or credential:NAME"), ("", "not file:PATH"),
            ("\(secret):x", "not file:PATH or credential:NAME"),
            ("file:", "not the path of a file"), ("file:../\(secret)", "without .."),
            ("file:/etc/", "not the path of a file"),
            ("credential:a/\(secret)", "not the name of a credential"),
            ("FILE:x", "not file:PATH"),
        ] as [(String, String)])
    func aReferenceOfAnotherKindIsRefusedByItsName(reference: String, problem: String) throws {
        let run = try root.run(["save", "a", "--set", "credentials.k=\(reference)"])
        #expect(run.status == 7, "\(run)")
        #expect(run.errors.contains("credentials.k: "), "\(run)")
        #expect(run.errors.contains(problem), "\(run)")
        #expect(!run.errors.contains(Self.secret), "\(run)")
        #expect(root.read(preferences) == nil)
    }
}
