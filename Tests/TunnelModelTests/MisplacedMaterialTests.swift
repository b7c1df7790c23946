import JSON
import TestSupport
import Testing
import TunnelModel

/// What has no place in a configuration, and what only looks like it.
@Suite struct MisplacedMaterialTests {
    private static let key = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="

    private func found(_ members: String) throws -> [MisplacedMaterial] {
        try Model.configuration(with: members).misplacedMaterial
    }

    private func kind(_ object: String) throws -> MisplacedMaterial.Kind? {
        try found("\"providerConfiguration\": \(object)").first?.kind
    }

    // MARK: What the form tells

    /// Texts that are refused under any key.
    static let forms: [(text: String, kind: MisplacedMaterial.Kind)] = [
        (#"-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----"#, .secret),
        ("x -----BEGIN RSA PRIVATE KEY-----", .secret),
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----", .secret),
        ("-----BEGIN OPENSSH PRIVATE KEY-----", .secret),
        ("-----BEGIN OpenVPN Static key V1-----", .secret),
        ("-----BEGIN CERTIFICATE-----", .trust),
        ("-----BEGIN TRUSTED CERTIFICATE-----", .trust),
        ("-----BEGIN X509 CRL-----", .trust),
        ("-----BEGIN PKCS7-----", .trust),
        ("-----BEGIN PUBLIC KEY-----", .trust),
        ("---- BEGIN SSH2 PUBLIC KEY ----", .trust),
        ("-----BEGIN EC PARAMETERS-----", .key),
        ("-----BEGIN ", .key),
        // Ed25519 (PKCS#8), EC (SEC 1), a public key, PKCS#12, a certificate; as DER in base64.
        ("MC4CAQAwBQYDK2VwBCIEIF7fsoN9ibVThN8CMn3kMYRcBkRaTLH6+Iw3COZLA5yl", .secret),
        (
            "MHcCAQEEIHQ0HyZy+Mspf+JT15LBz9ylwcuI3zOMTCLh+q+cWMBGoAoGCCqGSM49AwEHoUQDQgAEzv9r0nPv"
                + "QWpO64B6ivcvxQ93dyHoWiRT8GFq4ry4hMXdYwfv7RingdAPFtQ98xLd181IXZ3lWg3whf+Fb17Y9w==",
            .secret
        ),
        (
            #"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJCYP6/zY/bJNl1TfsN7zw9LIcQFYtXjREijx\n"#
                + "7NFIrhKe4oFOHENHM++b4Gnnt1FcQabe0QEvFhOuPbEXLOB+yA==",
            .trust
        ),
        ("MC0CAQMEKAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJic=", .secret),
        (certificate, .trust),
        (key, .key),
        // Without its end, and of the other alphabet.
        ("hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo", .key),
        ("hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo", .key),
        ("wg-hSDwCY hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo=", .key),
        ("[Interface] PrivateKey = \(key) MTU = 1380", .key),
        ("http://user:hunter2@proxy.example.org:3128", .secret),
        ("socks5://:hunter2@127.0.0.1", .secret),
    ]

    @Test(arguments: forms)
    func aTextThatIsMaterialIsFoundUnderAnyKey(text: String, kind: MisplacedMaterial.Kind) throws {
        let value = "\"\(text)\""
        let places: [(String, String)] = [
            ("\"title\": \(value)", "title"),
            ("\"username\": \(value)", "username"),
            (
                "\"onDemand\": {\"rules\": [{\"action\": \"connect\", \"ssid\": [\(value)]}]}",
                "onDemand.rules[0].ssid[0]"
            ),
            ("\"trust\": [\"office/a\", \(value)]", "trust[1]"),
            ("\"providerConfiguration\": {\"x\": \(value)}", "providerConfiguration.x"),
            (
                "\"providerConfiguration\": {\"a\": [{\"b.c\": \(value)}]}",
                "providerConfiguration.a[0].b.c"
            ),
        ]
        for (members, path) in places {
            #expect(try found(members) == [MisplacedMaterial(path: path, kind: kind)], "\(members)")
        }
    }

    @Test func aNameThatIsAKeyIsFoundAndNotRepeated() throws {
        let material = try found("\"providerConfiguration\": {\"peers\": {\"\(Self.key)\": {}}}")
        #expect(material == [MisplacedMaterial(path: "providerConfiguration.peers", kind: .key)])
        let name = try found("\"credentials\": {\"\(Self.key)\": \"file:x\"}")
        #expect(name == [MisplacedMaterial(path: "credentials", kind: .key)])
        let path = try found("\"credentials\": {\"k\": \"file:\(Self.key)\"}")
        #expect(path == [MisplacedMaterial(path: "credentials.k", kind: .key)])
    }

    @Test(arguments: [
        "", "office", "MTU", "-----BEGIN", "a-long-name-of-a-host-in-some-branch-office1",
        "file:office.privateKey", "https://vpn.example.org/a?b=c", "https://user@example.org/",
        "user@example.org", "https://[2001:db8::1]:443/", "https://a/b:c@d",
        "MC0CAQMEKAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4fICEiIyQlJico",
        "Mary had a little lamb, its fleece was white as snow", "MAAA",
        "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM",
        "7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c001", "00112233445566778899aabbccddeeff00112233",
        "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTm==",
        "AAhSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=",
        "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmp=",
    ])
    func anOrdinaryTextIsNone(text: String) throws {
        #expect(
            try found("\"title\": \"\(text)\", \"providerConfiguration\": {\"x\": \"\(text)\"}")
                == [])
    }

