import Glibc
import JSON
import TestSupport
import Testing

/// The preferences are damaged, hidden or changed, with and without a tunnel that runs.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct LostPreferencesTests {
    private static let file = "etc/utunctl/preferences.json"

    private func expectCorrupt(_ text: String, in site: Installation) throws {
        try site.write(text, to: Self.file, mode: 0o600)
        for verb in [
            ["status"], ["load"], ["start", "office"], ["save", "other"], ["remove", "office"],
        ] {
            let result = try Command.run(site.command(verb))
            #expect(result.status == 11, "\(verb) \(result)")
            let error = try Installation.parse(
                try Command.run(site.command(["--json"] + verb)).output)["error"]
            #expect(error?.object?["exitStatus"] == .integer(11), "\(verb)")
        }
        #expect(site.read(Self.file) == text)
    }

    @Test(arguments: [
        "", "garbage", "[]", "{}", "null", "{\"formatVersion\": 1", "\u{FEFF}{}", "\u{0}",
        #"{"formatVersion": 99, "generation": 1, "configurations": []}"#,
        #"{"formatVersion": 1, "generation": 1, "configurations": [], "colour": "blue"}"#,
    ])
    func corruptPreferencesAreToldOfAndLeftAlone(_ text: String) throws {
        let site = try Installation()
        try expectCorrupt(text, in: site)
    }

    @Test func aDocumentCutAnywhereIsCorrupt() throws {
        let site = try Installation()
        try site.save("office")
        let whole = try #require(site.read(Self.file))
        let bytes = Array(whole.utf8)
        // The final line end alone may be missing.
        for length in stride(from: 0, to: bytes.count - 2, by: max(1, bytes.count / 40)) {
            let text = String(decoding: bytes.prefix(length), as: UTF8.self)
            try site.write(text, to: Self.file, mode: 0o600)
            #expect(try site.utunctl("status").status == 11, "\(length) bytes")
            #expect(try site.utunctl("save", "other").status == 11, "\(length) bytes")
            #expect(site.read(Self.file) == text)
        }
        try site.write(whole, to: Self.file, mode: 0o600)
        #expect(try site.utunctl("status", "office").status == 3)
    }

    @Test(arguments: ["", "garbage", #"{"formatVersion": 99}"#])
    func aRunningTunnelIsSeenAndStoppedWithoutPreferences(_ text: String) throws {
        let site = try Installation()
        let identifier = try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try site.write(text, to: Self.file, mode: 0o600)
        for name in ["office", identifier] {
            let status = try site.utunctl("status", "--json", name)
            #expect(status.status == 11)
            let answer = try Installation.parse(status.output)
            let tunnel = answer["tunnels"]?.array?.first?.object
            #expect(tunnel?["status"] == .string("connected"))
            let code = tunnel?["warnings"]?.array?.first?.object?["code"]
            #expect(code == .string("preferencesUnreadable"))
            #expect(answer["error"]?.object?["exitStatus"] == .integer(11))
        }
        #expect(try site.utunctl("repair").status == 0)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try Kernel.tunnels().isEmpty)
        #expect(site.read(Self.file) == text)
    }

    @Test func theKillOfAHostIsRepairedWithoutPreferences() throws {
        let site = try Installation()
        try site.save("office", hostile: "connect()\nfcntl.ioctl(4, 0x400454cb, 1)\nserve()")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(
            try eventually {
                try Command.run(["ip", "-d", "link", "show", "utun0"]).output.contains("persist on")
            })
        kill(try site.livingHost(of: "office"), SIGKILL)
        try site.write("garbage", to: Self.file, mode: 0o600)
        #expect(
            try eventually {
                try site.utunctl("repair", "office").status == 0 && Kernel.tunnels().isEmpty
            })
    }

    @Test func aRemovedConfigurationThatRunsIsStillSeenAndStopped() throws {
        let site = try Installation()
        let identifier = try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try site.write(
            #"{"formatVersion": 1, "generation": 9, "configurations": []}"#, to: Self.file,
            mode: 0o600)
        for name in ["office", identifier] {
            let status = try site.status(name)
            #expect(status["status"] == .string("connected"))
            let code = status["warnings"]?.array?.first?.object?["code"]
            #expect(code == .string("configurationRemoved"))
        }
        #expect(try site.utunctl("status").output.contains("office"))
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("status", "office").status == 4)
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func aDisabledConfigurationThatRunsIsStillSeenAndStopped() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try site.save("office", "enabled=false")
        #expect(try site.word("office") == "connected")
        #expect(try site.warnings("office") == ["configurationDisabled"])
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.word("office") == "invalid")
        #expect(try site.utunctl("start", "office").status == 7)
    }

    @Test func preferencesThatOthersMayWriteAreNotRead() throws {
        let site = try Installation()
        try site.save("office")
        chmod("\(site.root)/\(Self.file)", 0o666)
        #expect(try site.utunctl("start", "office").status == 10)
        #expect(try site.utunctl("status", "office").status == 10)
        chmod("\(site.root)/\(Self.file)", 0o600)
        #expect(try site.utunctl("status", "office").status == 3)
    }
}
