import JSON
import TestSupport
import Testing
import TunnelModel

@testable import Commands

/// What waits are made of, and what their command lines refuse.
@Suite struct WaitOptionTests {
    private let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider()
        _ = try root.run(["save", "office"])
    }

    // MARK: Retries

    @Test func pausesGrowAndStopGrowing() {
        let pauses = (1...9).map { WaitLimits.pauseSeconds(before: $0) }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, 30, 30])
        #expect(WaitLimits.pauseSeconds(before: .max) == 30)
    }

    @Test func theTotalIsBounded() {
        #expect(WaitLimits(given: nil, each: 65_000, retries: 0).total == 65_000)
        #expect(WaitLimits(given: nil, each: 10_000, retries: 3).total == 47_000)
        // What is given is for all tries together.
        #expect(WaitLimits(given: 5000, each: 5000, retries: 1000).total == 5000)
    }

    @Test func onlyWhatMayPassByItselfIsTriedAgain() {
        let never = DisconnectCode.allCases.filter { !$0.mayPassByItself }
        #expect(never.allSatisfy { [.user, .authentication, .trust].contains($0.kind) })
        #expect(never.contains(.stoppedByUser) && never.contains(.authenticationFailed))
        #expect(DisconnectCode.serverNotResponding.mayPassByItself)
        #expect(DisconnectCode.providerCrashed.mayPassByItself)
    }

    @Test(arguments: [
        ["start", "office", "--retries", "2"], ["restart", "office", "--retries", "2"],
        ["start", "office", "--wait", "--retries", "-1"],
        ["start", "office", "--wait", "--retries", "many"],
        ["start", "office", "--wait", "--retries", "1001"],
        ["start", "office", "--foreground", "--retries", "1"],
        ["wait", "office", "--for", "coffee"], ["wait", "office", "--timeout", "soon"],
        ["wait"], ["wait", "office", "home"], ["run", "office"], ["run"],
        ["rename", "office"], ["rename", "office", "a", "b"],
    ])
    func aMistakeIsUsage(arguments: [String]) throws {
        let result = try root.run(arguments)
        #expect(result.status == 2, "\(result)")
        #expect(result.output.isEmpty)
    }

    @Test func aMistypedConditionIsGuessed() throws {
        let result = try root.run(["wait", "office", "--for", "handshak"])
        #expect(result.errors.contains("did you mean handshake?"), "\(result)")
    }

    // MARK: wait

    @Test func whatIsNotSavedIsNotWaitedFor() throws {
        for condition in WaitCondition.allCases {
            let result = try root.run(["wait", "offcie", "--for", condition.rawValue])
            #expect(result.status == 4, "\(result)")
        }
    }

    @Test func whatMayNotRunIsNotWaitedFor() throws {
        _ = try root.run(["save", "office", "--set", "enabled=false"])
        let result = try root.run(["wait", "office"])
        #expect(result.status == 3, "\(result)")
        #expect(result.errors.hasSuffix("utunctl save office --set enabled=true\n"))
    }

    @Test func proofIsOfThisSession() {
        let configuration = Configuration(identifier: "", name: "office")
        let started = Timestamp(microseconds: 1000)
        var report = SessionReport(
            configuration: configuration, attempt: "", origin: .user, status: .connected,
            started: started, networkNamespace: "", hostPID: 1,
            interface: SessionReport.Interface(name: "utun0", index: 1, mtu: 1500))
        #expect(!report.hasProof)
        report.providerReport = ProviderReport()
        #expect(!report.hasProof)
        report.providerReport?.lastVerified = Timestamp(microseconds: 999)
        #expect(!report.hasProof)
        report.providerReport?.lastVerified = started
        #expect(report.hasProof)
        report.providerReport?.lastVerified = nil
        var peer = JSONObject()
        peer["name"] = .string("gateway")
        peer["lastHandshake"] = .string(Timestamp(microseconds: 2000).text)
        report.providerReport?.details["peers"] = .array([.object(peer)])
        #expect(report.hasProof)
    }

    private func link(_ index: Int, received: UInt64) -> KernelReading.Link {
        var counters = InterfaceCounters()
        counters.receivedBytes = received
        return KernelReading.Link(
            name: "utun0", index: index, mtu: 1500, isUp: true, hasCarrier: true,
            counters: counters)
    }

    /// What each of some readings says, one after the other.
    private func growth(_ links: KernelReading.Link?...) -> [Bool] {
        var received = ReceivedSince()
        return links.map { received.hasGrown($0) }
    }

    @Test func onlyWhatComesSinceTheBeginningIsTraffic() {
        #expect(
            growth(link(7, received: 5000), link(7, received: 5000), link(7, received: 5001))
                == [false, false, true])
        // Of an interface that is new, all has come since.
        #expect(growth(nil, link(8, received: 84)) == [false, true])
        #expect(
            growth(
                link(7, received: 5000), nil, link(8, received: 0), link(8, received: 1))
                == [false, false, false, true])
    }

    // MARK: run

    @Test func aSuccessThatIsNotToBeTrustedIsNone() {
        let loss = DisconnectReason(.serverNotResponding, "")
        let failure = Failure(.failure, "partlyCleaned", "")
        #expect(RunResult(command: 0).exitStatus == 0)
        #expect(RunResult(command: 0, loss: loss).exitStatus == 6)
        #expect(RunResult(command: 0, stopFailure: failure).exitStatus == 1)
        #expect(RunResult(command: 0, loss: loss, stopFailure: failure).exitStatus == 6)
        // What the command itself says goes before all of it.
        #expect(RunResult(command: 7, loss: loss, stopFailure: failure).exitStatus == 7)
        #expect(RunResult(command: 137).exitStatus == 137)
    }

    @Test(arguments: [
        ("nosuchcommand", 127, "commandMissing"), ("/nonexistent/x", 127, "commandMissing"),
        ("", 127, "commandMissing"), ("/etc/passwd", 126, "commandUnusable"),
        ("/etc", 126, "commandUnusable"),
    ])
    func aCommandThatCannotBeRunStartsNothing(command: String, status: Int32, code: String) throws {
        let result = try root.run(["--json", "run", "office", "--", command])
        #expect(result.status == status, "\(result)")
        let error = result.json?["error"]?.object
        #expect(error?["code"] == .string(code))
        #expect(error?["exitStatus"] == .integer(Int64(status)))
        #expect(result.errors.hasPrefix("utunctl: run office: "))
        #expect(!root.contents.contains { $0.hasPrefix("/run/utunctl/") })
    }

    // MARK: Progress

    @Test func aLineFitsIntoItsTerminal() {
        func line(_ columns: Int, _ seconds: Int64? = 42) -> String {
            WaitProgress.line(
                "office: connecting", secondsLeft: seconds, columns: columns, cutMark: "…")
        }
        #expect(line(80) == "office: connecting, 42 s left")
        #expect(line(80, nil) == "office: connecting")
        #expect(line(30) == "office: connecting, 42 s left")
        #expect(line(29) == "office: connect…, 42 s left" || line(29).count == 28)
        // Not cut off at its end, which is what changes.
        #expect(line(20).hasSuffix(", 42 s left"))
        for columns in 0...40 { #expect(line(columns).count <= max(columns - 1, 0)) }
        #expect(
            WaitProgress.line("a\u{1B}[2Jb", secondsLeft: nil, columns: 80, cutMark: "~")
                .unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }
}
