import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// `wg` reads our tunnels, learns no secret, and changes nothing.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct WgToolTests {
    private static let socket = "/var/run/wireguard/utun0.sock"

    private func site() throws -> InteropSite {
        let site = try InteropSite(.utunctl) {
            $0.hasPresharedKey = true
            $0.nearKeepalive = 25
        }
        guard try Echoes.run(to: InteropSite.farAddress, count: 5).received == 5 else {
            throw Unexpected("the tunnel does not run")
        }
        return site
    }

    @Test func itShowsWhatTheReportSays() throws {
        let site = try site()
        #expect(try Place.here.run("wg", "show", "interfaces") == "utun0\n")
        let text = try Place.here.run("wg", "show")
        let peer = try #require(site.nearFile.peers.first)
        for line in [
            "interface: utun0", "listening port: 51820", "peer: \(peer.publicKey)",
            "endpoint: \(site.host.v4):51820",
            "allowed ips: \(InteropSite.farAddress)/32, \(InteropSite.farV6)/128",
            "latest handshake: ", "persistent keepalive: every 25 seconds",
        ] {
            #expect(text.contains(line), "\(line) in:\n\(text)")
        }
        let dump = try Place.here.run("wg", "show", "all", "dump").split(separator: "\n")
            .map { $0.split(separator: "\t").map(String.init) }
        try #require(dump.count == 2 && dump[1].count == 9, "\(dump)")
        #expect(dump[0][0] == "utun0" && dump[0][1] == "(none)" && dump[0][3] == "51820")
        #expect(dump[1][1] == peer.publicKey && dump[1][2] == "(none)")
        let report = try #require(try site.tunnel.status.peers.first)
        #expect(report["receivedBytes"]?.integer.map { "\($0)" } == dump[1][6])
        #expect(report["sentBytes"]?.integer.map { "\($0)" } == dump[1][7])
        let handshake = try site.far.lastHandshake(with: site.nearFile.key.publicKey)
        #expect(Int(dump[1][5]).map { abs($0 - handshake) <= 1 } == true)
    }

    @Test func itShowsNoSecret() throws {
        let site = try site()
        let secrets = [site.nearFile.key.secret] + site.nearFile.peers.compactMap(\.presharedKey)
        #expect(secrets.count == 2)
        for arguments in [
            ["show"], ["show", "all", "dump"], ["showconf", "utun0"],
            ["show", "utun0", "private-key"], ["show", "utun0", "preshared-keys"],
        ] {
            let result = try Command.run(["wg"] + arguments)
            #expect(result.status == 0, "\(arguments): \(result)")
            for secret in secrets { #expect(!result.description.contains(secret)) }
        }
        // The probe must not be blind: the other end, which is not ours, tells them.
        let reference = try site.host.place.run("wg", "showconf", "wg0")
        #expect(reference.contains("PrivateKey = ") && reference.contains("PresharedKey = "))
        let ours = try Place.here.run("wg", "showconf", "utun0")
        #expect(ours.contains("ListenPort = 51820") && ours.contains("[Peer]"))
        #expect(!ours.contains("PrivateKey") && !ours.contains("PresharedKey"))
    }

    @Test func itChangesNothing() throws {
        let site = try site()
        let before = try Place.here.run("wg", "showconf", "utun0")
        let key = site.farFile.key.publicKey
        for words in [
            ["listen-port", "4242"], ["peer", key, "remove"],
            ["peer", key, "allowed-ips", "0.0.0.0/0"],
            ["peer", try WireGuardKey().publicKey, "allowed-ips", "10.83.0.0/24"],
        ] {
            let result = try Command.run(["wg", "set", "utun0"] + words)
            #expect(result.status != 0, "\(words)")
        }
        #expect(try Place.here.run("wg", "showconf", "utun0") == before)
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 3).received == 3)
    }

    @Test func theSocketIsTheOwnersAloneAndGoesWithTheTunnel() throws {
        let site = try site()
        var status = stat()
        #expect(lstat(Self.socket, &status) == 0)
        #expect(status.st_mode == S_IFSOCK | 0o600)
        #expect(try site.tunnel.site.utunctl("stop", "office").status == 0)
        #expect(lstat(Self.socket, &status) == -1)
        try site.tunnel.connect()
        kill(site.near.pid, SIGKILL)
        #expect(eventually { lstat(Self.socket, &status) == -1 })
    }

    @Test func whoHangsOnTheSocketHoldsUpNobody() throws {
        let site = try site()
        let script = """
            import os, socket, time
            held = []
            for n in range(200):
                client = socket.socket(socket.AF_UNIX)
                client.setblocking(False)
                try:
                    client.connect("\(Self.socket)")
                    client.send([b"", b"get=1", b"get=1\\n\\n" * 50, os.urandom(3000),
                                 b"set=1\\nprivate_key=" + b"0" * 64 + b"\\n\\n"][n % 5])
                except OSError:
                    pass
                held.append(client)
            print("held", flush=True)
            time.sleep(60)
            """
        let clients = try Place.here.daemon(["/usr/bin/python3", "-c", script])
        #expect(try clients.output(until: "held").contains("held"))
        #expect(try Echoes.run(to: InteropSite.farAddress, count: 20).received == 20)
        let before = try ProcessUsage.processorSeconds(of: site.near.pid)
        sleep(1)
        #expect(try ProcessUsage.processorSeconds(of: site.near.pid) - before < 0.2)
        #expect(try ProcessUsage.residentMebibytes(of: site.near.pid) < 32)
        clients.signal(SIGKILL)
        _ = try clients.finish()
        #expect(
            try eventually {
                try Command.run(["wg", "show", "utun0", "peers"], seconds: 2).output
                    == "\(site.farFile.key.publicKey)\n"
            })
    }
}
