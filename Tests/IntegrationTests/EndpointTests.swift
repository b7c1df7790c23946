import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Tunnels with many servers: the endpoints of peers, of which each may be a name.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct EndpointTests {
    /// A script in the place of the WireGuard provider, which needs the host alone.
    private static let look = """
        import resource
        lengths = [len(os.read(entry["fd"], 100)) for entry in start["credentials"].values()]
        return {
            "resolved": start["resolved"] if len(start["resolved"]) < 10 else None,
            "names": len(start["resolved"]), "trust": len(start["trust"]),
            "credentials": len(lengths), "empty": lengths.count(0),
            "most": max(map(len, start["resolved"].values()), default=0),
            "locked": resource.getrlimit(resource.RLIMIT_MEMLOCK)[0],
            "own": os.read(start["credentials"]["privateKey"]["fd"], 1).decode(),
        }
        """

    /// A tunnel whose peers have these endpoints.
    private func site(
        _ endpoints: [String?],
        withPresharedKeys: Bool = false,
        _ settings: String...
    ) throws -> Installation {
        let site = try Installation()
        try site.write(
            "#!/usr/bin/python3\n\(ProbeProvider.script(Self.look, hearsQuickly: true))",
            to: "usr/libexec/utunctl/standin", mode: 0o755)
        try site.writeManifest(
            """
            {"formatVersion": 1, "identifier": "org.utunctl.wireguard", "protocolVersion": 1,
             "executable": "/usr/libexec/utunctl/standin", "credentials": ["privateKey"],
             "trust": "wireguard"}
            """, identifier: "org.utunctl.wireguard")
        var anchors: [String] = []
        var peers: [String] = []
        var credentials = [#""privateKey": "file:private""#]
        try site.write("k", to: "etc/utunctl/credentials/private", mode: 0o600)
        for (number, endpoint) in endpoints.enumerated() {
            anchors.append(
                """
                {"name": "peer\(number)", "kind": "wireguard", "publicKey": "\(key(number))"}
                """)
            let address = "10.\(64 + number >> 8 & 63).\(number & 255).1/32"
            let psk = withPresharedKeys ? #", "presharedKey": "psk\#(number)""# : ""
            peers.append(
                """
                {"trust": "wide/peer\(number)", "allowedIPs": ["\(address)"],
                 "endpoint": \(endpoint.map { "\"\($0)\"" } ?? "null")\(psk)}
                """)
            if withPresharedKeys {
                credentials.append("\"psk\(number)\": \"file:psk\(number)\"")
                try site.write("k", to: "etc/utunctl/credentials/psk\(number)", mode: 0o600)
            }
        }
        try site.write(
            """
            {"formatVersion": 1, "identifier": "wide", "anchors": [\(anchors.joined(separator: ","))]}
            """, to: "etc/utunctl/profiles/wide.json")
        let trust = endpoints.indices.map { "\"wide/peer\($0)\"" }.joined(separator: ",")
        try site.write(
            """
            {"name": "wide", "provider": "org.utunctl.wireguard", "trust": [\(trust)],
             "credentials": {\(credentials.joined(separator: ","))},
             "providerConfiguration": {"addresses": ["10.98.0.1/30"],
                                       "peers": [\(peers.joined(separator: ","))]}}
            """, to: "wide.json")
        let save = try site.utunctl("save", "--from", "\(site.root)/wide.json")
        guard save.status == 0 else { throw Unexpected("\(save)") }
        for setting in settings { try site.save("wide", setting) }
        return site
    }

    /// Another 32 bytes in base64 for each number.
    private func key(_ number: Int) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let text = [number >> 12 & 63, number >> 6 & 63, number & 63].map { digits[$0] }
        return String(repeating: "B", count: 36) + String(text) + "AAAA="
    }

    @Test func eachEndpointIsResolvedOnceAndLiteralsNeedNoResolver() throws {
        let site = try site([
            "vpn.example.org:1", "vpn.example.org:2", "192.0.2.9:1", "[2001:db8::9]:1", nil,
            "hub.example.org:1",
        ])
        let names = try NameService(
            site, "vpn.example.org,192.0.2.7,2001:db8::7", "hub.example.org,192.0.2.8")
        let resolved = try site.report(ofStarted: "wide").value("resolved")?.object
        #expect(
            Set(resolved?.keys ?? []) == [
                "vpn.example.org", "hub.example.org", "192.0.2.9", "2001:db8::9",
            ])
        #expect(
            resolved?["vpn.example.org"] == .array([.string("192.0.2.7"), .string("2001:db8::7")]))
        #expect(resolved?["2001:db8::9"] == .array([.string("2001:db8::9")]))
        let log = try names.finish()
        #expect(log.split(separator: "\n").count { $0.contains("query[A] vpn.example.org") } == 1)
    }

    @Test func aNameThatIsNotFoundIsNoReasonNotToStartWhereAnotherIs() throws {
        let site = try site(["gone.example.org:1", "vpn.example.org:1"])
        let names = try NameService(site, "vpn.example.org,192.0.2.7")
        let resolved = try site.report(ofStarted: "wide").value("resolved")?.object
        #expect(resolved?.keys == ["vpn.example.org"])
        #expect(site.log(of: "wide").contains("no address of gone.example.org yet: no such host"))
        _ = names
    }

    @Test(arguments: ["192.0.2.9:1", "vpn.example.org:1"])
    func aNameThatNobodyAnswersHoldsUpNoOther(other: String) throws {
        let site = try site(["silent.example.net:1", other])
        let names = try NameService(site, "vpn.example.org,192.0.2.7")
        // The deaf one is asked for everything but example.org.
        let deaf = try DatagramSocket(at: "127.0.0.2", port: 53)
        defer { withExtendedLifetime(deaf) {} }
        let forward = try Command([
            "dnsmasq", "--keep-in-foreground", "--conf-file=/dev/null", "--no-resolv",
            "--no-hosts", "--user=root", "--pid-file=\(site.root)/run/forward.pid",
            "--listen-address=127.0.0.3", "--bind-interfaces", "--server=127.0.0.2",
            "--server=/example.org/127.0.0.1",
        ])
        defer { forward.signal(SIGKILL) }
        try site.write("nameserver 127.0.0.3\n", to: "etc/resolv.conf")
        #expect(
            try eventually {
                try Command.run(["ss", "-Hlun", "src", "127.0.0.3"]).output.contains(":53")
            })
        let (resolved, seconds) = try timed {
            try site.report(ofStarted: "wide").value("resolved")?.object
        }
        #expect(resolved?.keys.count == 1)
        #expect(seconds < 4, "\(seconds) s")
        #expect(site.log(of: "wide").contains("no address of silent.example.net yet"))
        _ = names
    }

    @Test func whereNoEndpointHasAnAddressTheStartFailsAndNamesThem() throws {
        let site = try site(["gone.example.org:1", "lost.example.org:1", nil])
        let names = try NameService(site)
        let start = try site.utunctl("start", "--wait", "wide")
        #expect(start.status == 6, "\(start)")
        #expect(
            start.errors.contains(
                "serverAddressResolution: gone.example.org: no such host, and 1 more names"),
            "\(start)")
        #expect(try Kernel.tunnels().isEmpty)
        _ = names
    }

    @Test func withoutAnyEndpointNothingIsResolved() throws {
        let site = try site([nil, nil])
        try site.write("", to: "etc/resolv.conf")
        #expect(try site.report(ofStarted: "wide")["names"] == .integer(0))
    }

    @Test func aThousandPeersWithNamesAndKeysOfTheirOwnStartInBoundedTime() throws {
        let count = 1000
        let site = try site(
            (0..<count).map { "peer\($0).example.org:51820" }, withPresharedKeys: true)
        let names = try NameService(
            site, (0..<count).map { "peer\($0).example.org,192.0.\(2 + $0 >> 8).\($0 & 255)" },
            logs: false)
        let uplink = try Uplink()
        defer { withExtendedLifetime(uplink) {} }
        let (report, seconds) = try timed { try site.report(ofStarted: "wide") }
        #expect(report["names"] == .integer(Int64(count)))
        #expect(report["trust"] == .integer(Int64(count)))
        #expect(report["credentials"] == .integer(Int64(count + 1)))
        #expect(report["empty"] == .integer(0))
        #expect(report["most"] == .integer(1))
        #expect(report["own"] == .string(""))
        // As much as the host itself may, if that is less.
        let locked = report["locked"]?.integer.map { UInt64(bitPattern: $0) } ?? 0
        var limit = rlimit()
        #expect(getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit) == 0)
        #expect(locked >= min(limit.rlim_max, 64 << 20))
        #expect(seconds < 5, "\(seconds) s")
        #expect(try site.utunctl("status", "wide").status == 0)
        #expect(try site.utunctl("stop", "wide").status == 0)
        _ = names
    }

    @Test func aThousandNamesWithManyAddressesEachKeepToTheLineOfTheProtocol() throws {
        let count = 1000
        let site = try site((0..<count).map { "peer\($0).example.org:51820" })
        try site.write("", to: "etc/resolv.conf")
        let lines = (0..<count).flatMap { number in
            (1...6).map { "10.200.\(number >> 8).\($0) peer\(number).example.org" }
                + (1...6).map { "2001:db8:1234:5678:9abc:def0:\($0):1 peer\(number).example.org" }
        }
        try site.write(lines.joined(separator: "\n") + "\n", to: "etc/hosts")
        let report = try site.report(ofStarted: "wide")
        #expect(report["names"] == .integer(Int64(count)))
        #expect(report["most"] == .integer(4))
    }

    @Test func whatIsTooLongForTheProtocolEndsTheStartWithThatReason() throws {
        let site = try site((0..<6000).map { "192.0.2.\($0 & 255):\(1000 + $0)" })
        let start = try site.utunctl("start", "--wait", "wide")
        #expect(start.status == 6, "\(start)")
        #expect(start.errors.contains("longer than the protocol allows"), "\(start)")
        #expect(try Kernel.tunnels().isEmpty)
    }
}
