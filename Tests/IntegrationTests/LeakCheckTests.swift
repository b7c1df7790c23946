import Glibc
import JSON
import TestSupport
import Testing

/// Whether anything leaves beside a tunnel is asked of the kernel, not guessed.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct LeakCheckTests {
    private static let elsewhere = ["198.51.100.1", "2001:db8:5100::1"]

    /// A host with an uplink of both families, and a tunnel with some settings.
    private func site(_ settings: String...) throws -> Installation {
        for command in [
            "link add up0 type veth peer name up1", "link set up0 up", "link set up1 up",
            "address add 192.0.2.1/24 dev up0", "route add default via 192.0.2.254",
            "address add 2001:db8:1::1/64 dev up0 nodad",
            "-6 route add default via 2001:db8:1::fe",
        ] {
            try run(command)
        }
        let site = try Installation()
        try site.save(
            "office", "providerConfiguration.addresses=[\"10.99.0.1/30\",\"fd99::1/64\"]")
        for setting in settings { try site.save("office", setting) }
        let start = try site.utunctl("start", "--wait", "office")
        guard start.status == 0 else { throw Unexpected("\(start)") }
        return site
    }

    private func run(_ command: String) throws {
        let words = command.split(separator: " ").map(String.init)
        let result = try Command.run(["ip"] + words)
        guard result.status == 0 else { throw Unexpected("ip \(command): \(result)") }
    }

    private func removeUplink() { _ = try? run("link del up0") }

    private func probe(_ site: Installation, _ address: String) throws -> JSONObject {
        let answer = try site.json("doctor", "leaks", "office", address)
        guard case .object(let probe)? = answer["probes"]?.array?.first else {
            throw Unexpected("no probe: \(answer)")
        }
        return probe
    }

    @Test func aDualStackTunnelLeaksNothingUntilARouteIsTakenAway() throws {
        defer { removeUplink() }
        let site = try site("routing.includedRoutes=[\"0.0.0.0/0\",\"::/0\"]")
        let sound = try site.utunctl("doctor", "leaks", "office")
        #expect(sound.status == 0, "\(sound)")
        for address in Self.elsewhere {
            #expect(try probe(site, address)["goes"] == .string("tunnel"))
        }
        // A hostile network hands out a more specific route (DHCP option 121).
        try run("route add 198.51.100.0/24 via 192.0.2.254")
        let leaking = try site.utunctl("doctor", "leaks", "office", "198.51.100.1")
        #expect(leaking.status == 1)
        #expect(leaking.output.contains("LEAK  198.51.100.1 outside, by up0"), "\(leaking)")
        #expect(try probe(site, "198.51.100.1")["leaks"] == .bool(true))
        #expect(try probe(site, "2001:db8:5100::1")["leaks"] == .bool(false))
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func enforcedRoutesLeakNothingWhateverTheNetworkHandsOut() throws {
        defer { removeUplink() }
        let site = try site(
            "routing.includedRoutes=[\"0.0.0.0/0\",\"::/0\"]", "routing.enforceRoutes=true")
        try run("route add 198.51.100.0/24 via 192.0.2.254")
        let result = try site.utunctl("doctor", "leaks", "office", "198.51.100.1")
        #expect(result.status == 0, "\(result)")
        #expect(try probe(site, "198.51.100.1")["goes"] == .string("tunnel"))
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func whatIsNotTheTunnelsIsNoLeak() throws {
        defer { removeUplink() }
        let site = try site("routing.includedRoutes=[\"10.98.0.0/16\"]")
        let probe = try probe(site, "203.0.113.1")
        #expect(probe["goes"] == .string("outside") && probe["promise"] == .string("outside"))
        #expect(probe["leaks"] == .bool(false))
        #expect(try site.utunctl("doctor", "leaks", "office").status == 0)
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func forwardedPacketsAreAskedAboutWhereThisHostForwards() throws {
        defer { removeUplink() }
        let site = try site("routing.includedRoutes=[\"0.0.0.0/0\"]")
        try Kernel.setForwarding(true)
        defer { try? Kernel.setForwarding(false) }
        let answer = try site.json("doctor", "leaks", "office")
        let forwarded = (answer["probes"]?.array ?? []).compactMap(\.object).filter {
            $0["incoming"] == .string("up0")
        }
        #expect(forwarded.contains { $0["destination"] == .string("198.51.100.1") })
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func aServerOfNamesBesideAFullTunnelIsALeak() throws {
        defer { removeUplink() }
        let site = try site("routing.includedRoutes=[\"0.0.0.0/0\"]")
        #expect(try site.utunctl("doctor", "leaks", "office").status == 0)
        // The network's own server is nearer than any default route.
        try site.write("nameserver 192.0.2.53\n", to: "etc/resolv.conf")
        let leaking = try site.utunctl("doctor", "leaks", "office")
        #expect(leaking.status == 1)
        #expect(leaking.output.contains("names are asked of 192.0.2.53, beside the tunnel"))
        try site.save("office", "dns.servers=[\"10.99.0.2\"]")
        #expect(try site.utunctl("restart", "--wait", "office").status == 0)
        let sound = try site.utunctl("doctor", "leaks", "office")
        #expect(sound.status == 0, "\(sound)")
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func whatAKillSwitchHoldsIsSaidToGoNowhere() throws {
        defer { removeUplink() }
        let site = try site("routing.includeAllNetworks=true")
        #expect(try site.utunctl("doctor", "leaks", "office", "192.0.2.254").status == 0)
        #expect(try probe(site, "192.0.2.254")["goes"] == .string("tunnel"))
        kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try site.word("office") == "disconnected" })
        let blocked = try site.utunctl("doctor", "leaks", "office", "192.0.2.254")
        #expect(blocked.status == 0, "\(blocked)")
        #expect(try probe(site, "192.0.2.254")["goes"] == .string("nowhere"))
        #expect(try probe(site, "192.0.2.254")["promise"] == .string("held"))
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func aTunnelThatDoesNotRunIsSaidToTakeNothing() throws {
        let site = try Installation()
        try site.save("office")
        let result = try site.utunctl("doctor", "leaks", "office")
        #expect(result.status == 3)
        #expect(result.errors.contains("leaks office: it does not run"))
        #expect(try site.utunctl("doctor", "leaks", "nobody").status == 4)
        #expect(try site.utunctl("doctor", "leaks").status == 2)
        #expect(try site.utunctl("doctor", "leeks", "office").status == 2)
        #expect(try site.utunctl("doctor", "leaks", "office", "x").status == 2)
    }
}
