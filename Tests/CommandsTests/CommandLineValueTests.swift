import Commands
import Testing

@Suite struct CommandLineValueTests {
    @Test(
        arguments: [
            ("0", .zero),
            ("3", .seconds(3)),
            ("3s", .seconds(3)),
            ("003", .seconds(3)),
            ("2.5", .milliseconds(2500)),
            ("2.5s", .milliseconds(2500)),
            ("250ms", .milliseconds(250)),
            ("0.5ms", .microseconds(500)),
            ("0.000001ms", .nanoseconds(1)),
            ("5m", .seconds(300)),
            ("1.5m", .seconds(90)),
            ("1h", .seconds(3600)),
            ("0.25h", .seconds(900)),
            ("1.1234567", .microseconds(1_123_456)),
            ("8784h", .seconds(366 * 86_400)),
            ("31622400", .seconds(366 * 86_400)),
            ("31622400000ms", .seconds(366 * 86_400)),
        ] as [(String, Duration)])
    func readsTimeSpans(text: String, expected: Duration) throws {
        #expect(try invocation("--timeout=\(text)").duration("timeout") == expected)
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "-0", "nan", "NaN", "inf", "infinity", "1e3", "0x10", ".5", "5.",
        "1.s", ".", "s", "ms", "1 s", " 1", "1 ", "1S", "1d", "1min", "1sm", "1m30s", "1.2.3",
        "1,5", "1_000", "٣", "１", "½", "1\u{0}", "1\n", "1s\u{301}", "3-", "--3",
    ])
    func refusesOtherText(text: String) throws {
        let invocation = try invocation("--timeout=\(text)")
        let error = #expect(throws: UsageError.self) { try invocation.duration("timeout") }
        #expect(error?.message.hasPrefix("--timeout: ") == true)
        #expect(error?.message.hasSuffix(" is not a time span") == true)
        #expect(
            error?.hint == "write it like 3, 2.5, 250ms, 3s, 5m or 1h; a plain number means seconds"
        )
    }

    @Test(arguments: [
        "8784.000001h", "31622400.000001", "31622401", "31622400001ms", "9999999h",
        "18446744073709551616", "99999999999999999999999999999999999999h",
    ])
    func refusesTimeSpansOverTheLimit(text: String) throws {
        let invocation = try invocation("--timeout=\(text)")
        #expect(throws: UsageError("--timeout: \(text) is more than 366 days")) {
            try invocation.duration("timeout")
        }
    }

    @Test(
        arguments: [
            ("0", 0), ("12", 12), ("007", 7), ("18446744073709551615", UInt64.max),
        ] as [(String, UInt64)])
    func readsUnsignedIntegers(text: String, expected: UInt64) throws {
        #expect(try invocation("--generation=\(text)").unsigned("generation") == expected)
    }

    @Test(arguments: ["", "-1", "+1", "1.0", "0x1", "1 ", "twelve", "٣", "1\u{301}"])
    func refusesOtherNumbers(text: String) throws {
        let invocation = try invocation("--generation=\(text)")
        let error = #expect(throws: UsageError.self) { try invocation.unsigned("generation") }
        #expect(error?.message.hasPrefix("--generation: ") == true)
        #expect(error?.message.hasSuffix(" is not an unsigned integer") == true)
    }

    @Test(arguments: [
        ("18446744073709551616", 0...UInt64.max, "it lies between 0 and 18446744073709551615"),
        ("0", 1...3, "it lies between 1 and 3"),
        ("4", 1...3, "it lies between 1 and 3"),
    ])
    func refusesNumbersOutOfRange(
        text: String,
        range: ClosedRange<UInt64>,
        hint: String
    ) throws {
        let invocation = try invocation("--generation=\(text)")
        #expect(throws: UsageError("--generation: \(text) is out of range", hint: hint)) {
            try invocation.unsigned("generation", in: range)
        }
    }

    @Test func whatWasNotGivenIsNil() throws {
        let invocation = try invocation("--wait")
        #expect(try invocation.duration("timeout") == nil)
        #expect(try invocation.unsigned("generation") == nil)
        #expect(invocation.value("timeout") == nil)
        #expect(invocation.values("option").isEmpty)
    }

    private func invocation(_ option: String) throws -> Invocation {
        try Invocation(parsing: ["start", "office", option], verbs: CommandLineFixture.verbs)
    }
}
