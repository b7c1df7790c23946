import JSON
import Testing

@Suite struct JSONObjectReaderTests {
    @Test(arguments: ["[]", "[{}]"])
    func anythingButAnObjectIsAnError(text: String) {
        let error = Texts.error(in: text) { _ in }
        #expect(error == .value(path: "", problem: "not an object"))
    }

    @Test func anUnknownKeyIsNamedWithThoseThatWouldDo() {
        let error = Texts.error(in: "{\"name\": \"a\", \"titel\": \"b\"}") {
            reader throws in
            _ = try reader.string("name")
            _ = try reader.string("title", default: "")
            _ = reader.contains("liveness")
            try reader.finish()
        }
        #expect(
            error == .unknownKey(path: "", key: "titel", known: ["name", "title", "liveness"]))
    }

    @Test func ofSeveralUnknownKeysTheFirstIsNamed() {
        let error = Texts.error(in: "{\"z\": 1, \"a\": 2}") { reader throws in
            try reader.finish()
        }
        #expect(error == .unknownKey(path: "", key: "z", known: []))
    }

    @Test func aKeyAskedForTwiceHidesNoUnknownOne() {
        let error = Texts.error(in: "{\"a\": true, \"b\": 2}") { reader throws in
            if reader.node("a") != nil { _ = try reader.bool("a") }
            try reader.finish()
        }
        #expect(error == .unknownKey(path: "", key: "b", known: ["a"]))
    }

    @Test func aPathLeadsToTheValue() {
        let text = "{\"list\": [{}, {\"inner\": {\"x\": [\"a\", 1]}}]}"
        let error = Texts.error(in: text) { reader throws in
            guard let element = try reader.elements("list")?.last else { return }
            var second = try JSONObjectReader(element)
            guard let node = second.node("inner") else { return }
            var inner = try JSONObjectReader(node)
            _ = try inner.strings("x")
        }
        #expect(error == .value(path: "list[1].inner.x[1]", problem: "not a string"))
    }

    @Test(arguments: [
        ("{}", "missing"), ("{\"k\": null}", "null where a string must stand"),
        ("{\"k\": 1}", "not a string"), ("{\"k\": [\"a\"]}", "not a string"),
    ])
    func aStringThatMustStand(text: String, problem: String) {
        let error = Texts.error(in: text) { try $0.string("k") }
        #expect(error == .value(path: "k", problem: problem))
    }

    @Test(arguments: [
        ("{\"k\": null}", "null where a boolean must stand"), ("{\"k\": 0}", "not true or false"),
        ("{\"k\": \"true\"}", "not true or false"),
    ])
    func aBooleanWithADefaultIsNeitherNullNorANumber(text: String, problem: String) {
        let error = Texts.error(in: text) { try $0.bool("k", default: true) }
        #expect(error == .value(path: "k", problem: problem))
    }

    @Test(
        arguments: [
            ("{\"k\": 0}", nil), ("{\"k\": 1}", 1), ("{\"k\": 255}", 255), ("{\"k\": 256}", nil),
            ("{\"k\": -1}", nil), ("{\"k\": 1.0}", nil), ("{\"k\": \"1\"}", nil),
            ("{\"k\": true}", nil), ("{\"k\": 9223372036854775807}", nil), ("{\"k\": null}", nil),
            ("{}", 7),
        ] as [(String, UInt8?)])
    func anIntegerWithinItsRange(text: String, expected: UInt8?) {
        let value = try? Texts.read(text) { reader throws in
            try reader.integer("k", in: 1...UInt8.max, default: 7)
        }
        #expect(value == expected)
    }

    @Test func anIntegerOutOfRangeIsToldTheRange() {
        let error = Texts.error(in: "{\"k\": 70000}") { try $0.integer("k", in: 68...65_535) }
        #expect(error == .value(path: "k", problem: "not an integer from 68 to 65535"))
    }

    @Test func absentAndNullAreNilWhereTheyMayBe() throws {
        for text in ["{}", "{\"k\": null}"] {
            try Texts.read(text) { reader throws in
                #expect(try reader.optionalString("k") == nil)
                #expect(try reader.optionalInteger("k", in: 0...1) == nil)
                #expect(try reader.optionalStrings("k") == nil)
                #expect(try reader.strings("k").isEmpty)
                #expect(try reader.stringMap("k").isEmpty)
                #expect(try reader.integers("k").isEmpty)
                #expect(try reader.nodes("k").isEmpty)
                #expect(try reader.elements("k") == nil)
                #expect(reader.node("k") == nil)
            }
        }
    }

    @Test func absentAndNullAreToldApartByWhoAsks() throws {
        #expect(try Texts.read("{}") { $0.value("k") } == nil)
        #expect(try Texts.read("{\"k\": null}") { $0.value("k") } == .null)
        #expect(try Texts.read("{\"k\": null}") { $0.contains("k") })
        #expect(try !Texts.read("{}") { $0.contains("k") })
    }

    @Test func listsAndMaps() throws {
        let text = "{\"s\": [\"a\"], \"m\": {\"x\": \"1\"}, \"i\": [1, -2], \"n\": {\"y\": 1}}"
        try Texts.read(text) { reader throws in
            #expect(try reader.strings("s") == ["a"])
            #expect(try reader.stringMap("m") == ["x": "1"])
            #expect(try reader.integers("i") == [1, -2])
            #expect(try reader.nodes("n").map(\.0) == ["y"])
            try reader.finish()
        }
    }

    @Test func listsAndMapsOfTheWrongKind() {
        #expect(
            Texts.error(in: "{\"k\": {}}") { try $0.strings("k") }
                == .value(path: "k", problem: "not an array"))
        #expect(
            Texts.error(in: "{\"k\": [[]]}") { try $0.strings("k") }
                == .value(path: "k[0]", problem: "not a string"))
        #expect(
            Texts.error(in: "{\"k\": []}") { try $0.stringMap("k") }
                == .value(path: "k", problem: "not an object"))
        #expect(
            Texts.error(in: "{\"k\": {\"a\": \"\", \"b\": null}}") { try $0.stringMap("k") }
                == .value(path: "k.b", problem: "not a string"))
        #expect(
            Texts.error(in: "{\"k\": [1, 1.5]}") { try $0.integers("k") }
                == .value(path: "k[1]", problem: "not an integer"))
        #expect(
            Texts.error(in: "{\"k\": \"x\"}") { reader throws in
                try reader.elements("k")?.count
            } == .value(path: "k", problem: "not an array"))
        #expect(
            Texts.error(in: "{\"k\": []}") { reader throws in
                try reader.nodes("k").count
            } == .value(path: "k", problem: "not an object"))
    }

    @Test(
        arguments: [
            ("{\"formatVersion\": 1}", nil),
            ("{\"formatVersion\": 2}", .newerFormat(2)),
            ("{}", .value(path: "formatVersion", problem: "missing")),
            (
                "{\"formatVersion\": 0}",
                .value(
                    path: "formatVersion", problem: "not an integer from 1 to 9223372036854775807")
            ),
            (
                "{\"formatVersion\": \"1\"}",
                .value(
                    path: "formatVersion", problem: "not an integer from 1 to 9223372036854775807")
            ),
        ] as [(String, JSONError?)])
    func aLaterVersionIsNewerAndNotCorrupt(text: String, expected: JSONError?) {
        #expect(Texts.error(in: text) { try $0.formatVersion(atMost: 1) } == expected)
    }

    @Test func theRestOfTheMembers() throws {
        let rest = try Texts.read("{\"a\": 1, \"b\": [2], \"c\": 3}") { $0.members(except: ["a"]) }
        #expect(Texts.written(rest) == "{\"b\":[2],\"c\":3}")
    }

    @Test(arguments: [("[]", 1), ("[1]", 2), ("{\"a\": 1}", 2), ("{\"a\": [{}], \"b\": 1}", 3)])
    func depthCountsFromOne(text: String, depth: Int) throws {
        #expect(try JSONDocument(parsing: text.utf8).withRoot { $0.depth } == depth)
    }
}
