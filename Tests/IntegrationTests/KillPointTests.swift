import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Wherever a session host is killed in its life, the next verb clears what it left.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct KillPointTests {
    /// A kind of session, by what it sets.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case plain, fullTunnel, enforced, killSwitch, resolver

        var testDescription: String { rawValue }

        /// Each as `PATH=VALUE`.
        var settings: [String] {
            switch self {
            case .plain: ["routing.includedRoutes=[\"10.98.0.0/16\",\"fd98::/64\"]"]
            case .fullTunnel: ["routing.includedRoutes=[\"0.0.0.0/0\",\"::/0\"]"]
            case .enforced:
                [
                    "routing.includedRoutes=[\"10.98.0.0/16\",\"fd98::/64\"]",
                    "routing.excludedRoutes=[\"10.98.1.0/24\"]", "routing.enforceRoutes=true",
                ]
            case .killSwitch:
                ["routing.includeAllNetworks=true", "routing.excludedRoutes=[\"10.98.1.0/24\"]"]
            case .resolver: ["dns.servers=[\"10.99.0.2\"]"]
            }
        }
    }

    /// What comes after the kill.
    private enum Next: CaseIterable {
        case stop, start, repair
    }

    private static let mostCalls = 200

    private func site(_ kind: Kind) throws -> Installation {
        let site = try Installation()
        try site.save(
            "victim", "providerConfiguration.addresses=[\"10.99.0.1/30\",\"fd99::1/64\"]")
        for setting in kind.settings { try site.save("victim", setting) }
        try site.write(ResolverSite.original, to: "etc/resolv.conf")
        return site
    }

    /// What the kernel holds, and what the directory of resolv.conf and that file do.
    private func snapshot(_ site: Installation) throws -> String {
        let names = try Directory.names("\(site.root)/etc")
        return try Kernel.snapshot() + names.joined(separator: " ")
            + (site.read("etc/resolv.conf") ?? "none")
    }

    private func clear(_ site: Installation, by next: Next) throws {
        switch next {
        case .stop: break
        case .repair:
            // That alone leaves the block of a kill switch, as it is to.
            #expect(try site.utunctl("repair", "--unblock", "victim").status == 0)
        case .start:
            let start = try site.utunctl("start", "--wait", "victim")
            #expect(start.status == 0, "\(start)")
        }
        if next != .repair { #expect(try site.utunctl("stop", "victim").status == 0) }
    }

    @Test(arguments: Kind.allCases)
    func aSessionThatIsKilledAnywhereLeavesNothing(kind: Kind) throws {
        let site = try site(kind)
        let before = try snapshot(site)
        var kills = 0
        for call in KillPoint.calls {
            for number in 1...Self.mostCalls {
                let point = KillPoint(call: call, number: number)
                guard try isKilled(at: point, site) else { break }
                let left = try snapshot(site)
                #expect(left == before, "killed before \(point): \(left) is not \(before)")
                kills += 1
                #expect(number < Self.mostCalls)
            }
        }
        #expect(try snapshot(site) == before)
        // Otherwise the points were not those at which it does something.
        #expect(kills > 40)
    }

    /// Runs a session from start to stop; answers whether it was killed on the way, and then
    /// has it cleared.
    private func isKilled(at point: KillPoint, _ site: Installation) throws -> Bool {
        let host = try point.start(site, "victim")
        var stop: Command?
        while try host.statusIfEnded() == nil {
            if stop == nil, try site.word("victim") == "connected" {
                stop = try site.start("stop", "victim")
            }
            usleep(2000)
        }
        // A stop whose host is killed meanwhile does what the host did not come to.
        if let stopped = try stop?.finish() { #expect(stopped.status == 0, "\(stopped)") }
        let end = try host.finish()
        guard end.status != 0 else { return false }
        #expect(end.status == 128 + SIGKILL, "\(point): \(end)")
        let next = stop == nil ? Next.allCases[point.number % Next.allCases.count] : .repair
        try clear(site, by: next)
        return true
    }
}
