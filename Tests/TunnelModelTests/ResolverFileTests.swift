import Testing
import TunnelModel

/// The content of resolv.conf: whose it is, and that nothing of what was before is lost in ours.
@Suite struct ResolverFileTests {
    private static let mark = "utunctl:\(Model.identifier)"

    private func composed(
        _ former: ResolverFile.Former, _ change: (inout DNSSettings) -> Void = { _ in }
    )
        -> [UInt8]
    {
        var settings = DNSSettings()
        settings.servers = [IPAddress(v4: 0x0A09_0001)]
        change(&settings)
        return ResolverFile.compose(settings, mark: Self.mark, name: "office", former: former)
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func oursSaysWhoseItIsAndWhatWasBefore() {
        let bytes = composed(.content(Array("nameserver 192.0.2.53\nsearch home\n".utf8))) {
            $0.searchDomains = ["example.org", "corp.example"]
        }
        #expect(
            text(bytes) == """
                # \(Self.mark) office
                # The lines that begin with #| were here before, and are put back by: \
                utunctl stop office
                # former: 2 lines
                #|nameserver 192.0.2.53
                #|search home
                nameserver 10.9.0.1
                search example.org corp.example

                """)
    }

    @Test(arguments: [
        "", "\n", "\n\n", "nameserver 192.0.2.53", "nameserver 192.0.2.53\n", "a\r\nb\r\n",
        "# former: 7 lines\n#|x\n", "#|x", "no newline\n\nat the end", "\u{0}\n\u{FEFF}é\n",
        "# utunctl\nnameserver 192.0.2.1\n",
    ])
    func whatWasBeforeComesBackByteForByte(original: String) {
        let bytes = Array(original.utf8)
        let found = ResolverFile(composed(.content(bytes)))
        #expect(found.mark == Self.mark)
        #expect(found.name == "office")
        #expect(found.former == .content(bytes))
    }

    @Test func bytesThatAreNoTextComeBackToo() {
        let bytes: [UInt8] = [0xFF, 0x00, 0x0A, 0x23, 0x7C, 0x0A, 0xC3]
        #expect(ResolverFile(composed(.content(bytes))).former == .content(bytes))
    }

    @Test func thatThereWasNoneComesBack() {
        #expect(ResolverFile(composed(.nothing)).former == .nothing)
    }

    @Test func aFileOfOthersIsWhatIsThereWithoutUs() {
        for original in ["", "nameserver 192.0.2.53\n", " # utunctl:x y\n", "# by utunctl:x\n"] {
            let file = ResolverFile(Array(original.utf8))
            #expect(file.mark == nil)
            #expect(file.former == .content(Array(original.utf8)))
        }
    }

    @Test(arguments: [
        ("# former: 2 lines\n", ""), ("#|nameserver 192.0.2.53\n", ""),
        ("2 lines", "3 lines"), ("2 lines", "-1 lines"), ("2 lines", "many lines"),
        ("#|search", "#search"),
    ])
    func whereTheLinesWereChangedNothingIsPretended(part: String, other: String) {
        let whole = text(composed(.content(Array("nameserver 192.0.2.53\nsearch a\n".utf8))))
        let changed = whole.replacing(part, with: other)
        #expect(changed != whole)
        let file = ResolverFile(Array(changed.utf8))
        #expect(file.mark == Self.mark)
        #expect(file.former == .lost)
    }

    @Test func theServersOfBeforeAreNotOurs() {
        let original =
            "nameserver 192.0.2.53\n  nameserver\t2001:db8::53 # x\nnameserver\n#nameserver 1.1.1.1\nnameserver x\n"
        let expected = ["192.0.2.53", "2001:db8::53"]
        #expect(ResolverFile(Array(original.utf8)).formerServers.map(\.description) == expected)
        let ours = ResolverFile(composed(.content(Array(original.utf8))))
        #expect(ours.formerServers.map(\.description) == expected)
        #expect(ResolverFile(composed(.nothing)).formerServers.isEmpty)
    }

    @Test(arguments: [
        ("search a.example b.example\n", ["a.example", "b.example"]),
        ("search a.example\nsearch b.example\n", ["b.example"]),
        ("search a.example\ndomain b.example c.example\n", ["b.example"]),
        ("nameserver 192.0.2.53\n", []), ("search\n", []),
    ])
    func theSearchDomainsOfBeforeAreNotOurs(original: String, domains: [String]) {
        var settings = DNSSettings()
        settings.servers = [IPAddress(v4: 1)]
        settings.searchDomains = ["tunnel.example"]
        let ours = ResolverFile.compose(
            settings, mark: "utunctl:x", name: "office", former: .content(Array(original.utf8)))
        #expect(ResolverFile(ours).formerSearchDomains == domains)
        #expect(ResolverFile(Array(original.utf8)).formerSearchDomains == domains)
    }

    @Test func nobodyReadsMoreThanThreeServers() {
        let bytes = composed(.nothing) { settings in
            settings.servers = (1...5).map { IPAddress(v4: 0x0A09_0000 + $0) }
        }
        let lines = text(bytes).split(separator: "\n").filter { $0.hasPrefix("nameserver") }
        #expect(lines == ["nameserver 10.9.0.1", "nameserver 10.9.0.2", "nameserver 10.9.0.3"])
    }

    @Test func optionsStayButForWhatOnlyTheFormerServersEarned() {
        let original = """
            options edns0 trust-ad
            sortlist 192.0.2.0
            nameserver 192.0.2.53
            options ndots:2 edns0 \u{1}

            """
        let lines = text(composed(.content(Array(original.utf8)))).split(separator: "\n")
        #expect(lines.last == "options edns0 ndots:2")
        #expect(!lines.contains { $0.hasPrefix("sortlist") })
    }
}
