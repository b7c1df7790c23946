import Glibc
import JSON
import TestSupport
import Testing

/// A tunnel with includeAllNetworks: everything goes by it, or nothing goes anywhere.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct KillSwitchTests {
    /// What happens to a tunnel that runs.
    enum Blow: String, CaseIterable, CustomTestStringConvertible {
        case killedProvider, killedHost, deletedInterface, failedServer

        var testDescription: String { rawValue }
    }

    /// Lets time pass in which a leak would show.
    private func wait(_ milliseconds: UInt32 = 300) { usleep(milliseconds * 1000) }

    @Test func nothingLeavesBesideTheTunnelFromTheAcceptedStartToTheStop() throws {
        let all = try KillSwitchSite()
        let ruleset = try Firewall.ruleset()
        let settings = try Firewall.settings()
        let before = try Kernel.snapshot()
        let chatter = try Chatterer(to: all.unicast + all.multicast)
        #expect(try all.getsOut())
        try all.utunctl("start", all.tunnel.name)
        try all.cable.reset()
        wait()
        #expect(try all.leaks() == "")
        try all.utunctl("start", "--wait", all.tunnel.name)
        let (mode, isPresent) = try all.firewall()
        #expect(mode == "killSwitch" && isPresent == true)
        #expect(try all.site.warnings(all.tunnel.name).isEmpty)
        wait()
        #expect(try all.leaks() == "")
        #expect(try all.cable.count(.tunnel) > 10)
        let ping = try Command.run(["ping", "-c", "2", "-W", "5", KillSwitchSite.beyond[0]])
        #expect(ping.status == 0, "\(ping)")
        let leaks = try all.leaks()
        #expect(leaks == "")
        try all.utunctl("stop", all.tunnel.name)
        #expect(try all.getsOut())
        withExtendedLifetime(chatter) {}
        #expect(try Firewall.ruleset() == ruleset)
        #expect(try Firewall.settings() == settings)
        let after = try Kernel.snapshot()
        #expect(after == before)
    }

    @Test(arguments: Blow.allCases)
    func nothingLeavesAfter(blow: Blow) throws {
        let all = try KillSwitchSite("startTimeout=3")
        let chatter = try Chatterer(to: all.unicast + all.multicast)
        let name = all.tunnel.name
        if blow != .failedServer {
            try all.tunnel.connect()
        } else {
            all.interop.far.stop()
            try all.utunctl("start", name)
        }
        try all.cable.reset()
        switch blow {
        case .killedProvider: kill(all.tunnel.pid, SIGKILL)
        case .killedHost: kill(try all.site.livingHost(of: name), SIGKILL)
        case .deletedInterface: try Kernel.ip("link", "delete", all.tunnel.interface)
        case .failedServer: break
        }
        let isDown = try eventually(seconds: 20) { try all.tunnel.word == "disconnected" }
        #expect(isDown)
        wait()
        #expect(try all.leaks() == "")
        let (mode, isPresent) = try all.firewall()
        #expect(mode == "blocked" && isPresent == true)
        let status = try all.site.utunctl("status", name)
        #expect(status.status == 3, "\(status)")
        #expect(status.output.contains("utunctl stop \(name)"), "\(status)")
        // What a repair clears is not the block.
        _ = try all.site.utunctl("repair")
        wait(100)
        #expect(try all.leaks() == "")
        try all.utunctl("stop", name)
        #expect(try all.getsOut())
        #expect(try Firewall.tables().isEmpty)
        #expect(try Kernel.tunnelRules().isEmpty)
        withExtendedLifetime(chatter) {}
    }

    @Test func aRestartLetsNothingOut() throws {
        let all = try KillSwitchSite()
        let chatter = try Chatterer(to: all.unicast + all.multicast)
        try all.tunnel.connect()
        try all.cable.reset()
        for _ in 0..<3 { try all.utunctl("restart", "--wait", all.tunnel.name) }
        #expect(try all.leaks() == "")
        #expect(try all.firewall().mode == "killSwitch")
        // The gap that a failure leaves, until somebody starts it again.
        kill(try all.site.livingHost(of: all.tunnel.name), SIGKILL)
        wait(100)
        try all.utunctl("start", "--wait", all.tunnel.name)
        wait(100)
        #expect(try all.leaks() == "")
        #expect(try all.site.utunctl("status", all.tunnel.name).status == 0)
        try all.utunctl("stop", all.tunnel.name)
        #expect(try all.getsOut())
        withExtendedLifetime(chatter) {}
    }

    /// Packets that are bound to the cable meet no route, so that the firewall alone holds them.
    @Test func noTableThatTakesThePlaceOfAnotherIsOpenForAMoment() throws {
        let all = try KillSwitchSite("routing.excludeLocalNetworks=true")
        try all.tunnel.connect()
        let flood = try BoundFlood(to: KillSwitchSite.beyond, by: all.interop.host.interface)
        try all.cable.reset()
        for round in 0..<60 {
            // The networks of links are part of the table, which is written anew.
            let address = "10.44.\(round).1/24"
            try Kernel.ip("address", "add", address, "dev", all.interop.host.interface)
            usleep(10_000)
        }
        for _ in 0..<5 { try all.utunctl("restart", "--wait", all.tunnel.name) }
        #expect(try all.leaks(of: [.leaked]) == "")
        kill(try all.site.livingHost(of: all.tunnel.name), SIGKILL)
        wait(100)
        try all.utunctl("start", "--wait", all.tunnel.name)
        #expect(try all.leaks(of: [.leaked]) == "")
        try all.utunctl("stop", all.tunnel.name)
        #expect(try all.getsOut())
        withExtendedLifetime(flood) {}
    }

    @Test func anotherLinkWithTheIndexOfADeadTunnelIsNoWayOut() throws {
        let all = try KillSwitchSite()
        try all.tunnel.connect()
        let index = try #require(try all.site.status(all.tunnel.name).value("interface.index"))
        kill(try all.site.livingHost(of: all.tunnel.name), SIGKILL)
        #expect(try eventually { try Kernel.tunnels().isEmpty })
        let number = String(index.integer ?? 0)
        try Kernel.ip(
            "link", "add", "decoy0", "index", number, "type", "veth", "peer", "name", "decoy1")
        defer { _ = try? Command.run(["ip", "link", "delete", "decoy0"]) }
        for link in ["decoy0", "decoy1"] { try Kernel.ip("link", "set", link, "up") }
        try Kernel.ip("address", "add", "10.45.0.1/24", "dev", "decoy0")
        for neighbour in ["10.45.0.2", "203.0.113.9"] {
            try Kernel.ip(
                "neighbour", "add", neighbour, "lladdr", "02:00:00:00:00:01", "dev", "decoy0")
        }
        let flood = try BoundFlood(to: ["10.45.0.2", "203.0.113.9"], by: "decoy0")
        func sent() throws -> Int { try Kernel.received(by: "decoy1") }
        let before = try sent()
        wait()
        // Neighbours and multicast groups are no packets of anybody's.
        #expect(try sent() - before < 10)
        try all.utunctl("unblock", all.tunnel.name)
        #expect(try eventually { try sent() - before > 30 })
        withExtendedLifetime(flood) {}
    }

    @Test func whatOthersFlushIsPutBackAtOnceAndCounted() throws {
        let all = try KillSwitchSite()
        let chatter = try Chatterer(to: all.unicast)
        try all.tunnel.connect()
        let whole = try Firewall.ruleset()
        try all.cable.reset()
        for (number, change) in [
            "flush ruleset", "delete table inet \(try table(all))",
            "flush chain inet \(try table(all)) outgoing",
            "insert rule inet \(try table(all)) outgoing accept",
            "add chain inet \(try table(all)) output { policy accept; }",
            "add table inet \(try table(all)) { flags dormant; }",
        ].enumerated() {
            try Firewall.nft(change)
            let isBack = try eventually(seconds: 3) { try Firewall.ruleset() == whole }
            let rules = try Firewall.ruleset()
            #expect(isBack, "\(change): \(rules)")
            #expect(
                try eventually(seconds: 3) {
                    try all.site.status(all.tunnel.name).value("interface.restored.firewall")
                        == .integer(Int64(number + 1))
                })
        }
        // Meanwhile the routes hold.
        #expect(try all.leaks(of: [.leaked, .local, .names]) == "")
        #expect(try all.site.utunctl("status", all.tunnel.name).status == 0)
        withExtendedLifetime(chatter) {}
    }

    @Test func aKillSwitchThatCannotBePutBackIsMissing() throws {
        let all = try KillSwitchSite()
        let chatter = try Chatterer(to: all.unicast)
        try all.tunnel.connect()
        try all.cable.reset()
        try NFT.withReplacement("exit 1") {
            try Firewall.nft("flush ruleset")
            let isMissing = try eventually(seconds: 3) {
                try all.site.warnings(all.tunnel.name) == ["firewallMissing"]
            }
            #expect(isMissing)
            let status = try all.site.utunctl("status", all.tunnel.name)
            #expect(status.status == 5, "\(status)")
            #expect(status.output.contains("MISSING"), "\(status)")
            wait()
        }
        // Routes hold back everything but what is for the link alone.
        let leaks = try all.leaks(of: [.leaked, .local, .names])
        #expect(leaks == "")
        // It is tried again by itself.
        let isBack = try eventually(seconds: 5) {
            try all.site.utunctl("status", all.tunnel.name).status == 0
        }
        #expect(isBack)
        withExtendedLifetime(chatter) {}
    }

    @Test func packetsOfOtherHostsGoByTheTunnelOrNowhere() throws {
        let all = try KillSwitchSite()
        let guest = try FarHost(number: 4)
        for (family, gateway) in [("-4", guest.nearV4), ("-6", guest.nearV6)] {
            try guest.place.run("ip", family, "route", "add", "default", "via", gateway)
        }
        try Kernel.setForwarding(true)
        defer { try? Kernel.setForwarding(false) }
        try Place.here.run("sh", "-c", "echo 1 > /proc/sys/net/ipv6/conf/all/forwarding")
        defer {
            _ = try? Place.here.run("sh", "-c", "echo 0 > /proc/sys/net/ipv6/conf/all/forwarding")
        }
        let chatter = try Chatterer(to: all.unicast, at: guest.place)
        #expect(try all.getsOut())
        try all.tunnel.connect()
        try all.cable.reset()
        wait()
        #expect(try all.leaks() == "")
        kill(all.tunnel.pid, SIGKILL)
        #expect(try eventually { try all.tunnel.word == "disconnected" })
        wait()
        #expect(try all.leaks() == "")
        try all.utunctl("stop", all.tunnel.name)
        #expect(try all.getsOut())
        withExtendedLifetime(chatter) {}
    }

    @Test func startAndStopTwentyTimesLeaveTheRulesetAsItWas() throws {
        let all = try KillSwitchSite()
        try Firewall.nft("table inet others { chain c { type filter hook input priority 0; }; }")
        let ruleset = try Firewall.ruleset()
        let before = try Kernel.snapshot()
        for _ in 0..<20 {
            try all.utunctl("start", all.tunnel.name)
            #expect(try Firewall.tables().count == 1)
            try all.utunctl("stop", all.tunnel.name)
        }
        #expect(try Firewall.ruleset() == ruleset)
        let after = try Kernel.snapshot()
        #expect(after == before)
        try Firewall.nft("delete table inet others")
    }

    @Test func killedHostsAndNewStartsHaveOneTableEachTime() throws {
        let all = try KillSwitchSite()
        try all.tunnel.connect()
        let whole = try Firewall.ruleset().split(separator: "\n").count
        for _ in 0..<5 {
            kill(try all.site.livingHost(of: all.tunnel.name), SIGKILL)
            try all.utunctl("start", "--wait", all.tunnel.name)
            #expect(try Firewall.ruleset().split(separator: "\n").count == whole)
        }
    }

    private func table(_ all: KillSwitchSite) throws -> String {
        let name = try Firewall.tables().first?.split(separator: " ").last.map(String.init)
        guard let name else { throw Unexpected("no table") }
        return name
    }
}
