import Enrolment
import TestSupport
import Testing
import TunnelModel

@Suite struct QuickFileErrorTests {
    /// Lines of `[Interface]`, which begin at line 4, and what is told.
    @Test(
        arguments: [
            ("Adress = 10.0.0.1", "line 4: unknown key in [Interface]", "did you mean Address?"),
            ("Endpoint = h:1", "line 4: Endpoint belongs into [Peer]", nil),
            ("PrivateKey = x", "line 4: PrivateKey stands in line 2 already", nil),
            ("\n\nMTU = 1400\nMTU = 1400", "line 7: MTU stands in line 6 already", nil),
            ("MTU = 67", "line 4: MTU: not a number from 68 to 65535", nil),
            ("MTU = 1e3", "line 4: MTU: not a number from 68 to 65535", nil),
            ("MTU =", "line 4: MTU: not a number from 68 to 65535", nil),
            ("ListenPort = 65536", "line 4: ListenPort: not a number from 0 to 65535", nil),
            ("ListenPort = -1", "line 4: ListenPort: not a number from 0 to 65535", nil),
            ("ListenPort = 99999999999", "line 4: ListenPort: not a number from 0 to 65535", nil),
            ("Address = 10.0.0.1/33", "line 4: Address: not an address or ADDRESS/LENGTH", nil),
            ("Address = 10.0.0.1, x", "line 4: Address: item 2 is not an address or", nil),
            ("Address = 10.0.0.1/24fd00::1/64", "line 4: Address: not an address or", nil),
            ("Address = fe80::1/64", "line 4: Address: fe80::1/64 is not an address for", nil),
            ("Address = 127.0.0.1/8", "line 4: Address: 127.0.0.1/8 is not an address for", nil),
            (
                "Address = 10.0.0.1/7", "line 4: Address: 10.0.0.1/7 has a network wider than /8",
                nil
            ),
            ("FwMark = vpn", "line 4: FwMark: not off or a number of 32 bits", nil),
            ("FwMark = 0x", "line 4: FwMark: not off or a number of 32 bits", nil),
            ("FwMark = +1", "line 4: FwMark: not off or a number of 32 bits", nil),
            ("FwMark = 0x100000000", "line 4: FwMark: not off or a number of 32 bits", nil),
            ("SaveConfig = yes", "line 4: SaveConfig: neither true nor false", nil),
            ("MTU", "line 4: neither [SECTION] nor KEY = VALUE", nil),
            ("= 5", "line 4: unknown key in [Interface]", nil),
            (
                "; MTU = 1400", "line 4: a semicolon does not begin a comment",
                "comments begin with #"
            ),
            ("[Peers]", "line 4: unknown section", "the sections are [Interface] and [Peer]"),
            ("[Peer", "line 4: unknown section", "the sections are [Interface] and [Peer]"),
            ("[Peer] x", "line 4: unknown section", "the sections are [Interface] and [Peer]"),
            ("[]", "line 4: unknown section", "the sections are [Interface] and [Peer]"),
            ("[Peer]", "line 4: this [Peer] has no PublicKey", nil),
            ("\u{A0}MTU = 1400", "line 4: unknown key in [Interface]", "did you mean MTU?"),
            ("MTU = 1400\0", "line 4: a NUL byte", nil),
        ] as [(String, String, String?)])
    func inTheInterface(lines: String, text: String, hint: String?) {
        let error = QuickFiles.error(QuickFiles.file(interface: lines).utf8)
        #expect(error?.text.hasPrefix(text) == true, "\(error?.text ?? "nil")")
        #expect(error?.hint == hint)
    }

