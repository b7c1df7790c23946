import JSON
import TestSupport
import Testing

@Suite struct DoctorVerbTests {
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
    }

    private func findings() throws -> [String: String] {
        let run = try root.run(["doctor", "--json"])
        let all = run.json?["findings"]?.array?.compactMap(\.object) ?? []
        var codes: [String: String] = [:]
        for finding in all {
            #expect(finding.members.map(\.key) == ["code", "severity", "finding", "fix"])
            codes[finding["code"]?.string ?? ""] = finding["severity"]?.string
        }
        #expect(run.status == (codes.values.contains("problem") ? 1 : 0))
        return codes
    }

    @Test func anEmptyRootIsNoProblem() throws {
        let findings = try findings()
        #expect(findings["preferences"] == "ok")
        #expect(findings["fileModes"] == "ok")
        #expect(findings["credentials"] == "ok")
        #expect(findings["providersMissing"] == "advice")
        #expect(findings["sessions"] == "ok")
        #expect(findings["resolverUnusable"] == "advice")
        #expect(root.contents == [])
    }

    @Test func seesWhatIsWrong() throws {
        try root.installProvider(keys: #", "network": "host""#)
        try root.installProvider("org.example.broken")
        try root.write("/usr/libexec/utunctl/org.example.broken", "", mode: 0o777)
        _ = try root.run(["save", "a", "--set", "credentials.k=file:gone"])
        _ = try root.run(["save", "b", "--provider", "org.example.none"])
        try root.write("/etc/utunctl/credentials/lax", "hunter2", mode: 0o640)
        try root.makeDirectory("/etc/utunctl/credentials", mode: 0o755)
        try root.makeDirectory("/run/utunctl", mode: 0o777)
        try root.write("/run/utunctl/11111111-1111-4111-8111-111111111111.sock", "")
        let findings = try findings()
        for code in [
            "credentialUnusable", "credentialUnsafe", "credentialsDirectoryUnsafe",
            "directoryUnsafe", "providerExecutableUnusable", "providerNotInstalled", "leftovers",
        ] {
            #expect(findings[code] == "problem", "\(code)")
        }
        #expect(findings["providerOnHostNetwork"] == "advice")
        let text = try root.run(["doctor"]).output
        #expect(text.contains("chmod 0600 \(root.path("/etc/utunctl/credentials/lax"))"))
        #expect(!text.contains("hunter2"))
    }

    @Test func looksAtEachEnabledConfiguration() throws {
        try root.installProvider("org.example.thing", keys: #", "credentials": ["key"]"#)
        _ = try root.run(["save", "a", "--provider", "org.example.thing"])
        _ = try root.run(["save", "b", "--set", "idleTimeout=9"])
        _ = try root.run(["save", "c", "--set", "idleTimeout=9", "--set", "enabled=false"])
        let text = try root.run(["doctor"]).output
        #expect(text.contains("credentialMissing: a: "))
        #expect(text.contains("utunctl save a --set credentials.key=file:PATH"))
        #expect(text.contains("keyNotEnforced: b: "))
        #expect(text.contains("utunctl save b --unset idleTimeout"))
        #expect(!text.contains(": c: "))
    }

    @Test func aRecordWithoutAnEndIsAnAdvice() throws {
        let identifier = "11111111-1111-4111-8111-111111111111"
        try root.write(
            "/run/utunctl/\(identifier).session.json",
            """
            {"formatVersion": 1, "identifier": "\(identifier)", "name": "office",
             "generation": 1, "attempt": "\(identifier)", "origin": "user",
             "networkNamespace": "", "started": "2026-11-30T01:02:03.000000Z"}
            """)
        #expect(try findings()["leftovers"] == "advice")
        let text = try root.run(["doctor"]).output
        #expect(text.contains("office: its last session ended without a word"))
    }

    @Test func everyProblemHasAFix() throws {
        try root.installProvider("org.example.broken")
        try root.write("/usr/lib/utunctl/providers.d/org.example.none.json", "{")
        let answer = try root.run(["doctor", "--json"]).json
        for finding in answer?["findings"]?.array?.compactMap(\.object) ?? []
        where finding["severity"] == .string("problem") {
            #expect(finding["fix"]?.string != nil, "\(finding)")
        }
    }

    @Test func laxPreferencesAreAnAdvice() throws {
        try root.write("/etc/utunctl/preferences.json", #"{"formatVersion": 1}"#, mode: 0o644)
        let findings = try findings()
        #expect(findings["preferencesLax"] == "advice")
        #expect(findings["preferences"] == "ok")
    }

    @Test func seesWhatASavedConfigurationWouldBeRefusedFor() throws {
        try root.installProvider()
        _ = try root.run(["save", "a", "--set", #"dns.searchDomains=["example.org"]"#])
        _ = try root.run(["save", "b", "--set", "interface.networkNamespace=no-such"])
        let text = try root.run(["doctor"]).output
        #expect(text.contains("dnsUnavailable: a: dns.searchDomains"), "\(text)")
        #expect(text.contains("utunctl save a --unset dns.searchDomains"))
        #expect(text.contains("networkNamespaceMissing: b: "))
        #expect(!text.contains("start would refuse none"))
    }

    @Test func aLockThatNobodyHoldsIsNoSocket() throws {
        let identifier = "11111111-1111-4111-8111-111111111111"
        try root.write("/run/utunctl/\(identifier).lock", "")
        #expect(try root.run(["doctor"]).output.contains("left the lock \(identifier).lock"))
        let repair = try root.run(["repair"])
        #expect(repair.output.contains("cleared lock \(identifier).lock"), "\(repair)")
        #expect(root.contents.filter { $0.hasSuffix(".lock") }.isEmpty)
    }
}