    // MARK: What the name tells

    static let secretNames = [
        "password", "Password", "userPassword", "user_password", "user-password", "passwd",
        "passphrase", "keyPassphrase", "secret", "clientSecret", "client_secret", "psk", "PSK",
        "wpaPSK", "privateKey", "private_key", "private-key", "privatekey", "PrivateKey",
        "wgprivatekey", "presharedKey", "preSharedKey", "pre-shared-key", "presharedKey2",
        "sharedKey", "secretKey", "apiKey", "authKey", "token", "accessToken", "TOTPSecret",
        "pass", "pwd", "pw", "passcode", "pinCode", "privKey", "private_key_pem", "mypsk",
    ]

    @Test(arguments: [
        #""savePassword": "always""#, #""storePassword": "keychain""#, #""maxPassword": 12"#,
        #""remember_password": "yes, for a day""#, #""deadPeerCheck": false"#,
        #""deadPeerCheckEnabled": false"#,
    ])
    func whatIsDoneWithASecretIsNone(member: String) throws {
        #expect(try kind("{\(member)}") == nil)
    }

    @Test(arguments: secretNames)
    func theNameOfASecretTakesTheNameOfACredentialAlone(name: String) throws {
        #expect(try kind("{\"\(name)\": \"hunter2\"}") == .secret)
        #expect(try kind("{\"auth\": [{\"\(name)\": [\"hunter2\"]}]}") == .secret)
        let reference = try found(
            "\"credentials\": {\"k\": \"file:k\"}, \"providerConfiguration\": {\"\(name)\": \"k\"}")
        #expect(reference == [])
        for nothing in ["\"\"", "null", "true", "false", "{}", "[]", "\"ask\"", "\"No\""] {
            #expect(try kind("{\"\(name)\": \(nothing)}") == nil, "\(nothing)")
        }
    }

    @Test func aPasswordMayBeANumberAndATokenCounted() throws {
        #expect(try kind(#"{"password": 12345678}"#) == .secret)
        #expect(try kind(#"{"maxTokens": 5, "token": 3}"#) == nil)
    }

    @Test(arguments: [
        "passwordFile", "tokenLifetime", "tokenEndpoint", "secretName", "keyFile", "bypass",
        "compass", "cipher", "keepalive", "privateKeyFormat", "authentication", "username", "tasks",
    ])
    func otherNamesTakeAnything(name: String) throws {
        #expect(try kind("{\"\(name)\": \"hunter2\"}") == nil)
        #expect(try kind("{\"\(name)\": 5}") == nil)
    }

    @Test func namesOfOurOwnKeysMeanWhatTheyMean() throws {
        #expect(
            try found(#""credentials": {"password": "file:k", "privateKey": "credential:n"}"#) == []
        )
    }

