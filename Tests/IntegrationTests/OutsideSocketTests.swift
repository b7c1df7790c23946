import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Sockets to the outside that the session host makes for a provider without a network.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct OutsideSocketTests {
    private func report(_ look: String, _ settings: String...) throws -> JSONObject {
        let site = try Installation()
        try site.installProbe(look)
        try site.save("office", "provider=\(ProbeProvider.identifier)")
        for setting in settings { try site.save("office", setting) }
        return try site.report(ofStarted: "office")
    }

    @Test func aSocketComesWithTheFirstByteMarkedAndOwnedByTheProvider() throws {
        let report = try report(
            """
            found = []
            for family in ["inet", "inet6"]:
                for kind in ["datagram", "stream"]:
                    answer = ask("openSocket", family=family, transport=kind, port=0)
                    place, number = passed.pop()
                    made = socket.socket(fileno=number)
                    try:
                        made.setsockopt(socket.SOL_SOCKET, 36, 0)
                        change = "changed"
                    except OSError as error:
                        change = error.errno
                    found.append({
                        "error": answer.get("error"), "place": place, "change": change,
                        "mark": made.getsockopt(socket.SOL_SOCKET, 36),
                        "isOwn": os.fstat(number).st_uid == os.getuid() != 0,
                        "family": made.family.name, "type": made.type.name,
                        "isBlocking": made.getblocking(),
                    })
            return {"found": found}
            """)
        let found = report["found"]?.array?.compactMap(\.object) ?? []
        #expect(found.count == 4)
        #expect(
            found.map { "\($0["family"]?.string ?? "") \($0["type"]?.string ?? "")" } == [
                "AF_INET SOCK_DGRAM", "AF_INET SOCK_STREAM", "AF_INET6 SOCK_DGRAM",
                "AF_INET6 SOCK_STREAM",
            ])
        for socket in found {
            #expect(socket["error"] == .null)
            #expect(socket["place"] == .integer(0))
            #expect(socket["mark"] == .integer(0x7500_0075))
            #expect(socket["change"] == .integer(Int64(EPERM)))
            #expect(socket["isOwn"] == .bool(true))
        }
    }

    @Test func thePortIsNoneOrTheConfiguredOne() throws {
        let look = """
            def port(number):
                answer = ask("openSocket", family="inet", transport="datagram", port=number)
                if "error" in answer:
                    return answer["error"]
                return socket.socket(fileno=passed.pop()[1]).getsockname()[1]
            return {"found": [port(0) != 0, port(50007), port(50008)]}
            """
        let configured = try report(look, "providerConfiguration.listenPort=50007")
        #expect(
            configured["found"]
                == .array([
                    .bool(true), .integer(50007),
                    .string("port 50008 is not providerConfiguration.listenPort"),
                ]))
        let plain = try report(look)["found"]?.array ?? []
        #expect(plain.first == .bool(true))
        #expect(plain.dropFirst().allSatisfy { $0.string?.contains("listenPort") == true })
    }

    @Test func bothFamiliesHaveTheConfiguredPortAndAnotherProgramsIsNamed() throws {
        let look = """
            found = {}
            for family in ["inet", "inet6"]:
                answer = ask("openSocket", family=family, transport="datagram", port=50007)
                found[family] = answer.get("error")
                if not found[family]:
                    made = socket.socket(fileno=passed.pop()[1])
                    found[family] = made.getsockname()[1]
                    if family == "inet6":
                        found["only"] = made.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
                    found["received"] = made.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
                    found["sent"] = made.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
            return found
            """
        let both = try report(look, "providerConfiguration.listenPort=50007")
        #expect(both["inet"] == .integer(50007))
        #expect(both["inet6"] == .integer(50007))
        #expect(both["only"] == .integer(1))
        // The kernel counts its own cost too, and says twice what was asked for.
        for buffer in ["received", "sent"] { #expect(both[buffer] == .integer(8 << 20)) }
        let other = try DatagramSocket(at: "0.0.0.0", port: 50007)
        defer { withExtendedLifetime(other) {} }
        let one = try report(look, "providerConfiguration.listenPort=50007")
        #expect(one["inet"] == .string("another program has UDP port 50007 of IPv4"))
        #expect(one["inet6"] == .integer(50007))
    }

    @Test func aProviderGetsNoMoreThanFourSockets() throws {
        let report = try report(
            """
            answers = [ask("openSocket", family="inet", transport="datagram") for _ in range(6)]
            return {"count": len(passed), "errors": [a.get("error") for a in answers]}
            """)
        #expect(report["count"] == .integer(4))
        let refusal = JSONValue.string("more than 4 sockets")
        #expect(report["errors"] == .array([.null, .null, .null, .null, refusal, refusal]))
    }

    @Test func theHostShowsTheSocketAsTheProvidersOwn() throws {
        let site = try Installation()
        try site.installProbe(
            """
            ask("openSocket", family="inet", transport="datagram", port=50007)
            global kept
            kept = socket.socket(fileno=passed.pop()[1])
            return {"uid": os.getuid()}
            """)
        try site.save(
            "office", "provider=\(ProbeProvider.identifier)",
            "providerConfiguration.listenPort=50007")
        let uid = try site.report(ofStarted: "office")["uid"]?.integer ?? 0
        let line = RunningProcess(pid: getpid()).file("net/udp").split(separator: "\n")
            .first { $0.contains(":C357 ") }
        let fields = try #require(line).split(separator: " ")
        #expect(fields[7] == "\(uid)")
        #expect(uid != 0)
    }

    @Test func trafficFlowsThoughTheProviderSeesNoNetwork() throws {
        let neighbour = try Neighbour()
        let report = try report(
            """
            def echo(family, kind, peer):
                ask("openSocket", family=family, transport=kind)
                made = socket.socket(fileno=passed.pop()[1])
                made.settimeout(5)
                made.connect((peer, 7))
                made.sendall(b"there and back")
                return made.recv(100).decode()
            try:
                socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("\(Neighbour.v4)", 7))
                own = "reachable"
            except OSError as error:
                own = error.errno
            return {
                "interfaces": [name for _, name in socket.if_nameindex()], "own": own,
                "v4": echo("inet", "datagram", "\(Neighbour.v4)"),
                "v6": echo("inet6", "datagram", "\(Neighbour.v6)"),
                "stream": echo("inet", "stream", "\(Neighbour.v4)"),
            }
            """)
        #expect(report["interfaces"] == .array([.string("lo")]))
        #expect(report["own"] == .integer(Int64(ENETUNREACH)))
        for way in ["v4", "v6", "stream"] {
            #expect(report[way] == .string("there and back"), "\(way)")
        }
        _ = neighbour
    }
}
