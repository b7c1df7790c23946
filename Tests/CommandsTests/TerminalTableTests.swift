import Testing

@testable import Commands

@Suite struct TerminalTableTests {
    private static let unicode = TerminalStyle { ["TERM": "dumb", "LANG": "C.UTF-8"][$0] }
    private static let ascii = TerminalStyle { ["TERM": "dumb", "LANG": "C"][$0] }

    private static let table = TerminalTable(
        columns: [
            TerminalTable.Column(title: "NAME", rank: 0, leastWidth: 4),
            TerminalTable.Column(title: "STATUS", rank: 1),
            TerminalTable.Column(title: "SIZE", rank: 3, isNumber: true),
            TerminalTable.Column(title: "EMPTY", rank: 2),
            TerminalTable.Column(title: "NOTES", rank: 4, leastWidth: 6),
        ],
        rows: [
            [.init("office"), .init("up"), .init("12 B"), .init(""), .init("one, two, three")],
            [.init("日本語の名前"), .init("down"), .init("1 B"), .init(""), .init("")],
        ])

    @Test func withRoomAllIsThere() {
        #expect(
            Self.table.lines(width: 80, Self.unicode) == [
                "NAME          STATUS  SIZE  NOTES",
                "office        up      12 B  one, two, three",
                "日本語の名前  down     1 B",
            ])
        #expect(Self.table.lines(width: 1_000_000, Self.unicode).map(\.count).max() == 43)
    }

    @Test func whatMayBeCutIsCutBeforeAColumnGoes() {
        #expect(
            Self.table.lines(width: 36, Self.unicode)[1...] == [
                "office        up      12 B  one, tw…",
                "日本語の名前  down     1 B",
            ])
        #expect(
            Self.table.lines(width: 20, Self.unicode) == [
                "NAME    STATUS  SIZE", "office  up      12 B", "日本…   down     1 B",
            ])
        #expect(
            Self.table.lines(width: 12, Self.unicode) == ["NAME  STATUS", "off…  up", "日…   down"])
        #expect(Self.table.lines(width: 4, Self.unicode) == ["NAME", "off…", "日…"])
    }

    @Test(arguments: 0...60)
    func noLineIsWiderThanItMayBe(width: Int) {
        for style in [Self.unicode, Self.ascii] {
            for line in Self.table.lines(width: width, style) {
                #expect(line.displayWidth <= width, "\(line)")
            }
        }
    }

    @Test func withoutUnicodeAllIsASCII() {
        let lines = Self.table.lines(width: 20, Self.ascii)
        #expect(lines.allSatisfy { $0.utf8.allSatisfy { $0 < 0x80 } }, "\(lines)")
        #expect(lines[2].hasPrefix("??????"), "\(lines)")
    }

    @Test func coloursTakeNoRoom() {
        let colored = TerminalStyle { ["TERM": "xterm", "LANG": "C.UTF-8"][$0] }
        let table = TerminalTable(
            columns: [.init(title: "A", rank: 0), .init(title: "B", rank: 0)],
            rows: [[.init("x", .green), .init("y")]])
        #expect(
            table.lines(width: 80, colored) == [
                "\u{1B}[1mA\u{1B}[0m  \u{1B}[1mB\u{1B}[0m", "\u{1B}[32mx\u{1B}[0m  y",
            ])
    }

    @Test func aCellCannotSteerTheTerminal() {
        let table = TerminalTable(
            columns: [.init(title: "A", rank: 0)], rows: [[.init("\u{1B}[31m\u{9B}x\u{202E}")]])
        let text = table.lines(width: 80, Self.unicode).joined()
        #expect(
            text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        )
        #expect(!text.unicodeScalars.contains("\u{202E}"))
    }

    @Test(arguments: [
        ("office", 6), ("", 0), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한국", 4), ("ｆ", 2), ("😀", 2),
        ("\u{200B}", 0),
    ])
    func widths(text: String, width: Int) {
        #expect(text.displayWidth == width)
    }

    @Test func aWideCharacterIsNeverHalved() {
        #expect("日本語".cut(to: 6, mark: "…") == "日本語")
        #expect("日本語".cut(to: 5, mark: "…") == "日本…")
        #expect("日本語".cut(to: 4, mark: "…") == "日…")
        #expect("日本語".cut(to: 1, mark: "…") == "…")
        #expect("日本語".cut(to: 0, mark: "…") == "")
        // What belongs to a letter goes with it.
        #expect("e\u{301}e\u{301}e\u{301}".cut(to: 2, mark: "~") == "e\u{301}~")
    }
}

