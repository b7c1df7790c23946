import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// `start --foreground`: the session host as a service.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ForegroundTests {
    private func foreground(_ site: Installation, _ notifications: Notifications) throws -> Command
    {
        try site.start(
            "start", "--foreground", "office", environment: ["NOTIFY_SOCKET": notifications.path])
    }

    @Test func readyIsSaidWhenItIsConnectedAndNotBefore() throws {
        let site = try Installation()
        try site.save("office", "providerConfiguration.hangOnStart=true")
        let notifications = try Notifications(site)
        let host = try foreground(site, notifications)
        // The manager is to be as patient as the session: startTimeout, and a stop by force.
        let connecting = ["STATUS=connecting & EXTEND_TIMEOUT_USEC=90000000"]
        #expect(try notifications.heard(until: "TIMEOUT_USEC") == connecting)
        #expect(try site.status("office")["status"] == .string("connecting"))
        #expect(try notifications.heard(until: "READY", seconds: 1) == connecting)
        host.signal(SIGTERM)
        #expect(try host.finish().status == 0)

        try site.save("office", "providerConfiguration.hangOnStart=false")
        let second = try foreground(site, notifications)
        let heard = try notifications.heard(until: "READY=1")
        #expect(heard.last == "STATUS=connected & READY=1", "\(heard)")
        // Whoever waited for that may bind to the address.
        #expect(try site.utunctl("status", "office").status == 0)
        second.signal(SIGTERM)
        #expect(try second.finish().status == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalStopsTheTunnelInOrder(signal: CInt) throws {
        let site = try Installation()
        try site.save("office")
        let before = try Kernel.snapshot()
        let notifications = try Notifications(site)
        let host = try foreground(site, notifications)
        _ = try notifications.heard(until: "READY=1")
        host.signal(signal)
        let result = try host.finish(seconds: 5)
        #expect(result.status == 0, "\(result)")
        #expect(result.output == "office: accepted, NOT connected yet (utun0)\n")
        let heard = try notifications.heard(until: "STATUS=disconnected")
        let stopping = "STOPPING=1 & EXTEND_TIMEOUT_USEC=50000000"
        #expect(heard.contains { $0.hasSuffix(stopping) }, "\(heard)")
        #expect(try Kernel.snapshot() == before)
        let last = try site.status("office")["lastDisconnect"]?.object
        #expect(last?["code"] == .string("stoppedByUser"))
    }

    @Test func aHangUpOfTheTerminalIsNoReasonToStop() throws {
        let site = try Installation()
        try site.save("office")
        let notifications = try Notifications(site)
        let host = try foreground(site, notifications)
        _ = try notifications.heard(until: "READY=1")
        host.signal(SIGHUP)
        #expect(try site.utunctl("status", "office").status == 0)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try host.finish(seconds: 5).status == 0)
    }

    @Test func aFailureIsTheExitStatusOfTheService() throws {
        let site = try Installation()
        try site.save(
            "office", #"providerConfiguration.fail={"code": "authenticationFailed", "after": 50}"#)
        let notifications = try Notifications(site)
        let result = try foreground(site, notifications).finish(seconds: 10)
        #expect(result.status == 13, "\(result)")
        #expect(result.errors.contains("authenticationFailed"))
        let heard = try notifications.heard(until: "STATUS=disconnected")
        #expect(heard.contains { $0.contains("as providerConfiguration.fail asks") }, "\(heard)")
    }

    @Test func aSecondOneIsAConflict() throws {
        let site = try Installation()
        try site.save("office")
        let notifications = try Notifications(site)
        let host = try foreground(site, notifications)
        _ = try notifications.heard(until: "READY=1")
        let attempt = try site.status("office")["attempt"]
        let second = try site.utunctl("start", "--foreground", "office")
        #expect(second.status == 12, "\(second)")
        #expect(second.output.isEmpty)
        #expect(try site.status("office")["attempt"] == attempt)
        #expect(try site.utunctl("start", "office").status == 0)
        host.signal(SIGTERM)
        #expect(try host.finish(seconds: 5).status == 0)
    }

    @Test func aServiceIsNamedAsItsOrigin() throws {
        let site = try Installation()
        try site.save("office")
        let host = try site.start(
            "start", "--foreground", "office", environment: ["INVOCATION_ID": "1"])
        #expect(try eventually { try site.utunctl("status", "office").status == 0 })
        #expect(try site.status("office")["origin"] == .string("systemd"))
        host.signal(SIGTERM)
        #expect(try host.finish(seconds: 5).status == 0)
    }
}
