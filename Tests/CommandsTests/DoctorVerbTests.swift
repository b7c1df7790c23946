import Glibc
import JSON
import LinuxSystem
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
        #expect(findings["providersMissing"] == "advice")
        #expect(!findings.values.contains("ok"))
        #expect(findings["leftovers"] == nil)
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
        _ = try root.run([
            "save", "b", "--provider", "org.example.thing", "--set", "trust=[\"a/b\"]",
        ])
        _ = try root.run(["save", "c", "--set", "trust=[\"a/b\"]", "--set", "enabled=false"])
        let text = try root.run(["doctor"]).output
        #expect(text.contains("credentialMissing: a: "))
        #expect(text.contains("utunctl save a --set credentials.key=file:PATH"))
        #expect(text.contains("keyNotEnforced: b: "))
        #expect(text.contains("utunctl save b --unset trust"))
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

    @Test func profilesThatOthersMayChangeAreAProblem() throws {
        try root.makeDirectory("/etc/utunctl/profiles", mode: 0o777)
        #expect(try findings()["directoryUnsafe"] == "problem")
    }

    @Test func logsThatEverybodyMayReadAreAnAdvice() throws {
        let log = "/run/utunctl/11111111-1111-4111-8111-111111111111.log"
        try root.write(log, "x", mode: 0o640)
        #expect(try findings()["sessionFileLax"] == nil)
        try root.write(log, "x", mode: 0o644)
        #expect(try findings()["sessionFileLax"] == "advice")
    }

    @Test func knowsWhereNobodyFollowsTheRules() throws {
        try root.installProvider()
        _ = try root.run(["save", "office", "--set", "onDemand.rules=[{\"action\": \"connect\"}]"])
        #expect(try findings()["onDemandNotRunning"] == nil)
        let save = try root.run(["save", "office", "--set", "onDemand.enabled=true"])
        #expect(save.errors.contains("no service follows its rules yet"), "\(save)")
        #expect(try findings()["onDemandNotRunning"] == "problem")
    }

    @Test func knowsTheUnitsThatNobodyCanStart() throws {
        let units = root.path("/etc/systemd/system")
        try root.makeDirectory("/etc/systemd/system/multi-user.target.wants")
        for name in ["gone", "idle", "fine"] {
            symlink(
                "/usr/lib/systemd/system/utunctl@.service",
                "\(units)/multi-user.target.wants/utunctl@\(name).service")
        }
        #expect(try findings()["unitMissing"] == "problem")
        let unit = try FileDescriptor.open(
            "\(Installation.source)/Sources/Install/utunctl@.service", O_RDONLY)
        let text = String(decoding: try unit.readAll(limit: 1 << 20), as: UTF8.self)
        try root.write("/usr/lib/systemd/system/utunctl@.service", text)
        try root.installProvider()
        _ = try root.run(["save", "idle", "--set", "enabled=false"])
        _ = try root.run(["save", "fine"])
        let output = try root.run(["doctor"]).output
        #expect(output.contains("problem  unitWithoutConfiguration: utunctl@gone.service"))
        #expect(output.contains("advice   unitOfDisabled: utunctl@idle.service"))
        #expect(output.contains("utunctl save idle --set enabled=true, or systemctl disable"))
        #expect(!output.contains("utunctl@fine") && !output.contains("unitOld"), "\(output)")
        try root.write("/usr/lib/systemd/system/utunctl@.service", "[Service]\nType=simple\n")
        #expect(try findings()["unitOld"] == "advice")
        try root.write("/etc/systemd/system/utunctl@.service", text)
        #expect(try findings()["unitOverridden"] == "advice")
    }

    @Test func knowsThatNobodyAnswersForNames() throws {
        try root.write("/etc/resolv.conf", "nameserver 127.254.3.7\n")
        #expect(try findings()["nameserverSilent"] == "problem")
        try root.write("/etc/resolv.conf", "nameserver 127.0.0.53\noptions trust-ad\n")
        let stub = try findings()
        #expect(stub["resolvedUnreachable"] == "problem" && stub["nameserverSilent"] == nil)
    }

    @Test func tellsWhoElseWritesTheResolverFile() throws {
        try root.installProvider()
        try root.write(
            "/etc/resolv.conf", "# Generated by NetworkManager\nnameserver 192.0.2.53\n")
        _ = try root.run(["save", "a"])
        #expect(try findings()["resolverFileManaged"] == nil)
        _ = try root.run(["save", "a", "--set", #"dns.servers=["192.0.2.1"]"#])
        #expect(try findings()["resolverFileManaged"] == "advice")
    }

    @Test func aClockBehindTheFilesIsAProblem() throws {
        try root.installProvider()
        _ = try root.run(["save", "a", "--set", #"trust=["later/x"]"#])
        try root.write("/etc/utunctl/profiles/later.json", "{}")
        #expect(try findings()["clockBehind"] == nil)
        // In 2100.
        var times = [timespec(tv_sec: 4_102_444_800, tv_nsec: 0)]
        times.append(times[0])
        utimensat(AT_FDCWD, root.path("/etc/utunctl/profiles/later.json"), &times, 0)
        #expect(try findings()["clockBehind"] == "problem")
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
