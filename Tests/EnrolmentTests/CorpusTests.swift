import Enrolment
import Glibc
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

/// What the files of `Corpus` come to.
///
/// Another file is `Corpus/NAME.conf`, `bad-…` where it is to be refused, its keys made for it.
/// With CORPUS_RECORD set, the tests write what a file comes to that has no `NAME.expected`;
/// whoever adds it looks whether that is right.
@Suite struct CorpusTests {
    @Test func thereAreEnoughOfThem() {
        #expect(QuickCorpus.good.count >= 50)
        #expect(QuickCorpus.files.count - QuickCorpus.good.count >= 40)
    }

    @Test(arguments: QuickCorpus.files) func eachComesToWhatIsExpected(file: QuickCorpus.File)
        throws
    {
        let found = Self.rendering(of: file.bytes)
        #expect(found.hasPrefix("error") == file.isBad)
        if file.expectation == nil, getenv("CORPUS_RECORD") != nil {
            try AtomicFile.replace(file.expectationPath, with: Array(found.utf8), mode: 0o644)
        } else {
            #expect(found == file.expectation, "\(file):\n\(found)")
        }
    }

    @Test(arguments: QuickCorpus.good) func eachLineWithAValueIsReported(file: QuickCorpus.File)
        throws
    {
        let report = try QuickFile(parsing: file.bytes).report(named: "x")
        let text = String(decoding: file.bytes, as: UTF8.self).replacing("\r\n", with: "\n")
            .replacing("\r", with: "\n")
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { $0.element.prefix { $0 != "#" }.contains("=") }.map { $0.offset + 1 }
        // A peer without networks is told by the line of its section.
        let told = Set(report.compactMap(\.line))
        #expect(Set(lines).isSubset(of: told), "\(Set(lines).subtracting(told).sorted())")
    }

    @Test func noKeyStandsInTwoFiles() {
        var owners: [String: String] = [:]
        for file in QuickCorpus.files {
            let words = file.bytes.split { $0 <= 0x20 || $0 == UInt8(ascii: "#") }
                .map { String(decoding: $0.suffix(WireGuardKey.textLength), as: UTF8.self) }
            for key in Set(words) where WireGuardKey.problem(of: key) == nil {
                let isZero = key.allSatisfy { "A=".contains($0) }
                let earlier = owners.updateValue(file.name, forKey: key)
                #expect(isZero || earlier == nil, "\(file), \(earlier ?? "")")
            }
        }
        #expect(owners.count > 150)
    }

    /// What a file comes to, a value a line, and each line of it that is not simply kept.
    private static func rendering(of bytes: [UInt8]) -> String {
        let file: QuickFile
        do throws(QuickFileError) { file = try QuickFile(parsing: bytes) } catch {
            return "error \(error.text)\n" + (error.hint.map { "hint \($0)\n" } ?? "")
        }
        let tunnel = file.tunnel(named: "x", of: "x")
        var lines: [String] = []
        func add(_ key: String, _ values: [String?]) {
            let values = values.compactMap(\.self)
            if !values.isEmpty { lines.append("\(key) \(values.joined(separator: " "))") }
        }
        add("privateKey", [text(tunnel.secrets["x.privateKey"])])
        add("addresses", tunnel.own.addresses.map(\.description))
        add("listenPort", [tunnel.own.listenPort?.description])
        add("mtu", [tunnel.mtu?.description])
        add("dns.servers", tunnel.dnsServers.map(\.description))
        add("dns.searchDomains", tunnel.searchDomains)
        add("includedRoutes", [tunnel.includedRoutes.map { "\($0)" }])
        add("forward", [tunnel.forward ? "true" : nil])
        add("masquerade", [tunnel.masquerade ? "true" : nil])
        add("mssClamp", [tunnel.mssClamp ? "true" : nil])
        for (peer, anchor) in zip(tunnel.own.peers, tunnel.anchors) {
            add("peer", [anchor.value])
            add("  presharedKey", [peer.presharedKey.flatMap { text(tunnel.secrets["x.\($0)"]) }])
            add("  endpoint", [peer.endpoint?.text])
            add("  allowedIPs", peer.allowedIPs.map(\.description))
            add("  persistentKeepalive", [peer.persistentKeepalive?.description])
        }
        for item in file.report(named: "x") where item.outcome != .kept {
            lines.append(
                "line \(item.line ?? 0) \(item.key) \(item.outcome.rawValue): \(item.text)")
        }
        return lines.map { "\($0)\n" }.joined()
    }

    private static func text(_ secret: Secret?) -> String? {
        secret.map { String(decoding: $0.bytes, as: UTF8.self) }
    }
}
