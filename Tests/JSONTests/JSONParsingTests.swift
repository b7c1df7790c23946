import JSON
import Testing

@Suite struct JSONParsingTests {
    @Test(arguments: [
        ("{", [1, 1]),
        ("[1, 2,]", [1, 7]),
        ("{\n  \"a\": 1\n  \"b\": 2\n}", [3, 5]),
        ("{\n  \"a\": tru\n}", [2, 10]),
        ("{\"a\": 01}", [1, 7]),
        ("{\"a\": 1} x", [1, 10]),
        ("{\"a\": 'x'}", [1, 7]),
        ("{\r\n\"a\": 1,\r\n}", [3, 1]),
        ("{\"a\": 1, \"a\": 2}", [1, 12]),
        // Columns count characters, not bytes.
        ("{\"ü\": \"ä\" \"ö\"}", [1, 13]),
    ])
    func anErrorTellsItsPosition(text: String, position: [Int]) {
        #expect(Texts.position(text) == position)
    }

    @Test(arguments: ["", " ", "\n\n", "\u{FEFF}"])
    func anEmptyFileIsAnErrorAndNotAnEmptyDocument(text: String) {
        #expect(Texts.error(of: Array(text.utf8)) != nil)
    }

    @Test func aDocumentCutOffAnywhereIsAnError() {
        let bytes = Array(Texts.preferences.utf8)
        #expect(Texts.error(of: bytes) == nil)
        for length in bytes.indices {
            guard
                case .syntax(let line, let column, let problem)? =
                    Texts.error(of: Array(bytes.prefix(length)))
            else {
                Issue.record("cut off at \(length) it was accepted")
                continue
            }
            #expect((1...10).contains(line) && column >= 1 && !problem.isEmpty)
        }
    }