    @Test func aPublicKeyIsTheNameOfAnAnchor() throws {
        for name in ["publicKey", "serverPublicKey", "public_key", "pubkey", "peerPubKey"] {
            let value = "{\"\(name)\": \"c3RyYW5nZQ\"}"
            #expect(try kind(value) == .trust, "\(name)")
            #expect(
                try found("\"trust\": [\"c3RyYW5nZQ\"], \"providerConfiguration\": \(value)") == [])
        }
    }

    @Test func aPinIsTrustAndAWordIsNone() throws {
        let digits = String(repeating: "0fA1", count: 16)
        for value in [digits, "0F:11:22:33:44:55:66:77:88:99:AA:BB:CC:DD:EE:FF", "sha256/x"] {
            for name in ["pin", "fingerprint", "serverFingerprint", "thumbprint", "sha256"] {
                #expect(try kind("{\"\(name)\": \"\(value)\"}") == .trust, "\(name) \(value)")
            }
            #expect(try kind("{\"commit\": \"\(value)\"}") == nil)
        }
        #expect(try kind(#"{"fingerprint": "chrome", "pin": "1234"}"#) == nil)
    }

    // MARK: Switches

    static let offWhenSet = [
        "insecure", "tlsInsecure", "allowInsecure", "insecureSkipVerify", "skipVerify",
        "skip-verify", "SKIP_VERIFY", "skipVerification", "skipTLSVerify", "tls_skip_verify",
        "noVerify", "no-verify", "noverify", "disableVerification", "disableCertificateValidation",
        "ignoreCertificateErrors", "ignoreTlsErrors", "bypassCertificateCheck",
        "noCheckCertificate", "no-cert-check", "skipHostnameVerification", "acceptInvalidCerts",
        "acceptInvalidCertificates", "allowSelfSigned", "allowUntrusted", "acceptAnyCertificate",
        "trustAllCertificates", "trustAll", "trustOnFirstUse", "proxyInsecure",
    ]
    static let offWhenClear = [
        "verify", "tlsVerify", "verifyPeer", "verify_peer", "verifypeer", "verifyHostname",
        "verifyServerCertificate", "sslVerify", "verification", "certificateVerification",
        "peerVerification", "checkCertificate", "validateServerCertificate", "certificateCheck",
        "rejectUnauthorized", "strictHostKeyChecking", "gatewayVerify",
    ]

    @Test(arguments: offWhenSet)
    func aSwitchAgainstVerificationIsFoundWhereItIsSet(name: String) throws {
        for value in ["true", "1", "\"true\"", "\"Yes\"", "\"on\"", "\"1\"", "[true]"] {
            #expect(try kind("{\"tls\": {\"\(name)\": \(value)}}") == .unverified, "\(value)")
        }
        for value in ["false", "0", "\"false\"", "\"no\"", "\"\"", "null", "{}", "\"x\"", "1.5"] {
            #expect(try kind("{\"tls\": {\"\(name)\": \(value)}}") == nil, "\(value)")
        }
    }

    @Test(arguments: offWhenClear)
    func aSwitchForVerificationIsFoundWhereItIsClear(name: String) throws {
        for value in ["false", "0", "\"false\"", "\"None\"", "\"off\"", "\"0\"", "\"never\""] {
            #expect(try kind("{\"tls\": {\"\(name)\": \(value)}}") == .unverified, "\(value)")
        }
        for value in ["true", "1", "\"full\"", "\"peer\"", "\"\"", "null", "{}", "0.0"] {
            #expect(try kind("{\"tls\": {\"\(name)\": \(value)}}") == nil, "\(value)")
        }
    }

    @Test(arguments: [
        "verifyInterval", "verifyDepth", "noDelay", "disableTls", "noCertificate", "skip", "check",
        "healthCheck", "validate", "validateConfiguration", "strict", "mode", "tls", "acceptAny",
        "allowAll", "allowAllPeers", "trust", "ignoreErrors", "ignoreRoutes", "no", "",
        "insecurelyNamedThing", "peer", "certificate", "noPeerDiscovery", "allowInvalid",
    ])
    func otherSwitchesAreNone(name: String) throws {
        for value in ["true", "false", "0", "1", "\"none\"", "\"yes\""] {
            #expect(try kind("{\"\(name)\": \(value)}") == nil, "\(value)")
        }
    }

    @Test func aSwitchCountsInWhatIsTheProvidersAlone() throws {
        // Ours have no such key; the name of a credential is a name.
        #expect(try found(#""credentials": {"insecure": "file:true"}"#) == [])
    }

    // MARK: Whole configurations

    @Test func whatTheProgramItselfMakesHoldsNone() throws {
        let peer = """
            {"trust": "office/peer1", "presharedKey": "presharedKey1", "allowedIPs": ["10.0.0.0/8"],
             "endpoint": "vpn.example.org:51820", "persistentKeepalive": 25}
            """
        #expect(
            try found(
                """
                "provider": "org.utunctl.wireguard", "trust": ["office/peer1", "system"],
                "credentials": {"privateKey": "file:office.privateKey",
                                "presharedKey1": "file:office.presharedKey1"},
                "providerConfiguration": {"addresses": ["10.9.0.2/24"], "peers": [\(peer)]}
                """) == [])
    }

    @Test func allAreFoundInTheirOrder() throws {
        let all = try found(
            #""title": "\#(Self.key)", "providerConfiguration": {"psk": "x", "insecure": true}"#)
        #expect(
            all.map(\.path) == [
                "title", "providerConfiguration.psk", "providerConfiguration.insecure",
            ])
        #expect(all.map(\.kind) == [.key, .secret, .unverified])
        #expect(all.allSatisfy { !$0.text.contains(Self.key) && $0.text.hasPrefix($0.path) })
    }

    @Test func eachKindHasWordsOfItsOwn() {
        let texts = MisplacedMaterial.Kind.allCases.map {
            MisplacedMaterial(path: "a", kind: $0).moved(below: "configurations[1]").text
        }
        #expect(Set(texts).count == 4)
        #expect(texts.allSatisfy { $0.hasPrefix("configurations[1].a: ") })
    }

    @Test func whateverStandsThereIsLookedAtToItsEnd() throws {
        var generator = SeededGenerator(seed: 117)
        let pieces =
            Self.forms.map(\.text) + Self.offWhenSet + ["=", "://", "@", ":", "-", "M", " "]
        for _ in 0..<2000 {
            // Pieces of all forms, cut anywhere: neither a crash nor a word of them comes out.
            let text = (0..<3).map { _ in
                let piece = pieces[Int.random(in: 0..<pieces.count, using: &generator)]
                return String(piece.prefix(Int.random(in: 0...piece.count, using: &generator)))
            }.joined()
            var object = JSONObject()
            object[text] = .string(text)
            var configuration = Configuration(identifier: Model.identifier, name: "office")
            configuration.title = text
            configuration.providerConfiguration = object
            let paths = configuration.misplacedMaterial.map(\.path)
            // By its form it is found in both places, by a name alone under that.
            let ways = [
                [], ["title", "providerConfiguration"], ["providerConfiguration.\(text)"],
            ]
            #expect(ways.contains(paths), "\(text): \(paths)")
        }
    }

    private static let certificate = """
        MIIBbjCCAROgAwIBAgIUMbO3frua+6ev+AOCBKc9KvNVO4gwCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBYTAeFw0y\
        NjExMzAxNDM2MjVaFw0yNjEyMzAxNDM2MjVaMAwxCjAIBgNVBAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC\
        AAQkJg/r/Nj9sk2XVN+w3vPD0shxAVi1eNESKPHs0UiuEp7igU4cQ0cz75vgaee3UVxBpt7RAS8WE649sRcs4H7I\
        o1MwUTAdBgNVHQ4EFgQUA2gYUAb6/GuiOsuRBuwjW1KM91UwHwYDVR0jBBgwFoAUA2gYUAb6/GuiOsuRBuwjW1KM\
        91UwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEAtSwzl6ekq2xjf2M/wdKws5f383T8XcwWn4zW\
        9be9CzQCIQC6kXKwN1cvDjyHwYBvhB0k+xbrg6vwUXvyABlCzca+Rg==
        """
}
