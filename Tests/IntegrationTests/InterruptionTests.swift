import Glibc
import JSON
import TestSupport
import Testing

/// Waits that are interrupted or take too long, and readers and users with less than root has.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct InterruptionTests {
    private func hanging() throws -> Installation {
        let site = try Installation()
        try site.save("office", "providerConfiguration.hangOnStart=true")
        return site
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func aSignalEndsTheWaitAndNothingElse(signal: CInt, status: Int32) throws {
        let site = try hanging()
        let start = try site.start("start", "--wait", "office")
        #expect(try eventually { try site.word("office") == "connecting" })
        usleep(50_000)
        start.signal(signal)
        let result = try start.finish()
        #expect(result.status == status, "\(result)")
        #expect(result.output.isEmpty)
        #expect(result.errors.contains("the tunnel goes on"), "\(result.errors)")
        #expect(try site.word("office") == "connecting")
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func aSignalInTheMiddleOfAStartLeavesAKnownState() throws {
        for pause: UInt32 in [0, 1000, 3000, 6000, 10_000, 15_000, 25_000] {
            let site = try hanging()
            let start = try site.start("start", "--wait", "office")
            usleep(pause)
            start.signal(SIGINT)
            #expect([130, 128 + SIGINT].contains(try start.finish().status))
            #expect(
                try eventually { ["connecting", "disconnected"].contains(try site.word("office")) })
            #expect(try site.utunctl("stop", "office").status == 0)
            #expect(try Kernel.tunnels().isEmpty)
        }
    }

    @Test func aTimeoutIsKeptAndTheTunnelGoesOn() throws {
        let site = try hanging()
        let (result, time) = try timed {
            try site.utunctl("start", "--wait", "--timeout", "1", "office")
        }
        #expect(result.status == 9, "\(result)")
        #expect(time > 0.5 && time < 1.5)
        #expect(result.errors.contains("it goes on trying"))
        #expect(try site.word("office") == "connecting")
    }

    @Test func orStopLeavesNothing() throws {
        let site = try hanging()
        let before = try Kernel.snapshot()
        let result = try site.utunctl("start", "--wait", "--timeout", "1", "--or-stop", "office")
        #expect(result.status == 9, "\(result)")
        #expect(try Kernel.snapshot() == before)
        #expect(try site.lastDisconnect("office").code == "stoppedByUser")
        #expect(try site.hasNoProcess())
    }

    @Test func theSessionsOwnVerdictComesBeforeTheTimeout() throws {
        let site = try hanging()
        try site.save("office", "startTimeout=1")
        let result = try site.utunctl("start", "--wait", "office")
        #expect(result.status == 6, "\(result)")
        #expect(try site.lastDisconnect("office").code == "startTimedOut")
    }

    @Test(arguments: ["status", "load", "providers", "help", "status --json", "status office"])
    func aReaderThatHasSeenEnoughIsNoCrash(_ verb: String) throws {
        let site = try Installation()
        for number in 0..<30 { try site.save("t\(number)") }
        try site.save("office")
        let program = Installation.built("utunctl")
        // The status of the program itself: the shell's last command is the reader.
        let result = try Command.run([
            "sh", "-c",
            "{ \(program) --root \(site.root) \(verb); echo $? >&2; } | true",
        ])
        let status = Int32(result.errors.split(separator: "\n").last ?? "")
        #expect([0, 1, 3].contains(status), "\(result)")
        #expect(!result.errors.contains("Fatal"))
    }

    @Test func anOutputThatIsFullIsAFailure() throws {
        let site = try Installation()
        try site.save("office")
        let program = Installation.built("utunctl")
        let result = try Command.run([
            "sh", "-c", "\(program) --root \(site.root) status > /dev/full",
        ])
        #expect(result.status == 1, "\(result)")
        #expect(result.errors.contains("No space left"), "\(result.errors)")
    }

    @Test func aUserWithoutPrivilegesIsToldSo() throws {
        let site = try Installation()
        try site.save("office")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        for verb in [
            ["status"], ["status", "office"], ["load"], ["start", "office"],
            ["stop", "office"], ["save", "other"], ["remove", "office"], ["wait", "office"],
            ["run", "office", "--", "true"], ["rename", "office", "home"],
        ] {
            let command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
            let result = try Command.run(command + site.command(["--json"] + verb))
            #expect(result.status == 10, "\(verb): \(result)")
            #expect(result.errors.contains("utunctl: \(verb[0])"), "\(result.errors)")
            #expect(!result.errors.contains("Fatal"))
            let answer = try Installation.parse(result.output)
            #expect(answer["error"]?.object?["exitStatus"] == .integer(10), "\(verb): \(result)")
        }
        for verb in [["help"], ["providers"], ["--version"]] {
            let command = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
            #expect(try Command.run(command + site.command(verb)).status == 0, "\(verb)")
        }
        #expect(try site.utunctl("status", "office").status == 0)
    }
}
