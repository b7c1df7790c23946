import JSON
import Testing

@Suite struct JSONWriterTests {
    private struct Sample: JSONEncodable {
        func write(to writer: inout JSONWriter) {
            writer.object { writer in
                writer.member("name", "office")
                writer.member("title", String?.none)
                writer.nullMember("hold")
                writer.member("enabled", true)
                writer.member("bytes", UInt64.max)
                writer.member("empty", [String]())
                writer.objectMember("nothing") { _ in }
                writer.arrayMember("list") { writer in
                    writer.element(1)
                    writer.element("x")
                    writer.element([2, 3])
                }
                writer.objectMember("inner") { writer in
                    writer.member("map", ["b": "2", "a": "1"])
                }
            }
        }
    }

    @Test func onOneLineForProtocols() {
        #expect(
            Texts.written(Sample()) == """
                {"name":"office","title":null,"hold":null,"enabled":true,\
                "bytes":18446744073709551615,"empty":[],"nothing":{},"list":[1,"x",[2,3]],\
                "inner":{"map":{"a":"1","b":"2"}}}
                """)
        #expect(JSONWriter.line(true) == Array("true\n".utf8))
    }

    @Test func indentedForPeople() {
        #expect(
            Texts.written(Sample(), layout: .indented) == """
                {
                  "name": "office",
                  "title": null,
                  "hold": null,
                  "enabled": true,
                  "bytes": 18446744073709551615,
                  "empty": [],
                  "nothing": {},
                  "list": [
                    1,
                    "x",
                    [
                      2,
                      3
                    ]
                  ],
                  "inner": {
                    "map": {
                      "a": "1",
                      "b": "2"
                    }
                  }
                }
                """)
    }

    @Test(arguments: [
        ("", ""), ("plain /", "plain /"), ("\"", "\\\""), ("\\", "\\\\"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"), ("\r\n", "\\r\\n"),
        ("\u{0}\u{1}\u{8}\u{C}\u{1F}", "\\u0000\\u0001\\u0008\\u000c\\u001f"),
        // What would colour or clear a terminal.
        ("\u{1B}[2J\u{7F}", "\\u001b[2J\\u007f"),
        ("\u{9B}2J\u{80}\u{9F}\u{A0}é\u{2028}ÂÂ", "\\u009b2J\\u0080\\u009f\u{A0}é\u{2028}ÂÂ"),
        ("é\u{65}\u{301}😀\u{2028}", "é\u{65}\u{301}😀\u{2028}"),
    ])
    func escapesWhatMustNotStandInAString(text: String, escaped: String) {
        // Compared as bytes: two texts that look alike are equal as strings.
        let expected = Array("\"\(escaped)\"\n".utf8)
        #expect(JSONWriter.line(text) == expected)
        let asKey = Texts.written([text: "x"])
        #expect(Array(asKey.utf8) == Array("{\"\(escaped)\":\"x\"}".utf8))
    }

    @Test func everyCharacterThatMayBeReadComesBack() throws {
        let scalars = (1...0x10FFFF).lazy.compactMap(Unicode.Scalar.init)
        var text = String.UnicodeScalarView()
        for scalar in scalars where scalar.value < 0x3000 || scalar.value % 97 == 0 {
            text.append(scalar)
        }
        let line = JSONWriter.line([String(text)])
        let back = try Texts.value(of: line).array?.first?.string
        #expect(back.map { Array($0.utf8) } == Array(String(text).utf8))
        #expect(!line.dropLast().contains { $0 < 0x20 || $0 == 0x7F })
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan])
    func aNumberThatJSONDoesNotKnowIsNull(number: Double) {
        #expect(Texts.written(JSONValue.array([.real(number)])) == "[null]")
    }

    @Test func anyValueComesBackAsItWas() throws {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            let value = JSONValue.array([.random(depth: 4, using: &random)])
            for layout in [JSONWriter.Layout.compact, .indented] {
                let line = JSONWriter.line(value, layout: layout)
                #expect(try Texts.value(of: line) == value)
                if layout == .compact { #expect(line.count { $0 == 0x0A } == 1) }
            }
        }
    }

    @Test func settingAndTakingMembers() {
        var object = JSONObject()
        #expect(object.isEmpty)
        object["a"] = .integer(1)
        object["b"] = .null
        object["a"] = .integer(2)
        #expect(object["a"] == .integer(2))
        #expect(Texts.written(object) == "{\"a\":2,\"b\":null}")
        object["a"] = nil
        object["c"] = nil
        #expect(Texts.written(object) == "{\"b\":null}")
    }
}

extension JSONValue {
    fileprivate static func random(depth: Int, using random: inout some RandomNumberGenerator)
        -> JSONValue
    {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(.random(in: .min ... .max, using: &random))
        case 3: return .real(.random(in: -1e300...1e300, using: &random))
        case 4: return .real(Double(Int.random(in: -9...9, using: &random)) / 8)
        case 5: return .string(text(using: &random))
        case 6:
            return .array((0..<3).map { _ in .random(depth: depth - 1, using: &random) })
        default:
            var object = JSONObject()
            for _ in 0..<3 {
                object[text(using: &random)] = .random(depth: depth - 1, using: &random)
            }
            return .object(object)
        }
    }

    private static func text(using random: inout some RandomNumberGenerator) -> String {
        let alphabet: [Character] = ["a", "\"", "\\", "\n", "\u{1}", "\u{7F}", "é", "😀", "/", " "]
        return String(
            (0..<Int.random(in: 0..<6, using: &random)).map { _ in
                alphabet[.random(in: 0..<10, using: &random)]
            })
    }
}