    @Test func aChangedByteIsAnErrorOrAnotherDocumentAndNeverACrash() {
        let bytes = Array(Texts.preferences.utf8)
        for index in bytes.indices {
            for byte: UInt8 in [0, 0x0A, 0x22, 0x2C, 0x5B, 0x5C, 0x7B, 0x7D, 0x80, 0xC3, 0xFF] {
                var changed = bytes
                changed[index] = byte
                if let error = Texts.error(of: changed) { #expect(!error.text.isEmpty) }
            }
        }
    }

    @Test(arguments: [
        "{\"a\": 1, \"a\": 1}", "{\"a\": {\"b\": 1, \"b\": 2}}", "[{\"\": 1, \"\": 2}]",
        "{\"a\": 1, \"\\u0061\": 2}",
    ])
    func aKeyThatStandsTwiceIsAnError(text: String) {
        guard case .syntax(1, _, let problem) = Texts.error(of: Array(text.utf8)) else {
            Issue.record("accepted")
            return
        }
        #expect(problem.contains("duplicate"))
    }

    @Test func lineEndsOfOtherSystemsAndAByteOrderMarkGiveTheSameDocument() throws {
        let expected = try Texts.value(Texts.preferences)
        let crlf = Texts.preferences.split(separator: "\n").joined(separator: "\r\n")
        #expect(try Texts.value(crlf) == expected)
        #expect(try Texts.value(Texts.preferences.replacing("\n", with: "\r")) == expected)
        #expect(try Texts.value("\u{FEFF}" + Texts.preferences) == expected)
        #expect(try Texts.value("\u{FEFF}" + crlf + "\r\n") == expected)
    }

    @Test func aSecondByteOrderMarkIsAnError() {
        #expect(Texts.position("\u{FEFF}\u{FEFF}{}") == [1, 1])
    }

    @Test(
        arguments: [
            // UTF-16, with and without its byte-order mark, in both orders.
            [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00], [0xFE, 0xFF, 0x00, 0x7B, 0x00, 0x7D],
            [0x7B, 0x00, 0x7D, 0x00], [0x00, 0x7B, 0x00, 0x7D],
            // Latin-1.
            [0x5B, 0x22, 0xFC, 0x22, 0x5D],
            // NUL, bare, in a string, behind the end.
            [0x5B, 0x00, 0x5D], [0x5B, 0x22, 0x00, 0x22, 0x5D], [0x5B, 0x5D, 0x00],
            // An over-long form, a surrogate as UTF-8, beyond U+10FFFF, cut off.
            [0x5B, 0x22, 0xC0, 0x80, 0x22, 0x5D], [0x5B, 0x22, 0xED, 0xA0, 0x80, 0x22, 0x5D],
            [0x5B, 0x22, 0xF4, 0x90, 0x80, 0x80, 0x22, 0x5D], [0x5B, 0x22, 0xC3],
            // A control character in a string.
            [0x5B, 0x22, 0x1F, 0x22, 0x5D],
        ] as [[UInt8]])
    func bytesThatAreNoTextAreAnErrorWithAPosition(bytes: [UInt8]) {
        guard case .syntax(let line, let column, let problem) = Texts.error(of: bytes) else {
            Issue.record("accepted")
            return
        }
        #expect(line == 1 && column >= 1 && !problem.isEmpty)
    }

    @Test(arguments: [
        "\\u0000", "a\\u0000b", "\\ud800", "\\udc00", "\\ud800\\u0041", "\\u12", "\\x41", "\\",
    ])
    func anEscapeThatIsNoCharacterIsAnError(text: String) {
        #expect(Texts.error(of: Array("[\"\(text)\"]".utf8)) != nil)
        #expect(Texts.error(of: Array("{\"\(text)\": 1}".utf8)) != nil)
    }

    @Test(arguments: ["[", "{\"a\":"])
    func nestingWithoutEndIsAnErrorAndNoStackOverflow(opening: String) {
        let text = String(repeating: opening, count: 200_000)
        #expect(Texts.error(of: Array(text.utf8)) != nil)
    }

    @Test func whatIsNestedAsDeeplyAsAllowedCanBeReadAndWritten() throws {
        let text = String(repeating: "[", count: 2000) + String(repeating: "]", count: 2000)
        let document = try JSONDocument(parsing: text.utf8)
        #expect(document.withRoot { $0.depth } == 2000)
        #expect(Texts.written(document.withRoot { $0.value }) == text)
    }

    @Test(
        arguments: [
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", nil), ("-9223372036854775809", nil),
            (String(repeating: "9", count: 10_000), nil),
            ("1e400", nil), ("-1e400", nil), ("1e-400", .real(0)),
            ("-0", .integer(0)), ("1.5", .real(1.5)), ("1E2", .real(100)),
            ("01", nil), ("+1", nil), (".5", nil), ("1.", nil), ("0x10", nil), ("NaN", nil),
            ("Infinity", nil),
        ] as [(String, JSONValue?)])
    func aNumberIsReadExactlyOrRefused(text: String, expected: JSONValue?) {
        let value = try? Texts.value("[\(text)]").array?.first
        #expect(value == expected)
    }

    @Test func aScalarIsADocumentOnlyWhereItIsAllowed() throws {
        #expect(Texts.error(of: Array("\"x\"".utf8)) != nil)
        #expect(try Texts.value("\"x\"", allowsScalars: true) == .string("x"))
        #expect(try Texts.value(" null ", allowsScalars: true) == .null)
        #expect(try Texts.value("true", allowsScalars: true) == .bool(true))
        #expect(Texts.error(of: Array("office".utf8), allowsScalars: true) != nil)
        #expect(Texts.error(of: [], allowsScalars: true) != nil)
    }

    @Test func membersKeepTheirOrder() throws {
        let keys = try Texts.value("{\"b\": 1, \"a\": 2, \"\": 3, \"B\": 4}").object?.members
        #expect(keys?.map(\.key) == ["b", "a", "", "B"])
    }

    @Test(
        arguments: [
            (.syntax(line: 3, column: 7, problem: "oops"), "line 3, column 7: oops"),
            (.value(path: "a.b[2]", problem: "not a string"), "a.b[2]: not a string"),
            (.value(path: "", problem: "not an object"), "not an object"),
            (.unknownKey(path: "a", key: "b", known: []), "a: unknown key b"),
            (.unknownKey(path: "", key: "b", known: []), "unknown key b"),
            (.newerFormat(2), "formatVersion 2 was written by a newer utunctl"),
        ] as [(JSONError, String)])
    func anErrorSaysWhereAndWhat(error: JSONError, text: String) {
        #expect(error.text == text)
    }
}
