import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// What lifts the block of a kill switch, what lifts it for a while, and what refuses.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct BlockVerbTests {
    /// A tunnel of the loopback provider with a kill switch.
    private func site(_ settings: String...) throws -> Installation {
        let site = try Installation()
        try site.save("office", "routing.includeAllNetworks=true")
        for setting in settings { try site.save("office", setting) }
        return site
    }

    /// The same, blocked because its host was killed.
    private func blockedSite(_ settings: String...) throws -> Installation {
        let site = try site()
        for setting in settings { try site.save("office", setting) }
        let start = try site.utunctl("start", "--wait", "office")
        guard start.status == 0 else { throw Unexpected("\(start)\n\(site.log(of: "office"))") }
        kill(try site.livingHost(of: "office"), SIGKILL)
        guard try eventually({ try site.word("office") == "disconnected" }) else {
            throw Unexpected("the host lives on")
        }
        return site
    }

    private func mode(_ site: Installation, _ name: String = "office") throws -> String? {
        try site.status(name).value("firewall.mode")?.string
    }

    /// The hosts of a test share its network: no block is to outlive it.
    private func clear() {
        _ = try? Firewall.nft("flush ruleset")
        for family in ["-4", "-6"] {
            _ = try? Command.run(["ip", family, "rule", "flush", "protocol", "117"])
            _ = try? Command.run(["ip", family, "route", "flush", "table", "all", "proto", "117"])
        }
    }

    @Test(arguments: [
        ["stop", "office"], ["unblock", "office"], ["unblock", "--all"],
        ["repair", "--unblock"], ["repair", "--unblock", "office"], ["stop", "--all"],
    ])
    func aBlockIsLifted(by verb: [String]) throws {
        let before = try Kernel.snapshot()
        let site = try blockedSite()
        defer { clear() }
        #expect(try mode(site) == "blocked")
        let lift = try Command.run(site.command(verb))
        #expect(lift.status == 0, "\(lift)")
        #expect(try mode(site) == "none")
        #expect(try Firewall.tables().isEmpty)
        #expect(try Kernel.snapshot() == before)
        #expect(try Command.run(site.command(verb)).status == 0)
    }

    @Test(arguments: [["unblock"], ["repair", "--unblock"], ["stop"]])
    func aBlockIsLiftedWithoutPreferencesProviderAndNFT(by verb: [String]) throws {
        let site = try blockedSite()
        defer { clear() }
        for path in ["etc/utunctl", "usr", "run/utunctl"] {
            try Place.here.run("rm", "-rf", "\(site.root)/\(path)")
        }
        try NFT.without {
            // By its name, which nothing but the table in the kernel knows.
            let lift = try Command.run(site.command(verb + ["office"]))
            #expect(lift.status == 0, "\(lift)")
        }
        #expect(try Firewall.tables().isEmpty)
        #expect(try Kernel.tunnelRules().isEmpty)
    }

    @Test(arguments: [["unblock", "--all"], ["repair", "--unblock"], ["unblock", "office"]])
    func aBlockThatStandsInTheRoutesAloneIsLifted(by verb: [String]) throws {
        let site = try blockedSite()
        defer { clear() }
        try Firewall.nft("flush ruleset")
        #expect(try !Kernel.tunnelRules().isEmpty)
        #expect(try site.warnings("office").contains("hostBlocked"))
        let lift = try Command.run(site.command(verb))
        #expect(lift.status == 0, "\(lift)")
        #expect(try Kernel.tunnelRules().isEmpty)
        #expect(try site.warnings("office").isEmpty)
    }

    @Test func unblockLeavesARunningTunnelAlone() throws {
        let site = try site()
        defer { clear() }
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let unblock = try site.utunctl("unblock", "office")
        #expect(unblock.status == 12, "\(unblock)")
        #expect(unblock.errors.contains("utunctl stop office"))
        for verb in [["repair", "--unblock"], ["unblock", "--all"]] {
            let result = try Command.run(site.command(verb))
            #expect(result.status == 0, "\(result)")
        }
        #expect(try mode(site) == "killSwitch")
        #expect(try site.utunctl("status", "office").status == 0)
        #expect(try site.utunctl("unblock", "nobody").status == 4)
    }

    @Test func lockdownIsLiftedByUnblockAlone() throws {
        let site = try site("routing.lockdown=always")
        defer { clear() }
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let stop = try site.utunctl("stop", "office")
        #expect(stop.status == 0 && stop.errors.contains("utunctl unblock office"), "\(stop)")
        #expect(try mode(site) == "blocked")
        let again = try site.utunctl("stop", "office")
        #expect(again.status == 0 && again.errors.contains("stays blocked"), "\(again)")
        #expect(try site.utunctl("status", "office").output.contains("utunctl unblock office"))
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try mode(site) == "killSwitch")
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("unblock", "office").status == 0)
        #expect(try mode(site) == "none")
        #expect(try Kernel.tunnelRules().isEmpty)
    }

    @Test func theLockdownVerbBlocksForEachConfigurationThatAsksForIt() throws {
        let site = try site("routing.lockdown=always")
        defer { clear() }
        try site.save("other", "routing.includeAllNetworks=true")
        try site.save("off", "routing.includeAllNetworks=true", "routing.lockdown=always")
        try site.save("off", "enabled=false")
        let lockdown = try site.json("lockdown")
        #expect(
            lockdown["blocked"]?.array?.compactMap { $0.object?["name"]?.string } == ["office"])
        #expect(try mode(site) == "blocked")
        #expect(try mode(site, "other") == "none")
        #expect(try Firewall.tables().count == 1)
        let ruleset = try Firewall.ruleset()
        #expect(try site.utunctl("lockdown").status == 0)
        #expect(try Firewall.ruleset() == ruleset)
        // What runs is left as it is.
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try site.utunctl("lockdown").status == 0)
        #expect(try mode(site) == "killSwitch")
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("unblock", "office").status == 0)
        #expect(try Firewall.tables().isEmpty)
    }

    @Test func aSecondKillSwitchIsRefusedAndNamesTheFirst() throws {
        let site = try site()
        defer { clear() }
        try site.save(
            "second", "routing.includeAllNetworks=true",
            #"providerConfiguration.addresses=["10.77.0.1/30"]"#)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let ruleset = try Firewall.ruleset()
        for verb in ["start", "plan"] {
            let second = try site.utunctl(verb, "second")
            #expect(second.status == 12 && second.errors.contains("office"), "\(second)")
        }
        #expect(try Firewall.ruleset() == ruleset)
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try site.word("office") == "disconnected" })
        #expect(try site.utunctl("start", "second").status == 12)
        #expect(try site.utunctl("unblock", "office").status == 0)
        #expect(try site.utunctl("start", "--wait", "second").status == 0)
        // Of another installation as well, which has no name for it.
        let elsewhere = try self.site()
        let third = try elsewhere.utunctl("start", "office")
        #expect(third.status == 12 && third.errors.contains("second"), "\(third)")
    }

    @Test func aBlockIsNotForgottenByAPlainStart() throws {
        let site = try blockedSite()
        defer { clear() }
        try site.save("office", "routing.includeAllNetworks=false")
        for verb in ["start", "restart"] {
            let start = try site.utunctl(verb, "office")
            #expect(start.status == 12, "\(start)")
            #expect(start.errors.contains("unblock"))
        }
        #expect(try mode(site) == "blocked")
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(try mode(site) == "antispoof")
    }

    @Test func aPauseLiftsTheBlockAndTheKernelEndsIt() throws {
        let site = try blockedSite()
        defer { clear() }
        let neighbour = try Neighbour()
        func reaches() throws -> Bool {
            try Command.run(["ping", "-c", "1", "-W", "1", Neighbour.v4]).status == 0
        }
        #expect(try !reaches())
        let pause = try site.utunctl("pause", "office", "--for", "2")
        #expect(pause.status == 0, "\(pause)")
        #expect(try reaches())
        #expect(try site.status("office").value("firewall.pausedUntil")?.string != nil)
        let status = try site.utunctl("status", "office").output
        #expect(status.contains("lifted until") && status.hasPrefix("office: disconnected, paused"))
        #expect(try site.warnings("office").contains("paused"))
        // No process is left that could end it.
        #expect(site.processes.isEmpty)
        #expect(try eventually(seconds: 4) { try !reaches() })
        #expect(try site.status("office").value("firewall.pausedUntil") == .null)
        #expect(try site.utunctl("pause", "office", "--for=1h").status == 0)
        #expect(try reaches())
        #expect(try site.utunctl("pause", "office", "--end").status == 0)
        #expect(try !reaches())
        _ = neighbour
    }

    @Test func aPauseOfARunningTunnelEndsWhetherItsHostLivesOrNot() throws {
        let site = try site()
        defer { clear() }
        let neighbour = try Neighbour()
        func reaches() throws -> Bool {
            try Command.run(["ping", "-c", "1", "-W", "1", Neighbour.v4]).status == 0
        }
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let rules = try Kernel.tunnelRules()
        #expect(try !reaches())
        #expect(try site.utunctl("pause", "office", "--for", "2").status == 0)
        #expect(try reaches())
        // Connected, but not what was promised.
        #expect(try site.utunctl("status", "office").status == 5)
        #expect(try site.warnings("office").contains("paused"))
        let leaks = try site.utunctl("doctor", "leaks", "office", Neighbour.v4)
        #expect(leaks.status == 1 && leaks.output.contains("the block is lifted until"), "\(leaks)")
        #expect(try eventually(seconds: 4) { try !reaches() })
        #expect(try eventually { try Kernel.tunnelRules() == rules })
        #expect(try site.utunctl("status", "office").status == 0)
        #expect(try site.utunctl("pause", "office", "--for", "2").status == 0)
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try reaches())
        #expect(try eventually(seconds: 4) { try !reaches() })
        _ = neighbour
    }

    @Test func inAPauseNamesAreAskedForAsWithoutTheTunnel() throws {
        let hotel = try ResolverSite()
        let site = hotel.site
        defer { clear() }
        try hotel.save(servers: ["10.9.0.1"], "routing.includeAllNetworks=true")
        try hotel.connect()
        #expect(hotel.isOurs)
        #expect(try site.utunctl("pause", "office", "--for", "2").status == 0)
        #expect(hotel.text == ResolverSite.original)
        #expect(eventually(seconds: 5) { hotel.isOurs })
        #expect(try eventually { try site.warnings("office").isEmpty })
        // It ends with the tunnel as well.
        #expect(try site.utunctl("pause", "office", "--for", "1h").status == 0)
        #expect(hotel.text == ResolverSite.original)
        try hotel.kill()
        #expect(try site.utunctl("pause", "office", "--end").status == 0)
        #expect(hotel.text == ResolverSite.original)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        #expect(hotel.isOurs)
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try site.word("office") == "disconnected" })
        #expect(hotel.isOurs)
        #expect(try site.utunctl("pause", "office", "--for", "1h").status == 0)
        #expect(hotel.text == ResolverSite.original)
        #expect(try site.utunctl("unblock", "office").status == 0)
    }

    /// A process that is stopped is not gone, and its tunnel goes on.
    @Test func aHostThatIsOnlySilentHasNotLeftThisHostBlocked() throws {
        let site = try site()
        defer { clear() }
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let host = try site.livingHost(of: "office")
        kill(host, SIGSTOP)
        #expect(try site.word("office") == "unknown")
        #expect(try mode(site) == "killSwitch")
        #expect(try !site.warnings("office").contains("hostBlocked"))
        kill(host, SIGCONT)
        #expect(try eventually { try site.word("office") == "connected" })
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func aBlockWhoseTableOthersTookAwayIsToldAndCanBePaused() throws {
        let site = try blockedSite()
        defer { clear() }
        let neighbour = try Neighbour()
        func reaches() throws -> Bool {
            try Command.run(["ping", "-c", "1", "-W", "1", Neighbour.v4]).status == 0
        }
        try Firewall.nft("flush ruleset")
        #expect(try !reaches())
        #expect(
            try site.utunctl("status", "office").output.hasPrefix("office: disconnected, blocked"))
        #expect(try site.warnings("office") == ["hostBlocked", "firewallMissing"])
        let leaks = try site.utunctl("doctor", "leaks", "office", Neighbour.v4)
        #expect(leaks.output.contains("held back, as promised"), "\(leaks)")
        #expect(try site.utunctl("pause", "office", "--for", "2").status == 0)
        #expect(try reaches())
        #expect(try eventually(seconds: 4) { try !reaches() })
        #expect(try site.utunctl("unblock", "office").status == 0)
        #expect(try reaches())
        _ = neighbour
    }

    @Test func whatAnEnforcedTunnelLeavesBehindIsToldAndClearedByUnblock() throws {
        let site = try Installation()
        defer { clear() }
        try site.save("office", "routing.enforceRoutes=true")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try site.word("office") == "disconnected" })
        #expect(try site.warnings("office") == ["leftovers"])
        let leaks = try site.utunctl("doctor", "leaks", "office")
        #expect(leaks.status == 1 && leaks.errors.contains("utunctl repair office"), "\(leaks)")
        #expect(try site.utunctl("unblock", "office").status == 0)
        #expect(try Kernel.tunnelRules().isEmpty)
        #expect(try site.warnings("office").isEmpty)
    }

    @Test func aPauseIsForWhatBlocks() throws {
        let site = try site()
        defer { clear() }
        try site.save("plain")
        #expect(try site.utunctl("pause", "office", "--for", "5").status == 7)
        #expect(try site.utunctl("start", "--wait", "plain").status == 0)
        #expect(try site.utunctl("pause", "plain", "--for", "5").status == 7)
        for wrong in [
            ["pause", "office"], ["pause", "office", "--for", "0"],
            ["pause", "office", "--for", "25h"], ["pause", "office", "--for", "1", "--end"],
        ] {
            #expect(try Command.run(site.command(wrong)).status == 2, "\(wrong)")
        }
    }

    @Test func withoutNFTAKillSwitchIsRefusedAndAPlainTunnelRuns() throws {
        let site = try site()
        defer { clear() }
        try site.save("plain")
        let before = try Kernel.snapshot()
        try NFT.without {
            let start = try site.utunctl("start", "office")
            #expect(start.status == 10 && start.errors.contains("nft"), "\(start)")
            #expect(try Kernel.tunnels().isEmpty)
            #expect(try Kernel.tunnelRules().isEmpty)
            #expect(try site.utunctl("start", "--wait", "plain").status == 0)
            #expect(try site.warnings("plain") == ["firewallUnavailable"])
            #expect(try mode(site, "plain") == "none")
            #expect(try site.utunctl("status", "plain").status == 0)
            #expect(try site.utunctl("stop", "plain").status == 0)
            // Nothing would bound what this host forwards.
            try site.save("plain", "routing.forward=true")
            #expect(try site.utunctl("start", "plain").status == 10)
        }
        #expect(try Kernel.snapshot() == before)
    }

    @Test func rulesThatAreNotTakenRefuseTheStartAndLeaveNothing() throws {
        let site = try site()
        defer { clear() }
        let before = try Kernel.snapshot()
        try NFT.withReplacement("echo 'Error: Could not process rule: Not supported' >&2; exit 1") {
            let start = try site.utunctl("start", "office")
            #expect(start.status == 10, "\(start)")
            #expect(start.errors.contains("Could not process rule: Not supported"))
            #expect(try Kernel.snapshot() == before)
            #expect(try Firewall.tables().isEmpty)
        }
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
    }

    @Test func aFailedStartOfABlockedTunnelLeavesTheBlock() throws {
        let site = try blockedSite()
        defer { clear() }
        try NFT.withReplacement("exit 1") { () throws in
            #expect(try site.utunctl("start", "office").status == 10)
        }
        #expect(try mode(site) == "blocked")
    }

    @Test func whatHasToBeRestartedIsNotToBeStopped() throws {
        let site = try site()
        defer { clear() }
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        try site.save("office", "interface.mtu=1400")
        let start = try site.utunctl("start", "office")
        #expect(start.status == 12, "\(start)")
        #expect(start.errors.contains("utunctl restart office"))
        #expect(!start.errors.contains("utunctl stop"))
    }

    @Test func theWayOutOfALockdownThatRunsIsTheWholeOne() throws {
        let site = try site("routing.lockdown=always")
        defer { clear() }
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        // What holds is what it was started with.
        try site.save("office", "routing.lockdown=session")
        let unblock = try site.utunctl("unblock", "office")
        #expect(unblock.status == 12)
        #expect(unblock.errors.contains("utunctl stop office && utunctl unblock office"))
        let stop = try site.utunctl("stop", "office")
        #expect(stop.status == 0)
        #expect(stop.errors.contains("routing.lockdown was always"), "\(stop)")
        #expect(try mode(site) == "blocked")
        try site.save("office", "routing.lockdown=always")
        #expect(try site.utunctl("stop", "office").errors.contains("routing.lockdown is always"))
        #expect(try site.utunctl("unblock", "office").status == 0)
    }

    @Test func doctorSendsNobodyToAStartThatIsRefused() throws {
        let site = try blockedSite()
        defer { clear() }
        #expect(try site.utunctl("doctor").output.contains("utunctl start office, or"))
        try site.save("office", "enabled=false")
        let disabled = try site.utunctl("doctor").output
        #expect(disabled.contains("         utunctl unblock office\n"), "\(disabled)")
        #expect(!disabled.contains("utunctl start office"))
        try Place.here.run("rm", "\(site.root)/etc/utunctl/preferences.json")
        let removed = try site.utunctl("doctor").output
        #expect(removed.contains("         utunctl unblock office\n"), "\(removed)")
        #expect(try site.utunctl("unblock", "office").status == 0)
    }

    @Test func doctorKnowsThatNFTCannotBeRunAndWhatThatRefuses() throws {
        let site = try site()
        try NFT.without {
            let answer = try site.json("doctor")
            let found = (answer["findings"]?.array ?? []).compactMap(\.object)
            let codes = found.compactMap { $0["code"]?.string }
            #expect(codes.contains("nftablesUnusable") && codes.contains("firewallUnavailable"))
            #expect(!codes.contains("configurations"))
            let texts = found.compactMap { $0["finding"]?.string }
            #expect(!texts.contains { $0.contains("not installed") }, "\(texts)")
            let save = try site.utunctl("save", "office", "--title", "x")
            #expect(save.errors.contains("utunctl-firewall(7)"), "\(save)")
        }
    }
}
