import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// The MTU follows from the ways to the servers, as the kernel knows them.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct MTUTests {
    private let site: Installation

    init() throws {
        site = try Installation()
    }

    private func tunnel(_ endpoints: [String], settings: [String] = []) throws -> EnrolledTunnel {
        let peers = endpoints.enumerated().map { number, address in
            WireGuardFile.Peer(
                WireGuardKey.publicKeyOfNobody(),
                endpoint: address.contains(":") ? "[\(address)]:51820" : "\(address):51820",
                allowedIPs: ["10.9.0.\(number + 2)/32"])
        }
        let file = WireGuardFile(
            key: try WireGuardKey(), addresses: ["10.9.0.1/24", "fd09::1/64"], peers: peers)
        return try EnrolledTunnel(file, settings: settings, at: site)
    }

    private func mtu() throws -> (Int64?, String?) {
        let status = try site.status("office")
        return (
            status.value("interface.mtu")?.integer, status.value("interface.mtuOrigin")?.string
        )
    }

    @Test func itIsThatOfTheLinkLessWhatIsAdded() throws {
        let host = try FarHost()
        try Kernel.ip("link", "set", host.interface, "mtu", "1492")
        let tunnel = try tunnel([host.v6])
        try tunnel.begin()
        #expect(try mtu() == (1412, "1492 of the path to \(host.v6), less 80"))
        #expect(
            try site.utunctl("status", "office").output.contains(
                "mtu 1412 (1492 of the path to \(host.v6), less 80)"))
    }

    @Test func theNarrowestWayOfSeveralCounts() throws {
        let hosts = try (0..<2).map { try FarHost(number: $0) }
        try Kernel.ip("link", "set", hosts[1].interface, "mtu", "1400")
        let tunnel = try tunnel([hosts[0].v6, hosts[1].v6])
        try tunnel.begin()
        #expect(try mtu() == (1320, "1400 of the path to \(hosts[1].v6), less 80"))
    }

    @Test func itFollowsLinksAndRoutes() throws {
        let host = try FarHost()
        let tunnel = try tunnel([host.v4])
        try tunnel.begin()
        #expect(try mtu() == (1440, "1500 of the path to \(host.v4), less 60"))
        try Kernel.ip("link", "set", host.interface, "mtu", "1400")
        #expect(try eventually { try mtu() == (1340, "1400 of the path to \(host.v4), less 60") })
        try Kernel.ip("link", "set", host.interface, "mtu", "1500")
        #expect(try eventually { try mtu().0 == 1440 })
        // A route may allow less than its link.
        try Kernel.ip("route", "add", "\(host.v4)/32", "dev", host.interface, "mtu", "1450")
        #expect(try eventually { try mtu() == (1390, "1450 of the path to \(host.v4), less 60") })
        #expect(site.log(of: "office").contains("the MTU is 1390 now"))
        // IPv6 within has its least, and keeps its address.
        try Kernel.ip("link", "set", host.interface, "mtu", "1300")
        #expect(
            try eventually {
                try mtu() == (1280, "IPv6 needs it; 1300 of the path to \(host.v4), less 60")
            })
        let addresses = try site.status("office").value("interface.addresses")?.array
        #expect(addresses?.count == 2)
    }

    @Test func whoeverSaysItIsNotOverruled() throws {
        let host = try FarHost()
        try Kernel.ip("link", "set", host.interface, "mtu", "1400")
        let tunnel = try tunnel([host.v4], settings: ["interface.mtu=1380"])
        try tunnel.begin()
        #expect(try mtu() == (1380, "interface.mtu"))
        try Kernel.ip("link", "set", host.interface, "mtu", "1350")
        usleep(400_000)
        #expect(try mtu() == (1380, "interface.mtu"))
    }

    @Test func aProviderIsToldBeforeItsSettingsAreInForceAndWheneverItChanges() throws {
        let host = try FarHost()
        try site.installPythonProvider(
            "listener",
            """
            import json, socket
            channel = socket.socket(fileno=3)
            lines = channel.makefile("rb")
            def say(kind, **members):
                channel.sendall((json.dumps({"type": kind, **members}) + "\\n").encode())
            json.loads(lines.readline())
            say("settings", id=1, addresses=["10.98.0.1/30"], overhead=100)
            heard = []
            while True:
                message = json.loads(lines.readline())
                heard.append(message["type"] + " " + str(message.get("mtu", "")))
                if message["type"] == "settingsApplied": say("connected")
                if message["type"] == "query": say("report", id=message["id"], heard=heard)
                if message["type"] == "stop":
                    say("stopped")
                    break
            """)
        try site.save("office", "provider=org.example.listener", "serverAddress=\(host.v4)")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        func heard() throws -> [String] {
            let report = try site.status("office").value("provider.report")?.object
            return (report?["heard"]?.array ?? []).compactMap(\.string)
                .filter { !$0.hasPrefix("query") && !$0.hasPrefix("pathChanged") }
        }
        #expect(try heard() == ["interfaceChanged 1400", "settingsApplied "])
        try Kernel.ip("link", "set", host.interface, "mtu", "1300")
        #expect(try eventually { try heard().last == "interfaceChanged 1200" })
    }
}
