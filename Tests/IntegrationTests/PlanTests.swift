import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// What a start would do is said before, and is what it then does.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct PlanTests {
    private func strings(_ value: JSONValue?) -> [String] {
        (value?.array ?? []).compactMap(\.string)
    }

    @Test(arguments: [
        ["routing.includedRoutes=[\"10.98.0.0/16\",\"fd98::/64\"]"],
        [
            "routing.includedRoutes=[\"0.0.0.0/0\",\"::/0\"]",
            "routing.excludedRoutes=[\"192.0.2.0/24\"]",
        ],
        [
            "routing.includedRoutes=[\"10.98.0.0/16\"]",
            "routing.excludedRoutes=[\"10.98.1.0/24\"]", "routing.enforceRoutes=true",
        ],
        ["routing.includeAllNetworks=true"],
    ])
    func theStartDoesWhatThePlanSays(settings: [String]) throws {
        let site = try Installation()
        try site.save(
            "office", "providerConfiguration.addresses=[\"10.99.0.1/30\",\"fd99::1/64\"]")
        for setting in settings { try site.save("office", setting) }
        let before = try Kernel.snapshot()
        let plan = try site.json("plan", "office")
        #expect(try Kernel.snapshot() == before)
        #expect(strings(plan["unknown"]).isEmpty)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let status = try site.status("office")
        let link = try #require(status.value("interface")?.object)
        #expect(plan.value("interface.addresses") == link["addresses"])
        #expect(plan.value("interface.mtu") == link["mtu"])
        // By their number: tables have the index of an interface that is there by now.
        #expect(strings(plan["rules"]).count == strings(link["rules"]).count)
        let planned = strings(plan["routes"]).filter { $0.contains(" dev ") }
        #expect(planned.count == Set(strings(link["routes"])).count)
        #expect(plan["firewall"]?.string?.contains("10.99.0.1") == true)
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try Kernel.snapshot() == before)
    }

    @Test func whatRefusesTheStartRefusesThePlan() throws {
        let site = try Installation()
        try site.save("off", "enabled=false")
        try site.save("nowhere", "provider=org.example.missing")
        try site.save("dreamer", "routing.includedRoutes=[\"127.0.0.0/8\"]")
        for (name, status) in [("nobody", Int32(4)), ("off", 7), ("nowhere", 7), ("dreamer", 6)] {
            let plan = try site.utunctl("plan", name)
            #expect(plan.status == status, "\(plan)")
            #expect(plan.output.isEmpty)
        }
    }

    @Test func anAddressThatAnotherInterfaceHasRefusesThePlanToo() throws {
        let site = try Installation()
        for name in ["first", "second"] {
            try site.save(name, "providerConfiguration.addresses=[\"10.99.0.1/30\"]")
        }
        #expect(try site.utunctl("start", "--wait", "first").status == 0)
        for verb in ["start", "plan"] {
            let refusal = try site.utunctl(verb, "second")
            #expect(refusal.status == 12 && refusal.errors.contains("10.99.0.1"), "\(refusal)")
        }
        // Of a tunnel that runs it says what a restart would do.
        #expect(try site.utunctl("plan", "first").status == 0)
        #expect(try site.utunctl("stop", "first").status == 0)
    }

    @Test func whatOnlyTheProviderKnowsIsSaidToBeUnknown() throws {
        let site = try Installation()
        try site.installPythonProvider("thing", "import time; time.sleep(60)")
        try site.save("office", "provider=org.example.thing")
        let plan = try site.json("plan", "office")
        #expect(strings(plan["unknown"]).contains { $0.contains("org.example.thing") })
        #expect(try site.utunctl("plan", "office").output.contains("unknown:"))
    }

    @Test func aNameThatIsTakenRefusesThePlanToo() throws {
        let site = try Installation()
        try Kernel.ip("tuntap", "add", "dev", "wire", "mode", "tun")
        defer { _ = try? Kernel.ip("link", "delete", "wire") }
        try site.save("office", "interface.name=wire")
        for verb in ["start", "plan"] {
            let refusal = try site.utunctl(verb, "office")
            #expect(refusal.status == 12 && refusal.errors.contains("wire"), "\(refusal)")
        }
        #expect(try Directory.names("\(site.root)/run/utunctl").isEmpty)
    }

    @Test(arguments: ["198.51.100.0/24", "0.0.0.0/0"])
    func aRouteThatAnotherTunnelHasRefusesThePlanWithTheWordsOfTheSession(route: String) throws {
        let site = try Installation()
        for name in ["first", "second"] {
            try site.save(name, "routing.includedRoutes=[\"\(route)\"]")
        }
        #expect(try site.utunctl("start", "--wait", "first").status == 0)
        for verb in [["start", "--wait"], ["plan"]] {
            let refusal = try Command.run(site.command(verb + ["second"]))
            #expect(refusal.status == 6, "\(refusal)")
            let text =
                "networkSettingsRejected: \(route): first (utun0) has a route to \(route) already;"
                + " utunctl stop first"
            #expect(refusal.errors.contains(text), "\(refusal)")
        }
        #expect(try site.utunctl("plan", "first").status == 0)
        #expect(try site.utunctl("stop", "first").status == 0)
    }

    @Test func aRouteThatTheHostHasAlreadyRefusesThePlanToo() throws {
        let site = try Installation()
        try Kernel.ip("tuntap", "add", "dev", "wire", "mode", "tun")
        try Kernel.ip("link", "set", "wire", "up")
        defer { _ = try? Kernel.ip("link", "delete", "wire") }
        try Kernel.ip("route", "add", "198.51.100.0/24", "dev", "wire")
        try site.save("office", #"routing.includedRoutes=["198.51.100.0/24"]"#)
        for verb in [["start", "--wait"], ["plan"]] {
            let refusal = try Command.run(site.command(verb + ["office"]))
            #expect(refusal.status == 6, "\(refusal)")
            #expect(refusal.errors.contains("wire has a route to 198.51.100.0/24 already"))
        }
    }

    @Test func aNameThatNobodyMayBeAskedForRefusesThePlanAndNamesTheSetting() throws {
        let site = try Installation()
        try site.write("nameserver 203.0.113.53\n", to: "etc/resolv.conf")
        try site.write("127.0.0.1 localhost\n", to: "etc/hosts")
        try site.save(
            "office", "serverAddress=vpn.example:51820", "startTimeout=3",
            "routing.includeAllNetworks=true", "routing.resolveWhileBlocked=false")
        for verb in [["plan"], ["start", "--wait"]] {
            let refusal = try Command.run(site.command(verb + ["office"]))
            #expect(refusal.status == 6, "\(refusal)")
            for word in ["serverAddressResolution", "resolveWhileBlocked", "/etc/hosts"] {
                #expect(refusal.errors.contains(word), "\(refusal)")
            }
            #expect(!refusal.errors.contains("203.0.113.53"), "\(refusal)")
        }
        #expect(try site.utunctl("stop", "office").status == 0)
        try site.write("192.0.2.7 vpn.example\n", to: "etc/hosts")
        let plan = try site.json("plan", "office")
        #expect(strings(plan["unknown"]).isEmpty)
        #expect(plan["firewall"]?.string?.contains("192.0.2.7") == true)
    }

    @Test func aResolvConfThatCannotBeWrittenRefusesBoth() throws {
        let site = try Installation()
        try site.write("nameserver 192.0.2.53\n", to: "etc/resolv.conf")
        try site.save("office", #"dns.servers=["10.9.0.1"]"#)
        let path = "\(site.root)/etc/resolv.conf"
        try Place.here.run("mount", "--bind", path, path)
        defer { _ = try? Place.here.run("umount", path) }
        // One that can be written is no obstacle: containers have such a one.
        #expect(try site.utunctl("plan", "office").status == 0)
        try Place.here.run("mount", "-o", "remount,bind,ro", path)
        for verb in ["start", "plan"] {
            let refusal = try site.utunctl(verb, "office")
            #expect(refusal.status == 10, "\(refusal)")
            #expect(refusal.errors.contains("Read-only file system"), "\(refusal)")
        }
    }

    /// The settings of this network namespace that a tunnel may have changed.
    private func sysctls() throws -> Set<String> {
        let pattern = "conf.*(\\.forwarding|force_forwarding|src_valid_mark|rp_filter|accept_ra)$"
        let result = try Command.run(["sysctl", "-a", "-r", pattern])
        let lines = result.output.split(separator: "\n").map {
            String($0.filter { $0 != " " })
        }
        return Set(lines.filter { !$0.contains("arp_filter") })
    }

    @Test(arguments: [false, true])
    func theSettingsOfTheKernelThatBecomeOthersAreThoseOfThePlan(isStrict: Bool) throws {
        let site = try Installation()
        let host = try FarHost()
        try Kernel.ip("route", "add", "default", "via", host.v4)
        if isStrict {
            try Place.here.run("sysctl", "-w", "net.ipv4.conf.\(host.interface).rp_filter=1")
        }
        try site.save(
            "office", "serverAddress=\(host.v4):9", "routing.forward=true",
            #"providerConfiguration.addresses=["10.99.0.1/30","fd99::1/64"]"#,
            "routing.includedRoutes=[\"0.0.0.0/0\"]", "routing.enforceRoutes=true")
        let before = try sysctls()
        let plan = Set(strings(try site.json("plan", "office")["sysctls"]))
        #expect(try sysctls() == before)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let changed = try sysctls().subtracting(before)
        let own = plan.filter { $0.contains("utun%d") }
        #expect(plan.subtracting(own) == changed.filter { !$0.contains("utun0") })
        #expect(own.count >= 2)
        for line in own {
            #expect(changed.contains(line.replacing("utun%d", with: "utun0")), "\(line)")
        }
        #expect(isStrict == plan.contains { $0.contains("src_valid_mark") })
        #expect(try site.utunctl("plan", "office").output.contains("\nsetting:     net.ipv4"))
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try sysctls() == before)
    }

    @Test func anMTUThatFollowsFromAServerNobodyKnowsYetIsUnknown() throws {
        let site = try Installation()
        try site.write("nameserver 203.0.113.53\n", to: "etc/resolv.conf")
        try site.save("office", "serverAddress=vpn.example:51820")
        let plan = try site.json("plan", "office")
        #expect(plan.value("interface.mtu") == .null)
        #expect(strings(plan["unknown"]).contains { $0.hasPrefix("the MTU") })
        try site.save("office", "interface.mtu=1400")
        #expect(try site.json("plan", "office").value("interface.mtu")?.integer == 1400)
    }

    @Test func moreServersThanAnybodyReadsAreSaidBefore() throws {
        let site = try Installation()
        try site.write("nameserver 192.0.2.53\n", to: "etc/resolv.conf")
        try site.save("office", #"dns.servers=["10.9.0.1","10.9.0.2","10.9.0.3","10.9.0.4"]"#)
        let warnings = try site.json("plan", "office")["warnings"]?.array ?? []
        #expect(warnings.map { $0.object?["code"]?.string } == ["dnsReduced"])
        #expect(try site.utunctl("plan", "office").output.contains("\nwarning:     dnsReduced"))
    }
}
