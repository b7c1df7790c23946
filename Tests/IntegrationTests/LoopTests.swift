import JSON
import TestSupport
import Testing

/// Starts that would do harm or wait without a word.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct LoopTests {
    /// Where a server is, the routes of the tunnel to it, and whether they hold the server for
    /// others: not where the way to it is the more specific route.
    private static let routes: [(server: String, routes: [String], holds: Bool)] = [
        (Neighbour.beyond4, ["0.0.0.0/0"], true),
        (Neighbour.beyond4, ["203.0.113.0/24"], true),
        (Neighbour.beyond4, ["0.0.0.0/0", "203.0.0.0/8", "203.0.113.5/32", "::/0"], true),
        (Neighbour.beyond4, ["0.0.0.0/1", "128.0.0.0/1"], true),
        (Neighbour.v4, ["0.0.0.0/0"], false),
        (Neighbour.v4, ["192.0.2.0/24"], true),
        (Neighbour.v4, ["192.0.2.1/32", "198.51.100.0/24"], true),
        (Neighbour.beyond6, ["::/0"], true),
        (Neighbour.beyond6, ["2001:db8:5::/64"], true),
        (Neighbour.beyond6, ["::/0", "2000::/3", "0.0.0.0/0"], true),
        (Neighbour.v6, ["::/0", "2000::/3"], false),
        (Neighbour.v6, ["2001:db8::/64"], true),
    ]

    @Test(arguments: routes)
    func itsOwnPacketsReachTheServerAndAllOthersEnterTheTunnel(
        server: String,
        routes: [String],
        holds: Bool
    ) throws {
        let neighbour = try Neighbour()
        try neighbour.becomeGateway()
        let before = try Kernel.snapshot()
        let site = try Installation()
        try site.installProbe(Self.echo(server))
        try site.saveProbe("full", server: server, routes: routes)
        let report = try site.report(ofStarted: "full")
        #expect(report["echo"] == .string("there and back"))
        #expect(report["looped"] == .bool(false))
        let status = try site.status("full")
        #expect(status["warnings"] == .array([]), "\(status)")

        let sent = try sentPackets(site)
        #expect(try Self.unmarkedEcho(server) == (holds ? "nothing" : "there and back"))
        #expect(try (sentPackets(site) > sent) == holds)
        #expect(try site.utunctl("stop", "full").status == 0)
        #expect(try Kernel.snapshot() == before)
        #expect(try Self.unmarkedEcho(server) == "there and back")
        _ = neighbour
    }

    @Test func aNetworkOfTheTunnelsOwnThatHoldsTheServerIsNoLoop() throws {
        let neighbour = try Neighbour()
        try Kernel.ip("address", "delete", "192.0.2.2/24", "dev", Neighbour.interface)
        try Kernel.ip("address", "add", "192.0.2.2/32", "dev", Neighbour.interface)
        try Kernel.ip("route", "add", "192.0.2.0/25", "dev", Neighbour.interface)
        let site = try Installation()
        try site.installProbe(Self.echo(Neighbour.v4))
        try site.saveProbe(
            "near", server: Neighbour.v4, routes: [], addresses: ["192.0.3.9/23"])
        let report = try site.report(ofStarted: "near")
        #expect(report["echo"] == .string("there and back"))
        #expect(report["looped"] == .bool(false))
        // The cable's route is the longer one, and stays in force.
        #expect(try Self.unmarkedEcho(Neighbour.v4) == "there and back")
        #expect(try Kernel.interface(to: "192.0.2.130") == "utun0")
        #expect(try site.utunctl("stop", "near").status == 0)
        _ = neighbour
    }

    @Test func anAddressThatAServerComesToHaveLaterMovesTheRoute() throws {
        let neighbour = try Neighbour()
        let site = try Installation()
        try site.write("198.51.100.7 vpn.example.org\n", to: "etc/hosts")
        try site.write("", to: "etc/resolv.conf")
        try site.installProbe(
            """
            import time
            while ask("resolve", name="vpn.example.org")["addresses"] != ["\(Neighbour.v4)"]:
                time.sleep(0.3)
            """ + "\n" + Self.echo(Neighbour.v4))
        try site.saveProbe(
            "roaming", server: "vpn.example.org", routes: ["192.0.2.0/25", "203.0.113.0/24"])
        #expect(try site.utunctl("start", "roaming").status == 0)
        #expect(
            try eventually {
                try Command.run(["ip", "route", "show", "dev", "utun0"]).output
                    .contains("192.0.2.0/25")
            })
        #expect(try Command.run(["ip", "rule", "show", "priority", "5000-5200"]).output.isEmpty)
        try site.write("\(Neighbour.v4) vpn.example.org\n", to: "etc/hosts")
        #expect(
            try eventually { try site.word("roaming") == "connected" }, "\(site.log(of: "roaming"))"
        )
        let report = try site.status("roaming").value("provider.report")?.object
        #expect(report?["echo"] == .string("there and back"))
        #expect(report?["looped"] == .bool(false))
        let main = try Command.run(["ip", "route", "show", "dev", "utun0"]).output
        #expect(!main.contains("192.0.2.0/25"), "\(main)")
        #expect(main.contains("203.0.113.0/24"), "\(main)")
        #expect(try Kernel.interface(to: Neighbour.v4) == "utun0")
        #expect(try site.utunctl("status", "roaming").status == 0)
        #expect(try site.utunctl("stop", "roaming").status == 0)
        _ = neighbour
    }

    @Test func answersPassAStrictReversePathOrItIsNamed() throws {
        let neighbour = try Neighbour()
        let directory = "/proc/sys/net/ipv4/conf/\(Neighbour.interface)"
        func marksCount() throws -> Bool {
            try Place.here.run("cat", "\(directory)/src_valid_mark") == "1\n"
        }
        try Place.here.run("sh", "-c", "echo 1 >\(directory)/rp_filter")
        let site = try Installation()
        try site.installProbe(Self.echo(Neighbour.v4))
        try site.saveProbe("full", server: Neighbour.v4, routes: ["0.0.0.0/0"])
        // Without the firewall's mark they would be dropped.
        try NFT.without { () throws in
            let start = try site.utunctl("start", "--wait", "full")
            #expect(start.status == 6, "\(start)")
            #expect(start.errors.contains("filtered strictly"), "\(start)")
        }
        #expect(try !marksCount())
        #expect(try site.report(ofStarted: "full")["echo"] == .string("there and back"))
        #expect(try marksCount())
        #expect(try site.utunctl("stop", "full").status == 0)
        #expect(try !marksCount())
        _ = neighbour
    }

    /// Sends over a socket of the host's making, and looks what comes out of the tunnel.
    private static func echo(_ server: String) -> String {
        """
        import select, threading
        family = "inet6" if ":" in "\(server)" else "inet"
        ask("openSocket", family=family, transport="datagram")
        made = socket.socket(fileno=passed.pop()[1])
        made.setblocking(True)
        made.settimeout(5)
        made.connect(("\(server)", 7))
        made.sendall(b"there and back")
        try:
            echo = made.recv(100).decode()
        except OSError:
            echo = "nothing"
        looped = False
        while select.select([start["tun"][0]], [], [], 0.05)[0]:
            looped = looped or b"there and back" in os.read(start["tun"][0], 2048)
        def swallow():
            while select.select([start["tun"][0]], [], [])[0]:
                os.read(start["tun"][0], 2048)
        threading.Thread(target=swallow, daemon=True).start()
        return {"echo": echo, "looped": looped}
        """
    }

    /// What becomes of a packet of anybody else to the server.
    private static func unmarkedEcho(_ server: String) throws -> String {
        try Command.run([
            "python3", "-c",
            """
            import socket
            family = socket.AF_INET6 if ":" in "\(server)" else socket.AF_INET
            made = socket.socket(family, socket.SOCK_DGRAM)
            made.settimeout(0.3)
            made.connect(("\(server)", 7))
            made.sendall(b"there and back")
            try:
                print(made.recv(100).decode(), end="")
            except OSError:
                print("nothing", end="")
            """,
        ]).output
    }

    private func sentPackets(_ site: Installation) throws -> Int64 {
        try site.status("full").value("counters.sentPackets")?.integer ?? -1
    }

    @Test func aServerOutsideTheRoutesIsNoLoop() throws {
        let site = try Installation()
        try site.save(
            "split", "serverAddress=203.0.113.5:9999",
            #"routing.includedRoutes=["198.51.100.0/24"]"#)
        #expect(try site.utunctl("start", "--wait", "split").status == 0)
        let interface = try site.status("split")["interface"]?.object
        #expect(interface?["routes"] == .array([.string("198.51.100.0/24")]))
        #expect(interface?["rules"] == .array([]))
        #expect(try site.utunctl("stop", "split").status == 0)
    }

    @Test func aRouteThatAnotherTunnelHasNamesThatTunnel() throws {
        let site = try Installation()
        for name in ["one", "two"] {
            try site.save(name, #"routing.includedRoutes=["198.51.100.0/24"]"#)
        }
        #expect(try site.utunctl("start", "--wait", "one").status == 0)
        let two = try site.utunctl("start", "--wait", "two")
        #expect(two.status == 6)
        #expect(two.errors.contains("one (utun0) has a route to 198.51.100.0/24 already"), "\(two)")
        #expect(try site.utunctl("stop", "one").status == 0)
    }

    @Test func aStartDuringALongStopKeepsItsTimeAndSaysWhatItWaitsFor() throws {
        let site = try Installation()
        try site.save("slow", "providerConfiguration.ignoreStop=true", "stopTimeout=30")
        #expect(try site.utunctl("start", "--wait", "slow").status == 0)
        #expect(try site.utunctl("stop", "--no-wait", "slow").status == 0)
        let start = try site.utunctl("start", "--wait", "--timeout", "0.5", "slow")
        #expect(start.status == 9, "\(start)")
        #expect(start.errors.contains("slow: the session before it is ending"), "\(start)")
        #expect(try site.utunctl("stop", "--timeout", "0.5", "slow").status == 0)
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func optionsWithoutEffectAreAUsageError() throws {
        let site = try Installation()
        try site.save("office")
        for options in [["--timeout", "1"], ["--or-stop"], ["--foreground", "--wait"]] {
            let result = try Command.run(site.command(["start"] + options + ["office"]))
            #expect(result.status == 2, "\(options): \(result)")
        }
    }
}
