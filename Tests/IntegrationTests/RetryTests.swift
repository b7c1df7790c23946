import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// `start --wait --retries`, and what long waits say meanwhile.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct RetryTests {
    private let failing = #"providerConfiguration.fail={"code": "serverNotResponding"}"#

    /// What tells of tries: the log of the session is begun anew by each of them.
    private func tries(_ result: Command.Result) -> [String] {
        result.errors.split(separator: "\n").filter { $0.contains(": try ") }.map(String.init)
    }

    @Test func whatFailsIsTriedAsOftenAsWasSaid() throws {
        let site = try Installation()
        try site.save("office", failing)
        let start = try site.utunctl("start", "--wait", "--retries", "2", "office")
        #expect(start.status == 6, "\(start)")
        let what = "serverNotResponding: as providerConfiguration.fail asks"
        #expect(
            tries(start) == [
                "utunctl: office: try 1 of 3 failed: \(what); the next one in 1 s",
                "utunctl: office: try 2 of 3 failed: \(what); the next one in 2 s",
            ])
        #expect(start.output.isEmpty)
        #expect(try eventually { try site.hasNoProcess() })
    }

    @Test func aTryThatConnectsIsEnough() throws {
        let site = try Installation()
        try site.save("office", failing)
        let start = try site.start("start", "--wait", "--retries", "9", "--json", "office")
        #expect(try eventually { try start.errorsSoFar.contains("try 1 of 10 failed") })
        // What is saved meanwhile is what is started next.
        #expect(
            try site.utunctl("save", "office", "--unset", "providerConfiguration.fail").status == 0)
        let result = try start.finish(seconds: 20)
        #expect(result.status == 0, "\(result)")
        #expect(tries(result).count == 1)
        #expect(result.json?["status"] == .string("connected"))
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test(arguments: ["authenticationFailed", "serverCertificateExpired"])
    func whatNoTryMendsIsNotTriedAgain(code: String) throws {
        let site = try Installation()
        try site.save("office", #"providerConfiguration.fail={"code": "\#(code)"}"#)
        let start = try site.utunctl("start", "--wait", "--retries", "5", "office")
        #expect(start.status == 6, "\(start)")
        #expect(tries(start).isEmpty)
    }

    @Test(arguments: [("enabled=false", Int32(7)), ("interface.name=lo", Int32(12))])
    func aRefusalIsNotTriedAgain(setting: String, status: Int32) throws {
        let site = try Installation()
        try site.save("office", setting)
        let start = try site.utunctl("start", "--wait", "--retries", "5", "office")
        #expect(start.status == status, "\(start)")
        #expect(tries(start).isEmpty)
    }

    @Test func theTimeOfAllTriesIsBounded() throws {
        let site = try Installation()
        try site.save("office", failing)
        let start = try site.utunctl(
            "start", "--wait", "--retries", "1000", "--timeout", "1500ms", "office")
        // The pause before the third try does not fit into it.
        #expect(start.status == 6, "\(start)")
        #expect(tries(start).count <= 2)
    }

    @Test func aSignalEndsThePauseToo() throws {
        let site = try Installation()
        try site.save("office", failing)
        let start = try site.start("start", "--wait", "--retries", "9", "office")
        #expect(try eventually { try start.errorsSoFar.contains("try 1 of 10") })
        start.signal(SIGINT)
        let result = try start.finish(seconds: 10)
        #expect(result.status == 130, "\(result)")
        #expect(try eventually { try site.hasNoProcess() })
    }

    @Test func runTriesAgainToo() throws {
        let site = try Installation()
        try site.save("office", failing)
        let run = try site.start("run", "office", "--retries", "5", "--", "echo", "ran")
        #expect(try eventually { try run.errorsSoFar.contains("try 1 of 6 failed") })
        #expect(
            try site.utunctl("save", "office", "--unset", "providerConfiguration.fail").status == 0)
        let result = try run.finish(seconds: 20)
        #expect(result.status == 0, "\(result)")
        #expect(result.output == "ran\n")
        #expect(try site.word("office") == "disconnected")
    }
}
