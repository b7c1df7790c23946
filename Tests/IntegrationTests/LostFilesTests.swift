import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// The files of a session are deleted while it runs: the kernel still knows the truth.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct LostFilesTests {
    private func run(_ site: Installation, _ settings: String...) throws -> (
        host: Int32, provider: Int32
    ) {
        let edits = settings.flatMap { ["--set", $0] }
        #expect(try Command.run(site.command(["save", "office"] + edits)).status == 0)
        #expect(try site.utunctl("start", "office").status == 0)
        #expect(try eventually { try site.status("office")["provider"]?.object?["pid"] != .null })
        return (try site.livingHost(of: "office"), try site.livingProvider(of: "office"))
    }

    private func expectUnreachable(_ site: Installation) throws {
        #expect(try site.utunctl("status", "office").status == 5)
        #expect(try site.word("office") == "unknown")
        #expect(try site.warnings("office") == ["sessionHostUnreachable"])
        let start = try site.utunctl("start", "office")
        #expect(start.status == 12, "\(start)")
        #expect(start.errors.contains("utunctl stop office"), "\(start.errors)")
        #expect(try site.word("office") == "unknown")
    }

    private func expectEnd(_ site: Installation, _ processes: (host: Int32, provider: Int32)) throws
    {
        #expect(!Processes.isAlive(processes.host))
        #expect(eventually { !Processes.isAlive(processes.provider) })
        #expect(try Kernel.tunnels().isEmpty)
        #expect(try site.word("office") == "disconnected")
        #expect(try site.warnings("office").isEmpty)
        #expect(try site.utunctl("start", "--wait", "--timeout=5", "office").status != 12)
    }

    @Test(arguments: [
        "providerConfiguration.hangOnStart=false", "providerConfiguration.hangOnStart=true",
    ])
    func withoutItsRuntimeDirectoryATunnelIsUnknownAndCanBeStopped(_ setting: String) throws {
        let site = try Installation()
        let processes = try run(site, setting)
        _ = try Command.run(["rm", "-rf", "\(site.root)/run/utunctl"])
        try expectUnreachable(site)
        let stop = try site.utunctl("stop", "office")
        #expect(stop.status == 0, "\(stop)")
        #expect(stop.output == "office: stopped\n")
        try expectEnd(site, processes)
    }

    @Test func withoutFilesALinkThatWasSetDownIsNoLeftover() throws {
        let site = try Installation()
        let processes = try run(site)
        #expect(try eventually { try site.word("office") == "connected" })
        _ = try Command.run(["rm", "-rf", "\(site.root)/run/utunctl"])
        try Kernel.ip("link", "set", "utun0", "down")
        #expect(try site.utunctl("repair").status == 0)
        try expectUnreachable(site)
        #expect(Processes.isAlive(processes.host))
        #expect(try site.utunctl("stop", "office").status == 0)
        try expectEnd(site, processes)
    }

    @Test func withoutItsSocketATunnelIsUnknownAndCanBeStopped() throws {
        let site = try Installation()
        let processes = try run(site)
        let identifier = try site.identifier(of: "office")
        try Directory.removeFile("\(site.root)/run/utunctl/\(identifier).sock")
        try expectUnreachable(site)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.lastDisconnect("office").code == "stoppedByUser")
        try expectEnd(site, processes)
    }

    @Test func withoutItsLockATunnelRunsAndStopsAsEver() throws {
        let site = try Installation()
        let processes = try run(site)
        let identifier = try site.identifier(of: "office")
        try Directory.removeFile("\(site.root)/run/utunctl/\(identifier).lock")
        #expect(try eventually { try site.utunctl("status", "office").status == 0 })
        let start = try site.utunctl("start", "office")
        #expect(start.status == 0)
        #expect(start.errors.contains("it runs already"))
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.lastDisconnect("office").code == "stoppedByUser")
        try expectEnd(site, processes)
    }

    @Test func aStoppedHostWithoutFilesGoesByForce() throws {
        let site = try Installation()
        let processes = try run(site, "stopTimeout=1")
        _ = try Command.run(["rm", "-rf", "\(site.root)/run/utunctl"])
        kill(processes.host, SIGSTOP)
        let stop = try site.utunctl("stop", "--timeout=1", "office")
        #expect(stop.status == 0, "\(stop)")
        #expect(stop.errors.contains("a process had to be killed"), "\(stop.errors)")
        try expectEnd(site, processes)
    }

    @Test func aHostThatEndsLateLeavesTheFilesOfItsSuccessor() throws {
        let site = try Installation()
        let former = try run(
            site, "providerConfiguration.ignoreStop=true", "stopTimeout=1")
        _ = try Command.run(["rm", "-rf", "\(site.root)/run/utunctl"])
        try Kernel.ip("link", "delete", "utun0")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(eventually(seconds: 5) { !Processes.isAlive(former.host) })
        #expect(try site.utunctl("status", "office").status == 0)
        #expect(try site.warnings("office").isEmpty)
    }
}