@Suite struct TerminalStyleTests {
    private func style(_ variables: [String: String]) -> TerminalStyle {
        TerminalStyle { variables[$0] }
    }

    @Test func colourIsForTerminalsThatHaveItAndPeopleWhoWantIt() {
        #expect(style(["TERM": "xterm"]).isColored)
        for variables in [[:], ["TERM": ""], ["TERM": "dumb"], ["TERM": "xterm", "NO_COLOR": "1"]] {
            #expect(!style(variables).isColored, "\(variables)")
        }
        #expect(style(["TERM": "xterm", "NO_COLOR": ""]).isColored)
        // Without colours it can still be steered.
        #expect(style(["TERM": "xterm", "NO_COLOR": "1"]).isSteerable)
        #expect(!style(["TERM": "dumb"]).isSteerable)
    }

    @Test func theFirstVariableOfTheLocaleThatIsSetCounts() {
        for locale in ["C.UTF-8", "de_DE.utf8", "en_GB.UTF-8@euro"] {
            #expect(style(["LANG": locale]).isUnicode, "\(locale)")
        }
        for locale in ["", "C", "POSIX", "de_DE.ISO-8859-1", "de_DE"] {
            #expect(!style(["LANG": locale]).isUnicode, "\(locale)")
        }
        #expect(!style(["LC_ALL": "C", "LANG": "C.UTF-8"]).isUnicode)
        #expect(style(["LC_ALL": "", "LC_CTYPE": "C.UTF-8", "LANG": "C"]).isUnicode)
        #expect(!style([:]).isUnicode)
    }
}

@Suite struct QuantityTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.00 kB"), (1234, "1.23 kB"), (12_345, "12.3 kB"),
        (123_456, "123 kB"), (999_999, "999 kB"), (1_000_000, "1.00 MB"),
        (1_099_511_627_776, "1.09 TB"), (UInt64.max, "18.4 EB"),
    ])
    func bytes(count: UInt64, text: String) {
        #expect(Quantity.bytes(count) == text)
    }

    @Test(arguments: [
        (-5, "0 s"), (0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "59 min"),
        (3600, "1 h 0 min"), (90_061, "1 d 1 h"),
    ])
    func durations(seconds: Int64, text: String) {
        #expect(Quantity.duration(seconds: seconds) == text)
    }

    @Test func proseIsFoldedBelowWhereItBegan() {
        let text = "problem  code: one two three four\n         utunctl save x --set a=true, or no"
        #expect(
            text.folded(to: 24) == """
                problem  code: one two
                         three four
                         utunctl save x --set a=true,
                         or no
                """)
        #expect(text.folded(to: 200) == text)
        #expect(text.folded(to: nil) == text)
        #expect(text.folded(to: 3) == text)
        #expect("a\n\nb".folded(to: 40) == "a\n\nb")
    }

    @Test func momentsAreShownToTheSecond() {
        #expect(
            "since 2026-11-30T01:02:03.123456Z, 1.000000 and .5Z".withoutFractionsOfSeconds
                == "since 2026-11-30T01:02:03Z, 1.000000 and .5Z")
        #expect("".withoutFractionsOfSeconds.isEmpty)
    }
}