    /// Lines of `[Peer]`, which begin at line 7, and what is told.
    @Test(arguments: [
        ("PublicKey = x", "line 7: PublicKey stands in line 6 already"),
        ("PresharedKey = x", "line 7: PresharedKey: not a key: 1 characters"),
        ("PresharedKey =", "line 7: PresharedKey: not a key: 0 characters"),
        ("AllowedIPs = 10.0.0.0/8 10.1.0.0/16", "line 7: AllowedIPs: not an address or"),
        ("AllowedIPs = +10.0.0.0/8", "line 7: AllowedIPs: not an address or"),
        ("AllowedIPs = 0.0.0.0/0,::/0,10/8", "line 7: AllowedIPs: item 3 is not an address or"),
        ("Endpoint = vpn.example.org", "line 7: Endpoint: the port is missing"),
        ("Endpoint = 2001:db8::1", "line 7: Endpoint: the port is missing"),
        ("Endpoint = 2001:db8::1:51820:x", "line 7: Endpoint: not HOST:PORT"),
        ("Endpoint = [2001:db8::1]", "line 7: Endpoint: the port is missing"),
        ("Endpoint = vpn.example.org:http", "line 7: Endpoint: not HOST:PORT"),
        ("Endpoint = vpn.example.org:0", "line 7: Endpoint: not HOST:PORT"),
        ("Endpoint = vpn.example.org:65536", "line 7: Endpoint: not HOST:PORT"),
        ("Endpoint = [fe80::1%eth0]:51820", "line 7: Endpoint: not HOST:PORT"),
        ("Endpoint =", "line 7: Endpoint: not HOST:PORT"),
        ("PersistentKeepalive = 65536", "line 7: PersistentKeepalive: not a number from 0 to"),
        ("PersistentKeepalive = yes", "line 7: PersistentKeepalive: not a number from 0 to"),
        ("DNS = 1.1.1.1", "line 7: DNS belongs into [Interface]"),
        ("Alowedips = 10.0.0.0/8", "line 7: unknown key in [Peer]"),
        (
            "[peer]\nPublicKey = \(QuickFiles.publicKey)",
            "line 8: PublicKey: the same key as in line 6"
        ),
        ("[Interface]\nMTU = 1400\nPrivateKey = x", "line 9: PrivateKey stands in line 2 already"),
    ])
    func inAPeer(lines: String, text: String) {
        let error = QuickFiles.error(QuickFiles.file(peer: lines).utf8)
        #expect(error?.text.hasPrefix(text) == true, "\(error?.text ?? "nil")")
    }

    @Test(arguments: [
        ("", "there is no [Interface]"),
        ("\n# nothing\n", "there is no [Interface]"),
        ("MTU = 1400\n[Interface]\n", "line 1: something stands before any section"),
        ("\n[Interface]\nAddress = 10.0.0.1\n", "line 2: this [Interface] has no PrivateKey"),
        (
            "[Interface]\nPrivateKey = \(QuickFiles.privateKey)",
            "line 1: this [Interface] has no Add"
        ),
        ("[Interface]\nPrivateKey = AAAA\n", "line 2: PrivateKey: not a key: 4 characters"),
        ("[Peer]\nPublicKey = \(QuickFiles.publicKey)\n", "there is no [Interface]"),
        (
            "[Interface]\nPrivateKey = AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
            "line 2: PrivateKey: not a key: nothing but zeros"
        ),
    ])
    func ofTheWhole(text: String, problem: String) {
        let error = QuickFiles.error(text.utf8)
        #expect(error?.text.hasPrefix(problem) == true, "\(error?.text ?? "nil")")
    }

    @Test func otherEncodingsAreNamedInsteadOfReadInPart() {
        let units = Array(QuickFiles.client.utf16)
        let little = units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let big = units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        for bytes in [little, big, [0xFF, 0xFE] + little, [0xFE, 0xFF] + big] {
            #expect(QuickFiles.error(bytes) == .utf16)
        }
        let file = Array(QuickFiles.file(interface: "# ").utf8)
        let place = file.firstRange(of: Array("# \n".utf8))?.upperBound ?? 0
        // The Latin-1 byte of a small e with an acute accent, in a comment.
        let latin = file[..<(place - 1)] + [0xE9] + file[(place - 1)...]
        #expect(QuickFiles.error(latin) == .notUTF8(line: 4))
        let nul = file[..<(place - 1)] + [0] + file[(place - 1)...]
        #expect(QuickFiles.error(nul) == .nul(line: 4))
    }

    @Test func whatIsTooLargeIsNotReadAtAll() {
        let line = Array("# fill\n".utf8)
        let filled =
            Array(QuickFiles.client.utf8)
            + Array(repeatElement(line, count: QuickFile.largest / line.count).joined())
        #expect(QuickFiles.error(filled) == .tooLarge)
        #expect(QuickFiles.error(filled.prefix(QuickFile.largest)) == nil)
    }

    // MARK: Secrets

