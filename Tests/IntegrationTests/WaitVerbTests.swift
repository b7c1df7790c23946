import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

@testable import Commands

/// `wait`: each condition is waited for, and what stands in its way is told.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct WaitVerbTests {
    /// A wait that has found that there is something to wait for, which it says.
    private func waiting(_ site: Installation, _ arguments: String...) throws -> Command {
        let wait = try Command(site.command(["wait", "office"] + arguments))
        guard try eventually({ try wait.errorsSoFar.contains(", waiting for ") }) else {
            throw Unexpected("it does not wait: \(try wait.finish(seconds: 1))")
        }
        return wait
    }

    private func saved(_ settings: String...) throws -> Installation {
        let site = try Installation()
        try site.save("office")
        for setting in settings { try site.save("office", setting) }
        return site
    }

    @Test(arguments: ["connected", "address", "handshake"])
    func whatIsSoAlreadyIsNotWaitedFor(condition: String) throws {
        let site = try saved()
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let wait = try site.utunctl("wait", "office", "--for", condition, "--json")
        #expect(wait.status == 0, "\(wait)")
        #expect(wait.errors.isEmpty)
        let identifier = try site.identifier(of: "office")
        #expect(
            wait.output == """
                {"formatVersion":1,"name":"office","identifier":"\(identifier)",\
                "for":"\(condition)","status":"connected"}

                """)
    }

    @Test(arguments: ["connected", "address", "handshake"])
    func aTunnelThatDoesNotRunYetIsWaitedFor(condition: String) throws {
        let site = try saved()
        let wait = try waiting(site, "--for", condition)
        #expect(try site.utunctl("start", "office").status == 0)
        let result = try wait.finish(seconds: 10)
        #expect(result.status == 0, "\(result)")
        #expect(result.output.hasPrefix("office: connected"))
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test func theRuntimeDirectoryMayComeLater() throws {
        let site = try saved()
        #expect(try Command.run(["rm", "-rf", "\(site.root)/run"]).status == 0)
        let wait = try waiting(site)
        #expect(try site.utunctl("start", "office").status == 0)
        #expect(try wait.finish(seconds: 10).status == 0)
    }

    @Test func aWaitCostsNothingWhileNothingHappens() throws {
        let site = try saved()
        let wait = try waiting(site)
        let process = RunningProcess(pid: wait.pid)
        let before = try #require(process.sleeps)
        usleep(500_000)
        #expect(try #require(process.sleeps) - before <= 2)
        wait.signal(SIGTERM)
        #expect(try wait.finish(seconds: 5).status == 143)
    }

    @Test func nothingThatRunsIsLessThanATimeThatIsUp() throws {
        let site = try saved()
        let nothing = try site.utunctl("wait", "office", "--timeout", "300ms", "--json")
        #expect(nothing.status == 3, "\(nothing)")
        #expect(nothing.json?["error"]?.object?["code"] == .string("notRunning"))
        try site.save("office", "providerConfiguration.hangOnStart=true")
        #expect(try site.utunctl("start", "office").status == 0)
        let hanging = try site.utunctl("wait", "office", "--timeout", "300ms", "--json")
        #expect(hanging.status == 9, "\(hanging)")
        #expect(hanging.json?["error"]?.object?["code"] == .string("timedOut"))
        #expect(hanging.errors.contains("(connecting)"))
    }

    // At once is sooner than anybody looks: of such a session there is its record.
    @Test(arguments: [0, 100])
    func aFailureThatIsSeenEndsTheWait(milliseconds: Int) throws {
        let site = try saved(
            "providerConfiguration.hangOnStart=true",
            #"providerConfiguration.fail={"code": "serverNotResponding", "after": \#(milliseconds)}"#
        )
        let wait = try waiting(site)
        #expect(try site.utunctl("start", "office").status == 0)
        let result = try wait.finish(seconds: 10)
        #expect(result.status == 6, "\(result)")
        #expect(result.errors.contains("serverNotResponding"))
    }

    @Test func aFailureOfBeforeIsHistory() throws {
        let site = try saved(#"providerConfiguration.fail={"code": "serverNotResponding"}"#)
        #expect(try site.utunctl("start", "--wait", "office").status == 6)
        let result = try site.utunctl("wait", "office", "--timeout", "300ms")
        #expect(result.status == 3, "\(result)")
    }

    @Test func aRestartIsNoEnd() throws {
        let site = try saved("providerConfiguration.hangOnStart=true")
        #expect(try site.utunctl("start", "office").status == 0)
        let wait = try waiting(site)
        try site.save("office", "providerConfiguration.hangOnStart=false")
        #expect(try site.utunctl("restart", "office").status == 0)
        let result = try wait.finish(seconds: 10)
        #expect(result.status == 0, "\(result)")
    }

    @Test func aStopThatWasUnderWayBeforeIsNone() throws {
        let site = try saved("providerConfiguration.ignoreStop=true", "stopTimeout=1")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.utunctl("stop", "--no-wait", "office").status == 0)
        #expect(try site.word("office") == "disconnecting")
        let wait = try Command(site.command(["wait", "office"]))
        // It has begun to wait when the session that is stopped is the only one that it can see.
        #expect(eventually { RunningProcess(pid: wait.pid).sleeps ?? 0 > 0 })
        #expect(try site.utunctl("start", "office").status == 0)
        let result = try wait.finish(seconds: 10)
        #expect(result.status == 0, "\(result)")
    }

    @Test func aStopIsAnEnd() throws {
        let site = try saved("providerConfiguration.hangOnStart=true")
        #expect(try site.utunctl("start", "office").status == 0)
        let wait = try waiting(site)
        #expect(try site.utunctl("stop", "office").status == 0)
        let result = try wait.finish(seconds: 10)
        #expect(result.status == 6, "\(result)")
        #expect(result.errors.contains("stoppedByUser"))
    }

    @Test func aKilledSessionHostIsAnEnd() throws {
        let site = try saved("providerConfiguration.hangOnStart=true")
        #expect(try site.utunctl("start", "office").status == 0)
        let wait = try waiting(site)
        let host = try #require(
            RunningProcess.all(with: "--root=\(site.root) ").first, "no session host")
        #expect(kill(host.pid, SIGKILL) == 0)
        let result = try wait.finish(seconds: 10)
        #expect(result.status == 6, "\(result)")
        #expect(result.errors.contains("sessionHostCrashed"))
    }

    // MARK: disconnected

    @Test func whatDoesNotRunIsDisconnected() throws {
        let site = try saved()
        let result = try site.utunctl("wait", "office", "--for", "disconnected")
        #expect(result.status == 0)
        #expect(result.output == "office: disconnected\n")
    }

    @Test func disconnectedIsSaidWhenNothingIsLeft() throws {
        let site = try saved()
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let wait = try waiting(site, "--for", "disconnected")
        #expect(try site.utunctl("stop", "--no-wait", "office").status == 0)
        let result = try wait.finish(seconds: 10)
        #expect(result.status == 0, "\(result)")
        #expect(try Kernel.tunnels().isEmpty)
        // Without the configuration, and by its former name, there is nothing to wait for.
        #expect(try site.utunctl("remove", "office").status == 0)
        #expect(try site.utunctl("wait", "office", "--for", "disconnected").status == 4)
    }

    @Test func whatStillRunsIsToldWhenTheTimeIsUp() throws {
        let site = try saved()
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let result = try site.utunctl(
            "wait", "office", "--for", "disconnected", "--timeout", "100ms")
        #expect(result.status == 9, "\(result)")
        #expect(try site.utunctl("status", "office").status == 0)
    }

    @Test func aSessionWithoutItsFilesStillRuns() throws {
        let site = try saved()
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try Command.run(["rm", "-rf", "\(site.root)/run"]).status == 0)
        let result = try site.utunctl(
            "wait", "office", "--for", "disconnected", "--timeout", "100ms")
        #expect(result.status == 9, "\(result)")
    }

    // MARK: address, handshake, traffic

    @Test func anAddressThatIsStillLookedForElsewhereIsNotUsableYet() throws {
        // A TUN has no neighbours that could have the address: this is a link that has.
        let commands = """
            ip link add veth-w type veth peer name veth-x
            ip link set veth-x up
            ip link set veth-w up
            sysctl -qw net.ipv6.conf.veth-w.accept_dad=1
            ip address add fd00:9::1/64 dev veth-w
            ip -o link show dev veth-w | cut -d: -f1
            """
        let made = try Command.run(["sh", "-ec", commands])
        defer { _ = try? Command.run(["ip", "link", "delete", "veth-w"]) }
        let index = try #require(Int(made.output.filter(\.isNumber)), "\(made)")
        var report = SessionReport(
            configuration: Configuration(identifier: "", name: "office"), attempt: "",
            origin: .user, status: .connected, started: Timestamp(microseconds: 0),
            networkNamespace: Directory.linkTarget("/proc/self/ns/net") ?? "", hostPID: getpid(),
            interface: SessionReport.Interface(name: "veth-w", index: index, mtu: 1500))
        report.addresses = [try #require(IPPrefix("fd00:9::1/64"))]
        let watch = try AddressWatch.of(report)
        #expect(try !watch.areUsable())
        let events = [(watch.descriptor, EventLoop.Interest.readable)]
        #expect(
            try eventually(seconds: 10) {
                // Told, and not found by looking again and again.
                try !LineClient.wait(for: events, until: .after(milliseconds: 5000)).isEmpty
                    && watch.areUsable()
            })
        report.addresses.append(try #require(IPPrefix("fd00:9::2/64")))
        #expect(try !AddressWatch.of(report).areUsable())
    }

    @Test func ofASilentSessionHostNothingIsClaimed() throws {
        let site = try saved()
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let host = try #require(try RunningProcess(providerOf: site, "office").parent)
        #expect(kill(host.pid, SIGSTOP) == 0)
        defer { kill(host.pid, SIGCONT) }
        for condition in ["connected", "address", "handshake"] {
            let result = try site.utunctl(
                "wait", "office", "--for", condition, "--timeout", "200ms")
            #expect(result.status == 9, "\(result)")
            #expect(result.errors.contains("(unknown)"))
        }
    }

    @Test func anOldProofIsNone() throws {
        // The provider tells of an hour ago, which was not this session.
        let site = try saved("providerConfiguration.stalePeer=3600")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let result = try site.utunctl(
            "wait", "office", "--for", "handshake", "--timeout", "700ms")
        #expect(result.status == 9, "\(result)")
        #expect(result.errors.contains("no proof from the far end"))
    }

    @Test func trafficIsWhatComesAndNotWhatHasCome() throws {
        let site = try saved(#"providerConfiguration.addresses=["10.98.7.1/30"]"#)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let ping = ["ping", "-c", "1", "-W", "2", "10.98.7.2"]
        #expect(try Command.run(ping).status == 0)
        let silent = try site.utunctl("wait", "office", "--for", "traffic", "--timeout", "700ms")
        #expect(silent.status == 9, "\(silent)")
        let wait = try waiting(site, "--for", "traffic")
        #expect(try Command.run(ping).status == 0)
        let result = try wait.finish(seconds: 10)
        #expect(result.status == 0, "\(result)")
    }

    @Test(arguments: ["address", "traffic"])
    func aTunnelInANamespaceOfItsOwnIsLookedAtThere(condition: String) throws {
        let site = try saved(#"providerConfiguration.addresses=["10.98.7.1/30"]"#)
        let name = "wait-\(condition)"
        #expect(try Command.run(["ip", "netns", "add", name]).status == 0)
        defer { _ = try? Command.run(["ip", "netns", "delete", name]) }
        try site.save("office", "interface.networkNamespace=\(name)")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let wait = try Command(site.command(["wait", "office", "--for", condition]))
        let ping = ["ip", "netns", "exec", name, "ping", "-c", "20", "-i", "0.1", "10.98.7.2"]
        #expect(try Command.run(ping).status == 0)
        let result = try wait.finish(seconds: 10)
        #expect(result.status == 0, "\(result)")
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test(arguments: [(SIGINT, Int32(130)), (SIGTERM, Int32(143))])
    func aSignalEndsTheWaitAndNothingElse(signal: CInt, status: Int32) throws {
        let site = try saved("providerConfiguration.hangOnStart=true")
        #expect(try site.utunctl("start", "office").status == 0)
        let wait = try waiting(site)
        wait.signal(signal)
        let result = try wait.finish(seconds: 5)
        #expect(result.status == status, "\(result)")
        #expect(result.output.isEmpty)
        #expect(try site.word("office") == "connecting")
    }
}
