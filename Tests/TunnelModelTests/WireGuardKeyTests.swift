import Testing
import TunnelModel

@Suite struct WireGuardKeyTests {
    /// Keys of RFC 7748, section 6.1, in base64, and plain ones.
    @Test(
        arguments: [
            ("dwdtCnMYpX08FsFyUbJmRd9ML4frwJkqsXf7pR25LCo=", 0x77, 0x2A),
            ("hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=", 0x85, 0x6A),
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", 0x00, 0x00),
            ("//////////////////////////////////////////8=", 0xFF, 0xFF),
        ] as [(String, UInt8, UInt8)])
    func keysAndTextsAreOneToOne(text: String, first: UInt8, last: UInt8) throws {
        let key = try #require(WireGuardKey.decode(text.utf8))
        #expect(key.count == 32 && key.first == first && key.last == last)
        #expect(WireGuardKey.encode(key) == text)
        #expect(WireGuardKey.problem(of: text) == nil)
    }

    @Test(arguments: [
        ("", "0 characters"),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "43 characters"),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "45 characters"),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "not canonical base64"),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==", "not canonical base64"),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA A=", "not canonical base64"),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-A=", "not canonical base64"),
        ("=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "not canonical base64"),
        // The last character before the padding has two bits that belong to no byte.
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=", "not canonical base64"),
        ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAC=", "not canonical base64"),
        ("ÄAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "not canonical base64"),
    ])
    func whatIsNoKeyIsToldWithoutItsText(text: String, problem: String) {
        #expect(WireGuardKey.decode(text.utf8) == nil)
        let found = WireGuardKey.problem(of: text)
        #expect(found?.contains(problem) == true, "\(found ?? "nil")")
        if text.count > 10 { #expect(found?.contains(text.dropLast(4)) == false) }
    }

    @Test func randomKeysSurviveTheirText() {
        var numbers = RepeatableNumbers(seed: 7)
        for _ in 0..<2000 {
            let key = (0..<32).map { _ in UInt8.random(in: 0...255, using: &numbers) }
            let text = WireGuardKey.encode(key)
            #expect(text.utf8.count == 44)
            #expect(WireGuardKey.decode(text.utf8) == key)
        }
    }

    @Test func aPrivateKeyIsClamped() {
        let ones = WireGuardKey.clamped([UInt8](repeating: 255, count: 32))
        #expect(ones.first == 248 && ones.last == 127)
        let zeros = WireGuardKey.clamped([UInt8](repeating: 0, count: 32))
        #expect(zeros.first == 0 && zeros.last == 64)
        #expect(WireGuardKey.clamped(ones) == ones)
    }
}
