import JSON
import Testing
import TunnelModel

@Suite struct TimestampTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000Z"),
            (1, "1970-01-01T00:00:00.000001Z"),
            (-1, "1969-12-31T23:59:59.999999Z"),
            (951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
            (951_868_800_000_000, "2000-03-01T00:00:00.000000Z"),
            (4_107_542_399_999_999, "2100-02-28T23:59:59.999999Z"),
            (4_107_542_400_000_000, "2100-03-01T00:00:00.000000Z"),
            (1_796_000_523_000_001, "2026-11-30T01:02:03.000001Z"),
            (-62_135_596_800_000_000, "0001-01-01T00:00:00.000000Z"),
            (-62_167_219_200_000_000, "0000-01-01T00:00:00.000000Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"),
        ] as [(Int64, String)])
    func isWrittenAsRFC3339InUTC(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).text == text)
        #expect(Timestamp(text)?.microseconds == microseconds)
        #expect(Model.written(Timestamp(microseconds: microseconds)) == "\"\(text)\"")
    }

    @Test(
        arguments: [
            ("2026-11-30T01:02:03Z", 1_796_000_523_000_000),
            ("2026-11-30T01:02:03.5Z", 1_796_000_523_500_000),
            ("2026-11-30T01:02:03.000001Z", 1_796_000_523_000_001),
            // A leap second is the first of the next minute.
            ("2016-12-31T23:59:60Z", 1_483_228_800_000_000),
        ] as [(String, Int64)])
    func shorterFormsAreRead(text: String, microseconds: Int64) {
        #expect(Timestamp(text)?.microseconds == microseconds)
    }

    @Test(arguments: [
        "", "now", "2026", "2026-11-30", "2026-11-30T01:02:03", "2026-11-30T01:02:03z",
        "2026-11-30 01:02:03Z", "2026-11-30T01:02:03+00:00", "2026-11-30T01:02:03.Z",
        "2026-11-30T01:02:03.1234567Z", "2026-11-30T01:02Z", "26-11-30T01:02:03Z",
        "2026-1-30T01:02:03Z", "2026-00-30T01:02:03Z", "2026-13-30T01:02:03Z",
        "2026-11-00T01:02:03Z", "2026-11-32T01:02:03Z", "2026-11-30T24:00:00Z",
        "2026-11-30T01:60:03Z", "2026-11-30T01:02:61Z", "-026-11-30T01:02:03Z",
        "2026-11-30T01:02:03Z ", " 2026-11-30T01:02:03Z", "２026-11-30T01:02:03Z",
        "2026-11-30T01:02:03.1 Z",
        // Days that their months do not have.
        "2026-11-31T00:00:00Z", "2026-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
        "2000-02-30T00:00:00Z",
    ])
    func otherFormsAreRefused(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func comesBackAsItWas() {
        var random = RepeatableNumbers(seed: 1)
        let range: ClosedRange<Int64> = -62_167_219_200_000_000...253_402_300_799_999_999
        for _ in 0..<5000 {
            let moment = Timestamp(microseconds: .random(in: range, using: &random))
            #expect(Timestamp(moment.text) == moment)
        }
    }

    @Test func everyDayOfFourCenturiesFollowsTheOneBefore() {
        var expected = (year: 1899, month: 12, day: 31)
        let monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for day in Int64(-25_568)..<120_530 {
            let text = Timestamp(microseconds: day * 86_400_000_000).text
            let date = text.prefix(10).split(separator: "-").compactMap { Int($0) }
            guard date == [expected.year, expected.month, expected.day] else {
                Issue.record("\(text) is not \(expected)")
                return
            }
            let isLeap =
                expected.year % 4 == 0 && (expected.year % 100 != 0 || expected.year % 400 == 0)
            let last = monthDays[expected.month - 1] + (isLeap && expected.month == 2 ? 1 : 0)
            expected.day += 1
            if expected.day > last { (expected.month, expected.day) = (expected.month + 1, 1) }
            if expected.month > 12 { (expected.year, expected.month) = (expected.year + 1, 1) }
        }
    }

    @Test func theFarEndsOfTimeDoNoHarm() {
        #expect(Timestamp(microseconds: .max).text == "294247-01-10T04:00:54.775807Z")
        #expect(!Timestamp(microseconds: .min).text.isEmpty)
    }

    @Test func momentsAreOrdered() {
        #expect(Timestamp(microseconds: -1) < Timestamp(microseconds: 0))
        #expect(!(Timestamp(microseconds: 0) < Timestamp(microseconds: 0)))
    }
}

@Suite struct IdentifierTests {
    @Test func isMadeOfRandomBytes() {
        let bytes: [UInt8] = Array(0x10...0x1F)
        #expect(Identifier.make(from: bytes) == "10111213-1415-4617-9819-1a1b1c1d1e1f")
        #expect(Identifier.make(from: []) == "00000000-0000-4000-8000-000000000000")
        #expect(
            Identifier.make(from: [UInt8](repeating: 0xFF, count: 99))
                == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    }

    @Test func itsBytesComeBack() {
        let made = Identifier.make(from: Array(0x10...0x1F))
        #expect(Identifier.isValid(made))
        #expect(Identifier.make(from: Identifier.bytes(of: made)) == made)
        #expect(Identifier.bytes(of: made).count == 16)
    }

    @Test(arguments: [
        "", "7b0d3c1e", "7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c00", Model.identifier + "1",
        "7B0D3C1E-95A4-4A0F-8F5E-0A3A54D0C001", "7b0d3c1e_95a4_4a0f_8f5e_0a3a54d0c001",
        "7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c00g", "7b0d3c1-e95a4-4a0f-8f5e-0a3a54d0c001",
        "{7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c00}", "../../../../../../../../../../../etc",
    ])
    func otherFormsAreRefused(text: String) {
        #expect(!Identifier.isValid(text))
    }

    @Test func theFingerprintIsFNV1a() {
        // The test vectors of the hash's authors.
        #expect(Fingerprint(of: "").text == "cbf29ce484222325")
        #expect(Fingerprint(of: "a").text == "af63dc4c8601ec8c")
        #expect(Fingerprint(of: "foobar").text == "85944171f73967e8")
    }
}
