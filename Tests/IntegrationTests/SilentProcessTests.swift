import Glibc
import JSON
import TestSupport
import Testing

/// Processes that live and do not answer.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct SilentProcessTests {
    private func expectSilence(of warning: String, in site: Installation) throws {
        let (result, time) = try timed { try site.utunctl("status", "--json", "office") }
        #expect(time < aSecond)
        #expect(result.status == 5)
        let tunnel = try Installation.parse(result.output)["tunnels"]?.array?.first?.object
        #expect(tunnel?["status"] == .string("unknown"))
        let codes = tunnel?["warnings"]?.array?.compactMap { $0.object?["code"]?.string }
        #expect(codes == [warning])
    }

    @Test func aProviderThatAnswersNoQueryLeavesTheTruthUnknown() throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.silent=true")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try expectSilence(of: "providerSilent", in: site)
        let status = try site.status("office")
        #expect(status["interface"]?.object?["name"] == .string("utun0"))
        #expect(status["counters"]?.object?["estimate"] == .bool(true))
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func aStoppedProviderProcessIsSilentAndGoesByForce() throws {
        let site = try Installation()
        try site.save("office", "stopTimeout=1")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let provider = try site.livingProvider(of: "office")
        kill(provider, SIGSTOP)
        try expectSilence(of: "providerSilent", in: site)
        let stop = try site.utunctl("stop", "office")
        #expect(stop.status == 0)
        #expect(stop.errors.contains("a process had to be killed"), "\(stop.errors)")
        #expect(!Processes.isAlive(provider))
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test(arguments: ["connected", "connecting"])
    func aStoppedHostProcessIsSilentAndGoesByForce(in state: String) throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.hangOnStart=\(state == "connecting")")
        #expect(try site.utunctl("start", "office").status == 0)
        #expect(try eventually { try site.word("office") == state })
        let host = try site.livingHost(of: "office")
        kill(host, SIGSTOP)
        try expectSilence(of: "sessionHostSilent", in: site)
        #expect(try site.utunctl("start", "office").status == 12)
        let (stop, time) = try timed { try site.utunctl("stop", "--json", "office") }
        #expect(stop.status == 0, "\(stop)")
        let stopped = try Installation.parse(stop.output)["stopped"]?.array?.first?.object
        #expect(stopped?["forced"] == .bool(true))
        #expect(time < 5)
        #expect(try Kernel.tunnels().isEmpty)
        #expect(try eventually { try site.hasNoProcess() })
        #expect(try site.lastDisconnect("office").code == "stoppedByUser")
        #expect(try site.utunctl("start", "office").status == 0)
    }

    @Test func aProviderThatIgnoresStopIsKilledAndThatIsSaid() throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.ignoreStop=true", "stopTimeout=1")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let provider = try site.livingProvider(of: "office")
        let stop = try site.utunctl("stop", "--json", "office")
        #expect(stop.status == 0, "\(stop)")
        #expect(stop.errors.contains("a process had to be killed"), "\(stop.errors)")
        let stopped = try Installation.parse(stop.output)["stopped"]?.array?.first?.object
        #expect(stopped?["forced"] == .bool(true))
        #expect(!Processes.isAlive(provider))
        #expect(try site.lastDisconnect("office").code == "stoppedByUser")
    }

    @Test func aSilentHostHoldsUpTheStatusOfNobodyElse() throws {
        let site = try Installation()
        try site.save("office")
        try site.save("other")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.utunctl("start", "--wait", "other").status == 0)
        kill(try site.livingHost(of: "office"), SIGSTOP)
        let time = try timed { try site.utunctl("status", "other").status }
        #expect(time.result == 0 && time.seconds < 0.5)
        let all = try timed { try site.utunctl("status").status }
        #expect(all.result == 0 && all.seconds < aSecond)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("status", "other").status == 0)
    }

    @Test func aSocketThatLeadsNowhereCostsNoTime() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try site.word("office") == "disconnected" })
        let time = try timed { try site.utunctl("status", "office").status }
        #expect(time.result == 3 && time.seconds < 0.5)
    }
}
