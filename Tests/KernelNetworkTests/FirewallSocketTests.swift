import Glibc
import KernelNetwork
import TestSupport
import Testing

extension KernelSuite {
    /// What is read of tables that nft has made.
    @Suite struct FirewallSocketTests {
        private static let text = """
            table inet probe {
              comment "probe comment"
              set pause { type nf_proto; flags timeout; }
              set servers {
                type inet_proto . ipv4_addr . inet_service
                elements = { udp . 192.0.2.1 . 51820, udp . 192.0.2.2 . 51820 }
              }
              chain output {
                type filter hook output priority 0; policy accept;
                meta nfproto @pause accept
                meta l4proto . ip daddr . th dport @servers accept
                oif 7 drop
              }
            }
            """

        private static func nft(_ text: String) throws {
            let path = "/tmp/utunctl-firewall-\(getpid()).nft"
            let file = fopen(path, "w")
            fputs(text, file)
            fclose(file)
            defer { unlink(path) }
            let result = try Command.run(["nft", "-f", path])
            guard result.status == 0 else { throw Unexpected("nft: \(result)") }
        }

        private func withTable(_ body: () throws -> Void) throws {
            try Self.nft(Self.text)
            defer { _ = try? Command.run(["nft", "flush", "ruleset"]) }
            try body()
        }

        @Test func readsNameCommentAndState() throws {
            let socket = try FirewallSocket()
            #expect(try socket.table(named: "probe") == nil)
            #expect(try socket.tables().isEmpty)
            try withTable {
                let table = try #require(try socket.table(named: "probe"))
                #expect(table.comment == "probe comment" && !table.isDormant)
                #expect(try socket.tables() == [table])
                try Self.nft("table inet probe { flags dormant; }")
                #expect(try socket.table(named: "probe")?.isDormant == true)
            }
        }

        @Test func deletesATableAndSaysWhetherThereWasOne() throws {
            let socket = try FirewallSocket()
            #expect(try !socket.deleteTable(named: "probe"))
            try withTable { () throws in
                #expect(try socket.deleteTable(named: "probe"))
                #expect(try socket.table(named: "probe") == nil)
            }
            #expect(try !socket.deleteTable(named: "probe"))
        }

        @Test func anEqualTableHasAnEqualFingerprint() throws {
            let socket = try FirewallSocket()
            #expect(try socket.fingerprint(ofTable: "probe") == nil)
            var seen: Set<UInt64> = []
            for _ in 0..<3 {
                try withTable {
                    seen.insert(try #require(try socket.fingerprint(ofTable: "probe")))
                }
            }
            #expect(seen.count == 1)
        }

        @Test(arguments: [
            "add rule inet probe output accept",
            "insert rule inet probe output accept",
            "flush chain inet probe output",
            "delete table inet probe\ntable inet probe { }",
            "table inet probe { chain output { policy drop; }; }",
            "table inet probe { flags dormant; }",
            "add element inet probe servers { udp . 192.0.2.3 . 51820 }",
            "delete element inet probe servers { udp . 192.0.2.2 . 51820 }",
            "add chain inet probe other { type filter hook input priority 0; policy drop; }",
        ])
        func whateverIsChangedChangesTheFingerprint(change: String) throws {
            let socket = try FirewallSocket()
            try withTable {
                let before = try socket.fingerprint(ofTable: "probe")
                #expect(try socket.fingerprint(ofTable: "probe") == before)
                try Self.nft(change)
                #expect(try socket.fingerprint(ofTable: "probe") != before)
            }
        }

        @Test func aTransientSetDoesNotCount() throws {
            let socket = try FirewallSocket()
            try withTable {
                let before = try socket.fingerprint(ofTable: "probe", without: ["pause"])
                #expect(try socket.millisecondsLeft(inSet: "pause", ofTable: "probe") == nil)
                try Self.nft("add element inet probe pause { ipv4 timeout 60s, ipv6 timeout 30s }")
                #expect(try socket.fingerprint(ofTable: "probe", without: ["pause"]) == before)
                let left = try #require(
                    try socket.millisecondsLeft(inSet: "pause", ofTable: "probe"))
                #expect((50_000...60_000).contains(left), "\(left)")
                #expect(try socket.millisecondsLeft(inSet: "gone", ofTable: "probe") == nil)
            }
        }

        @Test func anotherTableIsNotPartOfIt() throws {
            let socket = try FirewallSocket()
            try withTable {
                let before = try socket.fingerprint(ofTable: "probe")
                try Self.nft(
                    """
                    table inet other {
                      set servers { type ipv4_addr; elements = { 192.0.2.9 } }
                      chain output { type filter hook output priority 0; ip daddr @servers drop; }
                    }
                    """)
                #expect(try socket.fingerprint(ofTable: "probe") == before)
                #expect(try Set(socket.tables().map(\.name)) == ["probe", "other"])
            }
        }

        @Test func eventsNameTheTableThatHasChanged() throws {
            let events = try FirewallEventSocket()
            let none = try events.read()
            #expect(none.tables.isEmpty && !none.hasLost)
            try withTable {
                #expect(try events.read().mayConcern("probe"))
                #expect(try !events.read().mayConcern("probe"))
                try Self.nft("add table inet other")
                let other = try events.read()
                #expect(other.mayConcern("other") && !other.mayConcern("probe"))
                try Self.nft("add rule inet probe output accept")
                #expect(try events.read().tables == ["probe"])
                try Self.nft("flush ruleset")
                #expect(try events.read().mayConcern("probe"))
            }
        }
    }
}
