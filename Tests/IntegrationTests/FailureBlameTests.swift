import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

/// A failure of a provider is told alike by everything that tells of it, with whose it is.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct FailureBlameTests {
    static let codes = DisconnectCode.allCases.filter(\.mayComeFromProvider)

    /// A provider that fails as `--option` says, once its settings are in force.
    private func site() throws -> Installation {
        let site = try Installation()
        try site.installProbe(
            """
            options = start["options"]
            say("failed", code=options["code"], text="canary of the provider")
            sys.exit()
            """)
        try site.save("office", "provider=\(ProbeProvider.identifier)")
        return site
    }

    private func start(_ site: Installation, _ code: DisconnectCode, json: Bool) throws
        -> Command.Result
    {
        try Command.run(
            site.command(
                (json ? ["--json"] : []) + [
                    "start", "--wait", "office", "--option", "code=\(code.rawValue)",
                ]))
    }

    @Test(arguments: codes)
    func theCodeOfTheProviderIsCarriedToEverybody(code: DisconnectCode) throws {
        let site = try site()
        let watches = try [["--json"], []].map { options in
            let watch = try Command(site.command(["status", "--watch"] + options))
            _ = try watch.output(until: "office")
            return watch
        }
        let summary = "\(code.rawValue): canary of the provider"
        let now = Timestamp(microseconds: Clock.wallMicroseconds)
        let remedy = code.remedy(at: now, floor: nil)

        let json = try start(site, code, json: true)
        #expect(json.status == 6, "\(json)")
        let error = try #require(Installation.parse(json.output)["error"]?.object)
        #expect(error["code"] == .string(code.rawValue))
        #expect(error["exitStatus"] == .integer(6))
        #expect(error["text"]?.string?.hasSuffix(summary) == true, "\(json)")
        #expect(error["hint"] == remedy.map { .string($0) } ?? .null)
        let words = try start(site, code, json: false)
        #expect(words.status == 6)
        // What somebody wanted is no failure, even where it is not what the start wanted.
        let what = code.wasAskedFor ? "was ended" : "failed"
        #expect(
            words.errors == "utunctl: start office: the tunnel \(what): \(summary)\n"
                + (remedy.map { "\($0)\n" } ?? ""))

        let last = try #require(site.status("office")["lastDisconnect"]?.object)
        #expect(last["code"] == .string(code.rawValue))
        #expect(last["kind"] == .string(code.kind.rawValue))
        #expect(last["hint"] == code.hint.map { .string($0) } ?? .null)
        let text = try site.utunctl("status", "office").output
        #expect(text.contains(summary), "\(text)")
        #expect(text.contains(remedy ?? summary), "\(text)")
        let log = site.log(of: "office")
        #expect(log.contains("disconnected: \(summary)"), "\(log)")
        #expect(log.contains(remedy ?? summary), "\(log)")

        let lines = try watches.map { watch in
            _ = try eventually { try watch.output(until: "\n", seconds: 0).contains(summary) }
            watch.signal(SIGINT)
            return try watch.finish(seconds: 5).output.split(separator: "\n").map { String($0) }
        }
        let told = try lines[0].map { try Installation.parse($0) }.last {
            $0.value("lastDisconnect.code") == .string(code.rawValue)
        }
        #expect(told?.value("lastDisconnect.kind") == .string(code.kind.rawValue))
        #expect(told?.value("lastDisconnect.hint") == code.hint.map { .string($0) } ?? .null)
        let word = lines[1].last { $0.contains("office: disconnected") } ?? ""
        #expect(word.contains("| \(summary)"), "\(lines[1])")
        if let remedy { #expect(word.contains("| \(remedy)"), "\(lines[1])") }
    }

    @Test func aCodeThatIsNotTheProvidersIsABreachOfTheProtocol() throws {
        let site = try site()
        for code in [DisconnectCode.stoppedByUser, .providerCrashed, .startTimedOut] {
            let start = try start(site, code, json: true)
            let error = try #require(Installation.parse(start.output)["error"]?.object)
            #expect(error["code"] == .string("providerProtocolError"), "\(start)")
            #expect(error["hint"]?.string?.hasPrefix("provider: report it") == true, "\(start)")
        }
    }
}
