import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

import enum Commands.ExitStatus

/// Every documented exit status, reached by the program, in words and in JSON.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ExitStatusTests {
    /// A way to an exit status.
    struct Way: Sendable, CustomTestStringConvertible {
        let status: ExitStatus
        var code: String?
        let arguments: [String]
        var wrapper: [String] = []
        var prepare: @Sendable (Installation) throws -> Void = { _ in }

        var testDescription: String { "\(status.rawValue): \(arguments.joined(separator: " "))" }
    }

    static let ways: [Way] = [
        Way(status: .done, arguments: ["start", "--wait", "office"]),
        Way(status: .done, arguments: ["stop", "office"]),
        Way(status: .done, arguments: ["load"]),
        Way(status: .done, arguments: ["wait", "office", "--for", "disconnected"]),
        Way(status: .done, arguments: ["rename", "office", "home"]),
        Way(status: .failure, arguments: ["doctor"]) { site in
            chmod("\(site.root)/usr/libexec/utunctl/utunctl-loopback", 0o666)
        },
        Way(status: .usage, code: "usage", arguments: ["start", "--wiat", "office"]),
        Way(status: .usage, code: "usage", arguments: ["strat", "office"]),
        Way(status: .usage, code: "usage", arguments: ["start"]),
        Way(status: .usage, code: "usage", arguments: ["start", "--timeout=soon", "office"]),
        Way(status: .notConnected, arguments: ["status", "office"]),
        Way(status: .usage, code: "usage", arguments: ["wait", "--for=lunch", "office"]),
        Way(status: .usage, code: "usage", arguments: ["start", "--retries=3", "office"]),
        Way(status: .usage, code: "usage", arguments: ["run", "office"]),
        Way(
            status: .notConnected, code: "notRunning",
            arguments: ["wait", "--timeout=50ms", "office"]),
        Way(status: .notConnected, code: "notRunning", arguments: ["wait", "office"]) {
            try $0.save("office", "enabled=false")
        },
        Way(
            status: .noSuchConfiguration, code: "noSuchConfiguration",
            arguments: ["wait", "offcie"]),
        Way(
            status: .noSuchConfiguration, code: "noSuchConfiguration",
            arguments: ["run", "offcie", "--", "true"]),
        Way(
            status: .noSuchConfiguration, code: "noSuchConfiguration",
            arguments: ["rename", "offcie", "home"]),
        Way(
            status: .noSuchConfiguration, code: "noSuchConfiguration",
            arguments: ["status", "offcie"]),
        Way(
            status: .noSuchConfiguration, code: "noSuchConfiguration",
            arguments: ["start", "offcie"]),
        Way(
            status: .noSuchConfiguration, code: "noSuchConfiguration",
            arguments: ["stop", "offcie"]),
        Way(status: .between, arguments: ["status", "office"]) { site in
            let start = try site.utunctl("start", "office", "--option", "hangOnStart=true")
            guard start.status == 0 else { throw Unexpected("\(start)") }
        },
        Way(
            status: .tunnelFailed, code: "authenticationFailed",
            arguments: ["start", "--wait", "office"]
        ) { site in
            try site.save(
                "office", #"providerConfiguration.fail={"code": "authenticationFailed"}"#)
        },
        Way(
            status: .tunnelFailed, code: "authenticationFailed",
            arguments: ["run", "office", "--", "true"]
        ) { site in
            try site.save(
                "office", #"providerConfiguration.fail={"code": "authenticationFailed"}"#)
        },
        Way(status: .refused, code: "nameTaken", arguments: ["rename", "office", "home"]) {
            try $0.save("home")
        },
        Way(
            status: .refused, code: "configurationDisabled",
            arguments: ["run", "office", "--", "true"]
        ) {
            try $0.save("office", "enabled=false")
        },
        Way(status: .refused, code: "configurationDisabled", arguments: ["start", "office"]) {
            try $0.save("office", "enabled=false")
        },
        Way(status: .refused, code: "providerNotInstalled", arguments: ["start", "office"]) {
            try $0.save("office", "provider=org.utunctl.lopback")
        },
        Way(status: .refused, code: "keyNotEnforced", arguments: ["start", "office"]) {
            try $0.save("office", #"trust=["a/b"]"#)
        },
        Way(status: .stale, code: "stale", arguments: ["start", "--if-generation=7", "office"]),
        Way(
            status: .timedOut, code: "timedOut",
            arguments: [
                "start", "--wait", "--timeout=300ms", "--or-stop", "--option", "hangOnStart=true",
                "office",
            ]),
        Way(
            status: .timedOut, code: "timedOut", arguments: ["wait", "--timeout=100ms", "office"]
        ) { site in
            let start = try site.utunctl("start", "office", "--option", "hangOnStart=true")
            guard start.status == 0 else { throw Unexpected("\(start)") }
        },
        Way(
            status: .timedOut, code: "timedOut",
            arguments: [
                "run", "--timeout=100ms", "--option", "hangOnStart=true", "office", "--", "true",
            ]),
        Way(
            status: .commandUnusable, code: "commandUnusable",
            arguments: ["run", "office", "--", "/etc"]),
        Way(
            status: .commandMissing, code: "commandMissing",
            arguments: ["run", "office", "--", "/nonexistent"]),
        Way(
            status: .notPossible, code: "capabilityMissing", arguments: ["start", "office"],
            wrapper: ["setpriv", "--bounding-set", "-net_admin"]),
        Way(status: .notPossible, code: "preferencesUnsafe", arguments: ["status"]) { site in
            chmod("\(site.root)/etc/utunctl/preferences.json", 0o666)
        },
        Way(
            status: .preferencesCorrupt, code: "preferencesCorrupt", arguments: ["start", "office"]
        ) { site in
            try site.write("{}}", to: "etc/utunctl/preferences.json", mode: 0o600)
        },
        Way(status: .conflict, code: "olderGenerationRuns", arguments: ["start", "office"]) {
            site in
            guard try site.utunctl("start", "--wait", "office").status == 0 else {
                throw Unexpected("no start")
            }
            try site.save("office", "interface.mtu=1400")
        },
        Way(status: .conflict, code: "interfaceTaken", arguments: ["start", "office"]) { site in
            try site.save("office", "interface.name=lo")
        },
    ]

    private func run(_ way: Way, _ options: String...) throws -> Command.Result {
        let site = try Installation()
        try site.save("office")
        try way.prepare(site)
        return try Command.run(way.wrapper + site.command(options + way.arguments))
    }

    @Test(arguments: ways)
    func anErrorInWordsIsOnStandardErrorAlone(way: Way) throws {
        let result = try run(way)
        #expect(result.status == way.status.rawValue, "\(result)")
        guard let code = way.code else {
            #expect(!result.output.isEmpty, "\(result)")
            return
        }
        let isList = code == "preferencesUnsafe"
        #expect(result.output.isEmpty || isList, "\(result)")
        let lines = result.errors.split(separator: "\n")
        #expect((1...2).contains(lines.count), "\(result)")
        #expect(lines.first?.hasPrefix("utunctl: ") == true, "\(result)")
        if way.status != .usage { #expect(!result.errors.contains("NAME"), "\(result)") }
    }

    @Test(arguments: ways)
    func inJSONThereIsOneObjectWithTheSameStatus(way: Way) throws {
        let result = try run(way, "--json")
        #expect(result.status == way.status.rawValue, "\(result)")
        #expect(result.output.split(separator: "\n").count == 1, "\(result)")
        let answer = try Installation.parse(result.output)
        #expect(answer["formatVersion"] == .integer(1))
        guard let code = way.code else {
            #expect(answer["error"] == nil)
            return
        }
        let error = try #require(answer["error"]?.object)
        #expect(error.keys == ["code", "exitStatus", "text", "hint"])
        #expect(error["code"] == .string(code))
        #expect(error["exitStatus"] == .integer(Int64(way.status.rawValue)))
        let text = try #require(error["text"]?.string)
        #expect(result.errors.contains(text), "\(result)")
        if let hint = error["hint"]?.string, way.status != .usage {
            #expect(!hint.contains("NAME"), "\(result)")
        }
    }

    @Test(arguments: [(SIGINT, ExitStatus.interrupted), (SIGTERM, .terminated)])
    func aSignalEndsTheWaitOnly(signal: CInt, status: ExitStatus) throws {
        for json in [[], ["--json"]] {
            let site = try Installation()
            try site.save("office", "providerConfiguration.hangOnStart=true")
            let wait = try Command(site.command(json + ["start", "--wait", "office"]))
            #expect(
                try eventually { try site.status("office")["status"] == .string("connecting") })
            // Until it waits, the signal would end the program as it ends any other.
            usleep(100_000)
            wait.signal(signal)
            let result = try wait.finish(seconds: 5)
            #expect(result.status == status.rawValue, "\(result)")
            #expect(result.errors.contains("the tunnel goes on by itself"), "\(result)")
            #expect(try site.utunctl("status", "office").status == 5)
        }
    }

    @Test func everyStatusIsReached() {
        // What the session host ends with says more than one error: ForegroundTests.
        let elsewhere: Set<ExitStatus> = [.interrupted, .terminated, .failedForGood]
        let reached = Set(Self.ways.map(\.status)).union(elsewhere)
        #expect(reached == Set(ExitStatus.allCases))
    }
}