    /// Ways in which a key stands where it should not, `KEY` for the key itself.
    private static let slips = [
        "PrivateKey KEY", "PrivateKey: KEY", "KEY", "KEY = x", "[KEY]", "; KEY", "PrivatKey = KEY",
        "PrivateKey = KEYKEY", "PrivateKey = KEY x", "Address = KEY", "Address = 10.0.0.1, KEY",
        "MTU = KEY", "ListenPort = KEY", "Table = KEY", "DNS = KEY", "FwMark = KEY",
        "SaveConfig = KEY", "PostUp = wg set %i private-key KEY", "[Peer] KEY",
        "[Peer]\nPublicKey = KEYx", "[Peer]\nPresharedKey = xKEY", "[Peer]\nAllowedIPs = KEY",
        "[Peer]\nEndpoint = KEY", "[Peer]\nEndpoint = KEY:1", "[Peer]\nPersistentKeepalive = KEY",
        "[Peer]\nPreshared = KEY",
        "[Peer]\nPublicKey = \(QuickFiles.publicKey)\nPresharedKey = KEY",
    ]

    @Test(arguments: slips)
    func aKeyInTheWrongPlaceIsNeverRepeated(slip: String) {
        // The second has letters alone, as the word of a key would.
        for key in [QuickFiles.presharedKey, String(repeating: "QkSzWx", count: 8)] {
            let text = QuickFiles.file(interface: slip.replacing("KEY", with: key))
            do throws(QuickFileError) {
                let file = try QuickFiles.read(text)
                let told = file.report(named: "x").map { "\($0)" }.joined()
                #expect(!told.contains(key.prefix(12)))
                #expect(!"\(file)".contains(key.prefix(12)))
            } catch {
                #expect(!"\(error.text) \(error.hint ?? "") \(error)".contains(key.prefix(12)))
            }
        }
    }

    // MARK: Hostile input

    @Test func anyBytesAreReadOrRefusedWithoutACrash() {
        var numbers = Numbers()
        for round in 0..<2000 {
            var bytes = Array(QuickFiles.client.utf8)
            for _ in 0..<Int.random(in: 1...6, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &numbers)
                case 1: bytes.removeSubrange(place..<min(place + 9, bytes.count))
                case 2: bytes.insert(contentsOf: bytes[place...].prefix(40), at: place)
                default: bytes.removeLast(min(bytes.count - 1, place % 50))
                }
            }
            let error = QuickFiles.error(bytes)
            #expect(error?.text.contains(QuickFiles.privateKey.prefix(12)) != true, "\(round)")
        }
    }

    @Test func wordsInAnyOrderAreReadOrRefusedWithoutACrash() {
        var numbers = Numbers()
        let words = [
            "[Interface]", "[Peer]", "[", "]", "=", ",", "#", ";", "\n", "\r", "\r\n", " ", "\t",
            "PrivateKey", "PublicKey", "Address", "AllowedIPs", "Endpoint", "MTU", "off", "0", "::",
            "10.0.0.1/24", "[::1]:1", QuickFiles.privateKey, QuickFiles.publicKey, "é", "\u{FEFF}",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...40, using: &numbers)).map { _ in
                words[Int.random(in: 0..<words.count, using: &numbers)]
            }.joined()
            _ = QuickFiles.error(text.utf8)
        }
    }

    @Test func aFileOfOneKindOfLineTakesTimeInProportion() {
        let lines = [
            "\n", "#\n", "[Peer]\n", "[Interface]\n", "PostUp = x\n", ",", "[", "=", "\r", "é",
            "DNS=1.1.1.1\n", "Address = ,\n", "AllowedIPs = 10.0.0.0/8\n",
        ]
        for line in lines {
            let growth = growth(from: QuickFile.largest / 1024, to: QuickFile.largest / 32) {
                size in
                let bytes = Array(
                    repeatElement(Array(line.utf8), count: size / line.utf8.count).joined())
                _ = QuickFiles.error(Array("[Interface]\n".utf8) + bytes.dropLast(64))
            }
            // 32 times as long a file; each line for each line would be a thousand times.
            #expect(growth < 250, "\(line)")
        }
    }
}

/// Numbers that come out the same in every run (Knuth's MMIX constants).
private struct Numbers: RandomNumberGenerator {
    private var state: UInt64 = 99

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
