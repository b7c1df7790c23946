import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

@testable import Commands

/// The file for reports of faults: nothing in it says whose it is.
@Suite struct BundleVerbTests {
    private static let identifier = "7b0d1c5e-1111-4111-8111-111111111111"
    /// Pieces of what must not come out, in any spelling.
    private static let canaries = [
        "canar", "hunter", "tr0ub4", "203.0.113", "198.51.100", "cafe:", "aa:bb:cc", "31337007",
        "6mtp", "hsdw", "0xcb0071", identifier.prefix(8).lowercased(), "silver fox",
    ]

    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider("org.canary.thing")
        try root.installProvider()
    }

    private func bundle() throws -> String {
        let path = "/report-\(root.contents.count).txt"
        let run = try root.run(["bundle", root.path(path), "--json"])
        #expect(run.status == 0, "\(run)")
        #expect(run.json?["path"] == .string(root.path(path)))
        #expect(run.json?["sections"]?.array?.contains(.string("preferences")) == true)
        #expect(root.mode(path) == 0o600)
        return try #require(root.read(path))
    }

    private func expectNoCanary(_ text: String) {
        let lower = text.lowercased()
        for canary in Self.canaries where lower.contains(canary) {
            let line = lower.split(separator: "\n").first { $0.contains(canary) } ?? ""
            Issue.record("\(canary): \(line)")
        }
    }

    private static let preferences = """
        {"formatVersion": 1, "generation": 3, "configurations": [{
         "identifier": "\(identifier)", "name": "canary-name", "title": "Silver fox of canary",
         "generation": 3, "provider": "org.canary.thing",
         "serverAddress": "vpn.canary-host.example:51820", "username": "canary user",
         "trust": ["canary-profile/canary-anchor"],
         "credentials": {"canary-credential": "file:canary-name.key"},
         "providerConfiguration": {"canary-key": "silver fox", "pin": 31337007,
          "list": ["203.0.113.7/24", "2001:db8:cafe::7", {"canary": "connected canary"}]},
         "routing": {"includedRoutes": ["203.0.113.0/24", "2001:db8:cafe::/48"],
          "excludedRoutes": ["198.51.100.0/25"]},
         "dns": {"servers": ["198.51.100.53"], "searchDomains": ["canary.internal"],
          "matchDomains": ["canary.corp"]},
         "onDemand": {"enabled": true, "rules": [{"action": "connect", "ssid": ["Silver fox LAN"],
          "probeURL": "https://probe.canary.example/hunter2", "gatewayAddress": ["203.0.113.1"]}]}}]}
        """

    private func fill() throws {
        try root.write("/etc/utunctl/preferences.json", Self.preferences, mode: 0o600)
        try root.write(
            "/etc/utunctl/profiles/canary-profile.json",
            """
            {"formatVersion": 1, "identifier": "canary-profile", "title": "Silver fox",
             "organisation": "Canary Ltd", "notAfter": null, "anchors": [
              {"name": "canary-anchor", "kind": "wireguard",
               "publicKey": "\(EnrolledRoot.publicKey)"}]}
            """)
        try root.makeDirectory("/etc/utunctl/credentials", mode: 0o700)
        try root.write("/etc/utunctl/credentials/canary-name.key", "hunter2", mode: 0o600)
        try root.write(
            "/run/utunctl/\(Self.identifier).session.json",
            """
            {"formatVersion": 1, "identifier": "\(Self.identifier)", "name": "canary-name",
             "generation": 3, "attempt": "\(Self.identifier)", "origin": "user",
             "networkNamespace": "", "started": "2026-11-30T01:02:03.000000Z",
             "end": {"code": "providerRefused", "text": "silver fox hunter2 31337007 of canary.example",
              "time": "2026-11-30T01:02:04.000000Z"}}
            """, mode: 0o640)
        try root.write("/etc/resolv.conf", "search canary.internal\nnameserver 198.51.100.53\n")
        try root.write("/run/utunctl/\(Self.identifier).log", Self.log, mode: 0o640)
    }

    private static let log = """
        2026-11-30T01:02:03.000000Z utunctl[canary-name]: the handshake with 203.0.113.7:51820 \
        timed out
        2026-11-30T01:02:03.000000Z canary[canary-name]: hunter2 Tr0ub4dor&3 31337007 pin=31337007
        at:2001:db8:cafe::9 [2001:db8:cafe::9]:51820 2001:db8:cafe::9%canary0 x=203.0.113.9/32
        203.0.113.1-203.0.113.9 203.0.113.0/24 203.0.113.9.51820 https://203.0.113.9/hunter2?canary
        aa:bb:cc:dd:ee:ff AA:BB:CC:DD:EE:0F \(EnrolledRoot.privateKey) "\(EnrolledRoot.publicKey)"
        canary@canary.example cänary Silver fox LAN /home/canary/office.conf C:\\canary utun0
        \(identifier).sock utunctl-\(identifier) utunctl:\(identifier)@aa:bb:cc:dd vpn.canary-host.example
        0xcb007109 canary_canary canary.canary.canary --canary=hunter2 #canary \u{1B}[31mcanary

        """

    @Test func noFieldOfAnythingComesOut() throws {
        try fill()
        let text = try bundle()
        expectNoCanary(text)
        // The probe must not be blind, and what helps must be there.
        for expected in [
            "the handshake with ip4-", ":51820 timed out", "providerRefused", "\"status\":",
            "\"findings\":", "utun0", "===== ip rule =====", "2026-11-30T01:02:03.000000Z",
        ] {
            #expect(text.contains(expected), "\(expected): \(text)")
        }
    }

    @Test func theSameValueHasTheSameStandIn() throws {
        try fill()
        let text = try bundle()
        let log = try #require(text.split(separator: "===== log ").last)
        let name = try #require(
            log.split(separator: "utunctl[").dropFirst().first?.prefix { $0 != "]" })
        #expect(name.hasPrefix("name-"))
        #expect(text.contains("\"name\":\"\(name)\""))
        #expect(text.contains("file:\(name).key"))
        // A server is known again without its port.
        let host = try #require(
            text.split(separator: "\"serverAddress\":\"").dropFirst().first?.prefix { $0 != ":" })
        #expect(log.contains("\(host)\n") && text.contains("\"\(host):51820\""))
        let network = try #require(
            text.split(separator: "\"includedRoutes\":[\"").dropFirst().first?.prefix { $0 != "/" })
        #expect(log.contains(" \(network)/24 "), "\(network)")
    }

    @Test func nothingStandsInForNothing() {
        var anonymiser = Anonymiser()
        // What is before a dot, a hyphen or a bracket may be nothing at all.
        for text in [
            "/var/run/wireguard/{interface}.sock", "utunctl[", "]: ", "/etc/utunctl/",
            "mtu (1500) - 0", "search .", "utunctl- -- .conf",
        ] {
            #expect(anonymiser.text(text) == text)
        }
    }

    @Test(arguments: try Directory.names("\(Installation.source)/Sources/Install"))
    func whatUnitsOfOursAreCalledIsNobodys(file: String) throws {
        let path = "\(Installation.source)/Sources/Install/\(file)"
        guard let bytes = try? FileDescriptor.open(path, O_RDONLY).readAll(limit: 1 << 20) else {
            return
        }
        var anonymiser = Anonymiser()
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("Description=") {
            let text = String(line.dropFirst("Description=".count)).replacing("%i", with: "")
            #expect(anonymiser.text(text) == text)
        }
    }

    @Test func whatAManifestOfOursIsCalledIsNobodys() throws {
        try root.installProvider(
            "org.utunctl.wireguard", keys: #", "title": "WireGuard""#)
        try root.write("/run/utunctl/x.log", "a WireGuard server takes no handshake\n")
        let text = try bundle()
        #expect(text.contains("a WireGuard server takes no handshake"))
        #expect(text.contains(#""title":"WireGuard""#))
    }

    @Test func aNameThatIsAWordOfTheProgramIsReplacedInTextAlone() throws {
        _ = try root.run(["save", "connected", "--title", "route"])
        let text = try bundle()
        #expect(text.contains("\"name\":\"name-") && !text.contains("\"name\":\"connected\""))
        #expect(text.contains("\"connectedSince\":") && text.contains("\"title\":\"title-"))
    }

    @Test func whatCannotBeReadIsSaidAndNotShown() throws {
        try root.write("/etc/utunctl/preferences.json", "{canary hunter2", mode: 0o600)
        try root.write("/etc/utunctl/providers.d/canary.json", "canary hunter2")
        let text = try bundle()
        expectNoCanary(text)
        #expect(text.contains("not JSON, "))
    }

    @Test func aFileThatIsThereIsReplacedOnDemandAlone() throws {
        try root.write("/mine.txt", "mine")
        let path = root.path("/mine.txt")
        let refused = try root.run(["bundle", path, "--json"])
        #expect(refused.status == 7 && refused.output.contains("fileExists"), "\(refused)")
        #expect(root.read("/mine.txt") == "mine")
        #expect(try root.run(["bundle", "--replace", path]).status == 0)
        #expect(root.mode("/mine.txt") == 0o600)
        #expect(root.read("/mine.txt")?.hasPrefix("What utunctl saw") == true)
        #expect(try root.run(["bundle"]).status == 2)
        let told = try root.run(["bundle", root.path("/other.txt")])
        #expect(told.errors.contains("read it before you give it away"), "\(told)")
    }

    @Test func nothingIsChangedByIt() throws {
        try fill()
        func state() -> [String] {
            root.contents.filter { !$0.hasPrefix("/report") }.map { "\($0) \(root.read($0) ?? "")" }
        }
        let before = state()
        _ = try bundle()
        #expect(state() == before)
    }
}
