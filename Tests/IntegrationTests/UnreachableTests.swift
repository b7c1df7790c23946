import Glibc
import TestSupport
import Testing

/// Networks that refuse: they are no end of the tunnel, and nothing to be busy with.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct UnreachableTests {
    /// What the network underneath does.
    enum Trouble: CaseIterable, Sendable {
        /// Nobody listens there: ICMP says so.
        case closedPort
        /// A filter says that the host is forbidden.
        case prohibited
        /// This host has no route any more.
        case noRoute
        /// The cable is out.
        case noCarrier
    }

    @Test(arguments: InteropSite.Program.ours, Trouble.allCases)
    func aRefusalEndsNothingAndKeepsNobodyBusy(
        program: InteropSite.Program,
        trouble: Trouble
    ) throws {
        let site = try InteropSite(program)
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
        let pid = site.near.pid
        try begin(trouble, site)
        let echoes = try Echoes(to: InteropSite.farAddress, count: 110, every: 0.01)
        usleep(100_000)
        let before = try ProcessUsage.processorSeconds(of: pid)
        sleep(1)
        #expect(try ProcessUsage.processorSeconds(of: pid) - before < 0.3)
        let count = try echoes.finish()
        #expect(count.received == 0)
        try end(trouble, site)
        // Where the peer has lost its session, it is begun anew after fifteen seconds.
        #expect(
            try Echoes.arrive(
                at: InteropSite.farAddress, within: trouble == .closedPort ? 21 : 6))
        #expect(site.near.pid == pid)
    }

    private func begin(_ trouble: Trouble, _ site: InteropSite) throws {
        let host = site.host
        switch trouble {
        case .closedPort:
            site.far.stop()
            // The probe must not be blind: the kernel there does refuse.
            #expect(try Self.isRefused(at: host.v4))
        case .prohibited:
            try host.place.run("nft", "add", "table", "inet", "refusal")
            try host.place.run(
                "nft", "add", "chain", "inet", "refusal", "in",
                "{ type filter hook input priority 0; }")
            try host.place.run(
                "nft", "add", "rule", "inet", "refusal", "in", "udp", "dport",
                "\(InteropSite.port)", "reject", "with", "icmp", "type", "admin-prohibited")
        case .noRoute:
            try Kernel.ip("addr", "flush", "dev", host.interface)
        case .noCarrier:
            try host.place.run("ip", "link", "set", host.farInterface, "down")
        }
    }

    private func end(_ trouble: Trouble, _ site: InteropSite) throws {
        let host = site.host
        switch trouble {
        case .closedPort: try site.restartFar()
        case .prohibited: try host.place.run("nft", "delete", "table", "inet", "refusal")
        case .noRoute: try Kernel.ip("addr", "add", "\(host.nearV4)/28", "dev", host.interface)
        case .noCarrier:
            try host.place.run("ip", "link", "set", host.farInterface, "up")
        }
    }

    private static func isRefused(at address: String) throws -> Bool {
        let script = """
            import socket, sys
            one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            one.connect((sys.argv[1], \(InteropSite.port)))
            one.settimeout(1)
            one.send(b"x")
            try:
                one.recv(1)
            except ConnectionRefusedError:
                print("refused")
            """
        return try Place.here.run("/usr/bin/python3", "-c", script, address)
            .contains("refused")
    }
}
