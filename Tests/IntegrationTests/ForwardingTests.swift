import Glibc
import JSON
import TestSupport
import Testing

/// A host that forwards for a tunnel is no router between its other networks.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ForwardingTests {
    /// Two hosts on links of this one that know a way to each other, one of which floods the other.
    private final class Site {
        let from: FarHost
        let to: FarHost
        let installation: Installation
        private let flood: Command

        init(_ settings: String...) throws {
            from = try FarHost(number: 4)
            to = try FarHost(number: 5)
            installation = try Installation()
            try from.place.run("ip", "route", "add", "default", "via", from.nearV4)
            try to.place.run("ip", "route", "add", "default", "via", to.nearV4)
            try to.place.run(
                "nft",
                """
                table inet count {
                  counter through {}
                  chain c {
                    type filter hook prerouting priority -300;
                    ip saddr \(from.v4) counter name through
                  }
                }
                """)
            flood = try from.place.daemon([
                "/usr/bin/python3", "-c",
                """
                import socket, time
                one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                print("ready", flush=True)
                while True:
                    for _ in range(20):
                        try: one.sendto(b"x", ("\(to.v4)", 9))
                        except OSError: pass
                    time.sleep(0.0005)
                """,
            ])
            _ = try flood.output(until: "ready")
            let edits = (["routing.forward=true"] + settings).flatMap { ["--set", $0] }
            try installation.save("office")
            let save = try Command.run(installation.command(["save", "office"] + edits))
            guard save.status == 0 else { throw Unexpected("\(save)") }
        }

        deinit {
            flood.signal(9)
            _ = try? flood.finish()
            _ = try? installation.utunctl("unblock", "office")
            _ = try? installation.utunctl("stop", "office")
        }

        /// How many packets have come from one to the other.
        func through() throws -> Int {
            let words = try to.place.run("nft", "list", "counter", "inet", "count", "through")
                .split(whereSeparator: \.isWhitespace)
            guard let place = words.firstIndex(of: "packets"), let count = Int(words[place + 1])
            else { throw Unexpected("no counter") }
            return count
        }

        func utunctl(_ arguments: String...) throws {
            let result = try Command.run(installation.command(arguments))
            guard result.status == 0 else {
                throw Unexpected("\(arguments): \(result)\n\(installation.log(of: "office"))")
            }
        }

        func killHost() throws {
            kill(try installation.livingHost(of: "office"), SIGKILL)
            guard try eventually({ try installation.word("office") == "disconnected" }) else {
                throw Unexpected("the host lives on")
            }
        }

        /// Whether the probe sees anything, once this host forwards.
        func seesWhatIsForwarded() throws -> Bool {
            try Kernel.setForwarding(true)
            defer { try? Kernel.setForwarding(false) }
            let before = try through()
            return try eventually { try through() > before }
        }
    }

    private static let modes: [[String]] = [
        ["routing.masquerade=true"],
        ["routing.enforceRoutes=true"],
        ["routing.includeAllNetworks=true", "routing.excludeLocalNetworks=true"],
    ]

    @Test(arguments: modes)
    func nothingIsForwardedBetweenOthersAtAnyStep(mode: [String]) throws {
        let site = try Site(mode[0], mode.last ?? mode[0])
        #expect(try site.seesWhatIsForwarded())
        usleep(50_000)
        let before = try site.through()
        let settings = try Firewall.settings()
        for _ in 0..<6 {
            try site.utunctl("start", "--wait", "office")
            try site.utunctl("stop", "office")
        }
        #expect(try site.through() == before)
        for _ in 0..<4 {
            try site.utunctl("start", "--wait", "office")
            try site.killHost()
            try site.utunctl("repair", "office")
        }
        for _ in 0..<4 {
            try site.utunctl("start", "--wait", "office")
            try site.killHost()
        }
        try site.utunctl("unblock", "office")
        #expect(try site.through() == before)
        #expect(try Firewall.settings() == settings)
        #expect(try site.installation.warnings("office").isEmpty)
    }

    @Test func aPauseLiftsTheBlockOfThisHostAndMakesNoRouterOfIt() throws {
        let site = try Site("routing.includeAllNetworks=true", "routing.excludeLocalNetworks=true")
        let settings = try Firewall.settings()
        let before = try site.through()
        try site.utunctl("start", "--wait", "office")
        try site.utunctl("pause", "office", "--for", "1h")
        #expect(try Command.run(["ping", "-c", "1", "-W", "5", site.to.v4]).status == 0)
        usleep(200_000)
        #expect(try site.through() == before)
        try site.killHost()
        // What only forwards because of a tunnel that is gone is told of.
        #expect(try site.installation.warnings("office").contains("leftovers"))
        usleep(200_000)
        #expect(try site.through() == before)
        try site.utunctl("unblock", "office")
        usleep(200_000)
        #expect(try site.through() == before)
        #expect(try Firewall.settings() == settings)
    }

    @Test func aHostThatBecameARouterMeanwhileStaysOne() throws {
        let site = try Site("routing.masquerade=true")
        let settings = try Firewall.settings()
        try site.utunctl("start", "--wait", "office")
        defer { try? Kernel.setForwarding(false) }
        // As a container engine does, which then brings links of its own.
        try Kernel.setForwarding(true)
        try Kernel.ip("link", "add", "bridge9", "type", "bridge")
        defer { _ = try? Command.run(["ip", "link", "delete", "bridge9"]) }
        let before = try site.through()
        #expect(try eventually { try site.through() > before })
        try site.utunctl("stop", "office")
        let after = try site.through()
        #expect(try eventually { try site.through() > after })
        try Kernel.ip("link", "delete", "bridge9")
        try Kernel.setForwarding(false)
        #expect(try Firewall.settings() == settings)
    }
}
