import JSON
import Testing
import TunnelModel

@Suite struct EnrolledProfileTests {
    private static let key = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
    private static let hash = String(repeating: "0aF9", count: 16)

    private static func read(_ text: String) throws(JSONError) -> EnrolledProfile {
        try Model.read(text) { node throws(JSONError) in try EnrolledProfile(node) }
    }

    private static func profile(_ anchor: String) -> String {
        "{\"formatVersion\": 1, \"identifier\": \"office\", \"anchors\": [\(anchor)]}"
    }

    @Test func everyKeyIsReadAndWritten() throws {
        let text =
            "{\"formatVersion\":1,\"identifier\":\"office\",\"title\":\"The office\","
            + "\"organisation\":\"Example Ltd\",\"notBefore\":null,"
            + "\"notAfter\":\"2026-11-30T01:02:03.000000Z\",\"anchors\":["
            + "{\"name\":\"gateway\",\"kind\":\"wireguard\",\"publicKey\":\"\(Self.key)\"},"
            + "{\"name\":\"ca\",\"kind\":\"x509\",\"pem\":\"-----BEGIN CERTIFICATE-----\\nMAIwAA==\\n-----END CERTIFICATE-----\\n\"},"
            + "{\"name\":\"web\",\"kind\":\"pin\",\"sha256\":\"\(Self.hash)\"}],"
            + "\"credentials\":[\"office.key\"],\"signer\":null}"
        let profile = try Self.read(text)
        #expect(profile.anchors.map(\.kind) == [.wireguard, .x509, .pin])
        #expect(profile.anchors.first?.value == Self.key)
        #expect(profile.anchors.first?.named(in: "office").name == "office/gateway")
        #expect(Model.written(profile) == text)
    }

    @Test(arguments: [
        ("{}", "formatVersion: missing"),
        ("{\"formatVersion\": 2}", "formatVersion 2 was written by a newer utunctl"),
        ("{\"formatVersion\": 1}", "identifier: missing"),
        ("{\"formatVersion\": 1, \"identifier\": \"../x\"}", "identifier: a name must begin with"),
        (
            "{\"formatVersion\": 1, \"identifier\": \"office\", \"anchor\": []}",
            "unknown key anchor"
        ),
        (
            "{\"formatVersion\": 1, \"identifier\": \"office\", \"notAfter\": \"tomorrow\"}",
            "notAfter: not an RFC 3339 time"
        ),
        (profile("{}"), "anchors[0].name: missing"),
        (profile("{\"name\": \"a\"}"), "anchors[0].kind: missing"),
        (profile("{\"name\": \"a\", \"kind\": \"ssh\"}"), "anchors[0].kind: ssh is not one of"),
        (profile("{\"name\": \"a\", \"kind\": \"wireguard\"}"), "anchors[0].publicKey: missing"),
        (
            profile("{\"name\": \"a\", \"kind\": \"wireguard\", \"publicKey\": \"x\"}"),
            "anchors[0].publicKey: not a key: 1 characters"
        ),
        (
            profile(
                "{\"name\": \"a\", \"kind\": \"wireguard\", \"publicKey\": "
                    + "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"}"),
            "anchors[0].publicKey: not a key: nothing but zeros"
        ),
        (
            profile("{\"name\": \"a\", \"kind\": \"pin\", \"sha256\": \"00\"}"),
            "anchors[0].sha256: not 64 hexadecimal digits"
        ),
        (
            profile("{\"name\": \"a\", \"kind\": \"x509\", \"pem\": \"MII\"}"),
            "anchors[0].pem: not a certificate in PEM form"
        ),
        (
            profile("{\"name\": \"a\", \"kind\": \"pin\", \"sha256\": \"\(hash)\", \"pem\": \"\"}"),
            "anchors[0]: unknown key pem"
        ),
        (
            profile("{\"name\": \"a/b\", \"kind\": \"pin\", \"sha256\": \"\(hash)\"}"),
            "anchors[0].name: a name consists of"
        ),
        (
            profile(
                "{\"name\": \"a\", \"kind\": \"pin\", \"sha256\": \"\(hash)\"}, "
                    + "{\"name\": \"a\", \"kind\": \"pin\", \"sha256\": \"\(hash)\"}"),
            "anchors[1].name: the name a is taken twice"
        ),
    ])
    func whatIsWrongIsNamedWithItsPlace(text: String, problem: String) {
        let found = Model.problem(text) { node throws(JSONError) in try EnrolledProfile(node) }
        #expect(found?.hasPrefix(problem) == true, "\(found ?? "nil")")
    }

    @Test func inTheProtocolAnAnchorMayHaveKeysOfALaterVersion() throws {
        let text =
            "{\"name\": \"office/a\", \"kind\": \"wireguard\", \"publicKey\": \"\(Self.key)\", "
            + "\"since\": 1}"
        let anchor = try Model.read(text) { node throws(JSONError) in
            try TrustAnchor(node, isStrict: false)
        }
        #expect(anchor == TrustAnchor(name: "office/a", kind: .wireguard, value: Self.key))
    }

    @Test(arguments: [
        ("office/peer1", "office", "peer1"), ("a/all", "a", "all"), ("a.b/c-d_e", "a.b", "c-d_e"),
    ])
    func aReferenceNamesProfileAndAnchor(text: String, profile: String, anchor: String) throws {
        let reference = try #require(AnchorReference(text))
        #expect(reference.profile == profile && reference.anchor == anchor)
    }

    @Test(arguments: [
        "", "system", "office", "office/", "/peer1", "office/a/b", "../peer1", "office/..", "all/x",
        "office/é", "office /a",
    ])
    func whatIsNoReference(text: String) {
        #expect(AnchorReference(text) == nil)
    }

    @Test func eachKindOfProviderTakesItsOwnAnchors() {
        let wireguard = TrustAnchor.Kind.allCases.map(ProviderManifest.TrustKind.wireguard.accepts)
        let x509 = TrustAnchor.Kind.allCases.map(ProviderManifest.TrustKind.x509.accepts)
        #expect(TrustAnchor.Kind.allCases == [.wireguard, .x509, .pin])
        #expect(wireguard == [true, false, false])
        #expect(x509 == [false, true, true])
    }
}
