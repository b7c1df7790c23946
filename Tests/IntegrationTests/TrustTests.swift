import Glibc
import JSON
import TestSupport
import Testing

/// Trust: what was enrolled is handed to the provider, and nothing else.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct TrustTests {
    private static let key = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
    private static let other = "3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08="
    private static let look = #"return {"trust": start["trust"]}"#

    private func profile(_ anchors: String, notAfter: String = "null") -> String {
        """
        {"formatVersion": 1, "identifier": "branch", "title": "", "notAfter": \(notAfter),
         "anchors": [\(anchors)]}
        """
    }

    private func anchor(_ name: String, _ key: String) -> String {
        #"{"name": "\#(name)", "kind": "wireguard", "publicKey": "\#(key)"}"#
    }

    private func site(
        _ profile: String?,
        trust: String = #"["branch/peer1"]"#,
        manifest: String? = #""trust": "wireguard""#
    ) throws -> Installation {
        let site = try Installation()
        try site.installProbe(Self.look, manifest)
        if let profile { try site.write(profile, to: "etc/utunctl/profiles/branch.json") }
        try site.save("office", "provider=\(ProbeProvider.identifier)", "trust=\(trust)")
        return site
    }

    @Test func theProviderIsHandedTheAnchorsThatAreNamedAndNoOthers() throws {
        let anchors = [anchor("peer1", Self.key), anchor("peer2", Self.other)]
        let site = try site(profile(anchors.joined(separator: ",")))
        let trust = try site.report(ofStarted: "office")["trust"]?.array
        #expect(trust?.count == 1)
        let first = trust?.first?.object
        #expect(first?.keys == ["name", "kind", "publicKey"])
        #expect(first?["name"] == .string("branch/peer1"))
        #expect(first?["kind"] == .string("wireguard"))
        #expect(first?["publicKey"] == .string(Self.key))
    }

    @Test func withoutTrustThereIsNone() throws {
        let site = try site(nil, trust: "[]")
        #expect(try site.report(ofStarted: "office")["trust"] == .array([]))
    }

    private static let pin = """
        {"name": "peer1", "kind": "pin", "sha256": "\(String(repeating: "0f", count: 32))"}
        """

    @Test(arguments: [
        ("absent", "trustAnchorMissing", "no profile branch is enrolled"),
        ("other", "trustAnchorMissing", "the profile has no anchor peer1"),
        ("kind", "trustAnchorUnusable", "is of kind pin"),
        ("mode", "profileUnusable", "lets others write it"),
        ("owner", "profileUnusable", "belongs to uid 12345"),
        ("corrupt", "profileUnusable", "branch.json"),
        ("expired", "profileExpired", "ended at 2020-01-01"),
    ])
    func whatCannotBeTrustedIsRefusedByNameAndNothingIsMade(
        fault: String,
        code: String,
        text: String
    ) throws {
        let content: String? =
            switch fault {
            case "absent": nil
            case "other": profile(anchor("peer2", Self.key))
            case "kind": profile(Self.pin)
            case "corrupt": "{"
            case "expired":
                profile(anchor("peer1", Self.key), notAfter: #""2020-01-01T00:00:00Z""#)
            default: profile(anchor("peer1", Self.key))
            }
        let site = try site(content)
        let path = "\(site.root)/etc/utunctl/profiles/branch.json"
        if fault == "mode" { chmod(path, 0o666) }
        if fault == "owner" { #expect(chown(path, 12_345, 12_345) == 0) }
        let before = try Kernel.snapshot()
        let start = try Command.run(site.command(["start", "--json", "office"]))
        #expect(start.status == 7, "\(start)")
        #expect(try Installation.parse(start.output).value("error.code") == .string(code))
        #expect(start.output.contains(text), "\(start)")
        #expect(try Kernel.snapshot() == before)
        let doctor = try site.utunctl("doctor")
        #expect(doctor.status == 1 && doctor.output.contains(text), "\(doctor)")
        #expect(site.read("run/utunctl/\(try site.identifier(of: "office")).session.json") == nil)
    }

    @Test func aProviderThatTakesNoTrustIsNotGivenAnyInSilence() throws {
        let site = try site(profile(anchor("peer1", Self.key)), manifest: nil)
        let start = try Command.run(site.command(["start", "--json", "office"]))
        #expect(start.status == 7, "\(start)")
        #expect(start.output.contains("trust: the provider org.example.probe takes no anchors"))
        let save = try site.utunctl("save", "office", "--title", "new")
        #expect(save.errors.contains("takes no anchors"), "\(save)")
        let doctor = try site.utunctl("doctor")
        #expect(doctor.output.contains("takes no anchors"), "\(doctor)")
        try site.save("office", "trust=[]")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
    }

    @Test func anAnchorThatWasEnrolledAnewIsAReasonToRestart() throws {
        let site = try site(profile(anchor("peer1", Self.key)))
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        func reasons() throws -> JSONValue? { try site.status("office")["restartReasons"] }
        let path = "etc/utunctl/profiles/branch.json"
        #expect(try reasons() == .array([]))
        try site.write(
            profile("\(anchor("peer1", Self.key)), \(anchor("peer2", Self.other))"), to: path)
        #expect(try reasons() == .array([]))
        try site.write(profile(anchor("peer1", Self.other)), to: path)
        #expect(try reasons() == .array([.string("trust")]))
        #expect(unlink("\(site.root)/\(path)") == 0)
        #expect(try reasons() == .array([.string("trust")]))
        try site.write(profile(anchor("peer1", Self.key)), to: path)
        #expect(try reasons() == .array([]))
        #expect(try site.utunctl("start", "office").status == 0)
    }

    @Test func aProfileThatEndsWhileItRunsIsToldAndBitesAtTheNextStart() throws {
        let site = try site(profile(anchor("peer1", Self.key)))
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.warnings("office") == [])
        try site.write(
            profile(anchor("peer1", Self.key), notAfter: #""2020-01-01T00:00:00Z""#),
            to: "etc/utunctl/profiles/branch.json")
        let tunnel = try site.status("office")
        #expect(try site.warnings("office") == ["trustExpired"])
        // What it runs with is what is saved; a restart would only take it down.
        #expect(tunnel["restartReasons"] == .array([]))
        #expect(tunnel["status"] == .string("connected"))
        #expect(try site.utunctl("status", "office").status == 0)
        let restart = try site.utunctl("restart", "--wait", "office")
        #expect(restart.status == 7, "\(restart)")
        #expect(restart.errors.contains("the profile branch ended at 2020-01-01"), "\(restart)")
        #expect(try site.status("office")["status"] == .string("connected"))
    }

    @Test func theSystemsStoreIsHandedToAProviderOfCertificates() throws {
        let site = try Installation()
        let look = """
            path = start["systemTrust"]
            return {"path": path, "text": open(path).read() if path else None}
            """
        try site.installProbe(look, #""trust": "x509""#)
        let store = "etc/ssl/certs/ca-certificates.crt"
        try site.write("of this root", to: store)
        try site.save("office", "provider=\(ProbeProvider.identifier)", #"trust=["system"]"#)
        let report = try site.report(ofStarted: "office")
        #expect(report["path"] == .string("\(site.root)/\(store)"))
        #expect(report["text"] == .string("of this root"))
        #expect(try site.status("office")["restartReasons"] == .array([]))
        // Who does not name it is not given it.
        #expect(try site.utunctl("stop", "office").status == 0)
        try site.save("office", "trust=[]")
        #expect(try site.report(ofStarted: "office")["path"] == .null)
    }
}
