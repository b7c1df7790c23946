import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// What a tunnel's firewall does beside its kill switch.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct FirewallRuleTests {
    @Test func packetsToTheTunnelsAddressComeByTheTunnelAlone() throws {
        let interop = try InteropSite(.utunctl) { $0.starts = false }
        let far = interop.host
        // Who is on the same network asks for the tunnel's address there.
        for (family, source, gateway) in [
            ("-4", far.v4, far.nearV4), ("-6", far.v6, far.nearV6),
        ] {
            try far.place.run("ip", family, "rule", "add", "from", source, "lookup", "99")
            try far.place.run(
                "ip", family, "route", "add", "default", "via", gateway, "table", "99")
        }
        func isAnswered(_ address: String, from source: String) throws -> Bool {
            let ping = ["ping", "-c", "1", "-W", "1", "-I", source, address]
            return try Command.run(far.place.command(ping)).status == 0
        }
        try Kernel.ip("addr", "add", "\(InteropSite.nearAddress)/32", "dev", "lo")
        #expect(try isAnswered(InteropSite.nearAddress, from: far.v4))
        try Kernel.ip("addr", "del", "\(InteropSite.nearAddress)/32", "dev", "lo")
        let tunnel = try interop.tunnel
        try tunnel.connect()
        #expect(try !isAnswered(InteropSite.nearAddress, from: far.v4))
        #expect(try !isAnswered(InteropSite.nearV6, from: far.v6))
        #expect(try isAnswered(far.nearV4, from: far.v4))
        // Whoever is in the tunnel still gets through, and so does this host itself.
        for address in [InteropSite.farAddress, InteropSite.nearAddress, InteropSite.nearV6] {
            let ping = try Command.run(["ping", "-c", "1", "-W", "5", address])
            #expect(ping.status == 0, "\(ping)")
        }
        #expect(
            try tunnel.site.status(tunnel.name).value("firewall.mode") == .string("antispoof"))
        let filter = KernelSetting("net/ipv4/conf/\(tunnel.interface)/rp_filter")
        #expect(try filter.read() == "1")
        try Firewall.nft("flush ruleset")
        #expect(try eventually { try Firewall.tables().count == 1 })
        #expect(try tunnel.site.utunctl("stop", tunnel.name).status == 0)
        #expect(try Firewall.tables().isEmpty)
    }

    @Test func aStrictFilterOfTheReversePathLetsTheAnswersOfTheServerThrough() throws {
        let interop = try InteropSite(.utunctl) { plan in
            plan.starts = false
            plan.change = { near, _ in near.peers[0].allowedIPs = ["0.0.0.0/0", "::/0"] }
        }
        let far = interop.host
        // The server is nowhere but behind the default route, which the tunnel's takes over.
        try far.place.run("ip", "addr", "add", "203.0.113.77/32", "dev", "lo")
        try Kernel.ip("route", "add", "default", "via", far.v4)
        let name = far.interface
        let files = ["all", name].map { KernelSetting("net/ipv4/conf/\($0)/rp_filter") }
        let former = try files.map { try $0.read() }
        defer { for (file, value) in zip(files, former) { try? file.write(value) } }
        for file in files { try file.write("1") }
        let before = try Firewall.settings()
        let tunnel = try interop.tunnel
        try tunnel.site.save(
            tunnel.name, #"providerConfiguration.peers[0].endpoint="203.0.113.77:51820""#)
        try tunnel.connect()
        let mark = KernelSetting("net/ipv4/conf/\(name)/src_valid_mark")
        #expect(try mark.read() == "1")
        #expect(try KernelSetting("net/ipv4/conf/all/src_valid_mark").read() == "0")
        let ping = try Command.run(["ping", "-c", "2", "-W", "5", InteropSite.farAddress])
        #expect(ping.status == 0, "\(ping)")
        #expect(try tunnel.site.utunctl("stop", tunnel.name).status == 0)
        #expect(try Firewall.settings() == before)
        // After a kill the next verb takes it back.
        try tunnel.connect()
        kill(try tunnel.site.livingHost(of: tunnel.name), SIGKILL)
        #expect(try eventually { try tunnel.word == "disconnected" })
        #expect(try mark.read() == "1")
        #expect(try tunnel.site.utunctl("repair").status == 0)
        #expect(try Firewall.settings() == before)
        #expect(try Firewall.tables().isEmpty)
    }

    @Test func aServerForwardsAndMasqueradesAndTakesItBack() throws {
        let interop = try InteropSite(.utunctl) { plan in
            plan.starts = false
            plan.settings = [
                "routing.forward=true", "routing.masquerade=true", "routing.mssClamp=true",
            ]
            plan.change = { _, far in far.peers[0].allowedIPs = ["0.0.0.0/0", "::/0"] }
        }
        let inner = try FarHost(number: 4)
        let other = try FarHost(number: 5)
        try other.place.run("ip", "route", "add", "192.0.2.64/28", "via", other.nearV4)
        let before = try Firewall.settings()
        let ruleset = try Firewall.ruleset()
        let tunnel = try interop.tunnel
        try tunnel.connect()
        let ping = try Command.run(["ping", "-c", "1", "-W", "5", InteropSite.farAddress])
        #expect(ping.status == 0, "\(ping)")
        // From the far end of the tunnel to a host behind this one, which knows no way back.
        let links = try interop.host.place.run("ip", "-o", "link").split(separator: "\n")
        let line = try #require(links.first { String($0).contains("POINTOPOINT") })
        let wg = String(line.split(separator: ":")[1].drop { $0 == " " })
        for (family, address) in [("-4", inner.v4), ("-6", inner.v6)] {
            try interop.host.place.run("ip", family, "route", "add", address, "dev", wg)
            let reach = try Command.run(
                interop.host.place.command(["ping", "-c", "1", "-W", "5", address]))
            let rules = try Firewall.ruleset()
            #expect(reach.status == 0, "\(reach)\n\(rules)")
        }
        // Between two other networks this host forwards no more than before.
        let through = try Command.run(
            other.place.command(["ping", "-c", "1", "-W", "1", inner.v4]))
        #expect(through.status != 0, "\(through)")
        #expect(try Firewall.ruleset().contains("maxseg size set"))
        #expect(try tunnel.site.utunctl("stop", tunnel.name).status == 0)
        #expect(try Firewall.settings() == before)
        #expect(try Firewall.ruleset() == ruleset)
    }

    @Test(arguments: ["0", "1", "2"])
    func namesAreAskedForWhileAllIsBlockedWhereThatIsWanted(reversePathFilter: String) throws {
        let filters = ["all", "default"].map { KernelSetting("net/ipv4/conf/\($0)/rp_filter") }
        let former = try filters.map { try $0.read() }
        defer { for (filter, value) in zip(filters, former) { try? filter.write(value) } }
        for filter in filters { try filter.write(reversePathFilter) }
        for isWanted in [true, false] {
            let all = try KillSwitchSite("routing.resolveWhileBlocked=\(isWanted)")
            try all.site.write("nameserver \(all.interop.host.v4)\n", to: "etc/resolv.conf")
            try all.site.write("# none\n", to: "etc/hosts")
            let names = try all.interop.host.place.daemon([
                "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv",
                "--no-hosts", "--user=root", "--pid-file=",
                "--listen-address=\(all.interop.host.v4)", "--bind-interfaces",
                "--local=/example.org/", "--host-record=vpn.example.org,\(all.interop.host.v4)",
            ])
            let save = try all.site.utunctl(
                "save", all.tunnel.name, "--set", "startTimeout=4", "--set",
                #"providerConfiguration.peers[0].endpoint="vpn.example.org:51820""#)
            #expect(save.status == 0, "\(save)")
            usleep(200_000)
            try all.cable.reset()
            let start = try all.site.utunctl("start", "--wait", all.tunnel.name)
            #expect(start.status == (isWanted ? 0 : 6), "\(start)\n\(all.tunnel.log)")
            #expect(try (all.cable.count(.names) > 0) == isWanted)
            #expect(try all.leaks(of: [.leaked, .local]) == "")
            try all.utunctl("stop", all.tunnel.name)
            names.signal(SIGKILL)
            _ = try names.finish()
        }
    }

    @Test func aProvidersSocketReachesItsServerAndNothingElse() throws {
        let host = try FarHost()
        for (family, gateway) in [("-4", host.v4), ("-6", host.v6)] {
            try Kernel.ip(family, "route", "add", "default", "via", gateway)
        }
        let cable = try WatchedCable(host, port: 7777)
        let site = try Installation()
        try site.installProbe(
            """
            ask("openSocket", family="inet", transport="datagram", port=0)
            made = socket.socket(fileno=passed.pop()[1])
            ask("openSocket", family="inet6", transport="datagram", port=0)
            six = socket.socket(fileno=passed.pop()[1])
            made.setblocking(False)
            six.setblocking(False)
            def send(one, *place):
                try:
                    one.sendto(b"x", place)
                except OSError:
                    pass
            for _ in range(20):
                send(made, "\(host.v4)", 7777)
                for port in (53, 67, 547, 7778, 853):
                    send(made, "\(host.v4)", port)
                    send(made, "203.0.113.9", port)
                    send(made, "224.0.0.251", port)
                    send(six, "\(host.v6)", port)
                    send(six, "2001:db8:9::9", port)
            return {"done": True}
            """)
        try site.write("nameserver \(host.v4)\n", to: "etc/resolv.conf")
        try site.save(
            "office", "provider=\(ProbeProvider.identifier)", "serverAddress=\(host.v4):7777",
            "routing.includeAllNetworks=true", "routing.excludeLocalNetworks=true")
        try cable.reset()
        let report = try site.report(ofStarted: "office")
        #expect(report["done"] == .bool(true))
        #expect(try cable.count(.tunnel) == 20)
        for kind in [WatchedCable.Kind.leaked, .local, .names] {
            let leaks = try cable.leaks()
            #expect(try cable.count(kind) == 0, "\(kind): \(leaks)")
        }
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func localNetworksStayReachableButForTheirNameServers() throws {
        let all = try KillSwitchSite("routing.excludeLocalNetworks=true")
        let host = all.interop.host
        // A network of the kind that counts as local, on the same cable.
        try Kernel.ip("addr", "add", "192.168.77.1/24", "dev", host.interface)
        try host.place.run("ip", "addr", "add", "192.168.77.2/24", "dev", host.farInterface)
        let chatter = try Chatterer(to: all.unicast + ["192.168.77.2/53", "192.168.77.2/853"])
        try all.tunnel.connect()
        try all.cable.reset()
        let ping = try Command.run(["ping", "-c", "2", "-W", "2", "192.168.77.2"])
        #expect(ping.status == 0, "\(ping)")
        // The counter takes its own for a leak: two requests, and no questions for names.
        let leaks = try all.cable.leaks()
        #expect(try all.cable.count(.leaked) == 2, "\(leaks)")
        let back = try Command.run(
            host.place.command(["ping", "-c", "1", "-W", "2", "192.168.77.1"]))
        #expect(back.status == 0, "\(back)")
        try all.utunctl("stop", all.tunnel.name)
        withExtendedLifetime(chatter) {}
    }

    @Test func excludedNetworksStayReachable() throws {
        let all = try KillSwitchSite(#"routing.excludedRoutes=["203.0.113.0/24"]"#)
        let chatter = try Chatterer(to: Array(all.unicast.dropFirst()))
        try all.tunnel.connect()
        try all.cable.reset()
        let ping = try Command.run(["ping", "-c", "2", "-W", "2", KillSwitchSite.beyond[0]])
        #expect(ping.status == 0, "\(ping)")
        let leaks = try all.cable.leaks()
        #expect(try all.cable.count(.leaked) == 2, "\(leaks)")
        try all.utunctl("stop", all.tunnel.name)
        withExtendedLifetime(chatter) {}
    }
}
