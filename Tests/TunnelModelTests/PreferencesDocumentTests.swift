import JSON
import Testing
import TunnelModel

@Suite struct PreferencesDocumentTests {
    private static func problem(_ text: String) -> String? {
        Model.problem(text) { node throws(JSONError) in try PreferencesDocument(node) }
    }

    @Test func anEmptyDocument() throws {
        let text = "{\"formatVersion\":1,\"generation\":0,\"configurations\":[]}"
        #expect(Model.written(PreferencesDocument()) == text)
        let read = try Model.read(text) { node throws(JSONError) in try PreferencesDocument(node) }
        #expect(read == PreferencesDocument())
    }

    @Test func readingAndWritingIsAFixedPoint() throws {
        var document = PreferencesDocument()
        document.generation = 12
        document.configurations = [
            Configuration(identifier: Model.identifier, name: "office"),
            Configuration(identifier: Identifier.make(from: [1]), name: "home"),
        ]
        let text = Model.written(document, layout: .indented)
        let read = try Model.read(text) { node throws(JSONError) in try PreferencesDocument(node) }
        #expect(read == document)
        #expect(read.configuration("home") == document.configurations[1])
        #expect(read.configuration(Model.identifier) == document.configurations[0])
        #expect(read.configuration("Office") == nil)
    }

    @Test func aNameIsFoundBeforeAnIdentifier() {
        var document = PreferencesDocument()
        document.configurations = [
            Configuration(identifier: Model.identifier, name: "a"),
            Configuration(identifier: Identifier.make(from: [1]), name: Model.identifier),
        ]
        #expect(document.configuration(Model.identifier)?.name == Model.identifier)
    }

    @Test(arguments: [
        ("{}", "formatVersion: missing"),
        (
            "{\"formatVersion\": 2, \"whatever\": 1}",
            "formatVersion 2 was written by a newer utunctl"
        ),
        ("{\"formatVersion\": 1, \"configuration\": []}", "unknown key configuration"),
        ("{\"formatVersion\": 1, \"configurations\": {}}", "configurations: not an array"),
        ("{\"formatVersion\": 1, \"configurations\": [1]}", "configurations[0]: not an object"),
        (
            "{\"formatVersion\": 1, \"configurations\": [{\"name\": \"a\"}, {\"name\": \"all\"}]}",
            "configurations[1].name: the name all is reserved"
        ),
        (
            "{\"formatVersion\": 1, \"configurations\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}",
            "configurations[1].name: the name a is taken twice"
        ),
        (
            """
            {"formatVersion": 1, "configurations": [
            {"name": "a", "identifier": "7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c001"},
            {"name": "b", "identifier": "7b0d3c1e-95a4-4a0f-8f5e-0a3a54d0c001"}]}
            """,
            "configurations[1].identifier: the identifier is taken twice"
        ),
        ("[]", "not an object"),
    ])
    func whatIsWrongIsNamedByItsPath(text: String, problem: String) {
        #expect(Self.problem(text) == problem)
    }

    @Test func configurationsWithoutAnIdentifierYetDoNotCollide() {
        let text =
            "{\"formatVersion\": 1, \"configurations\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}"
        #expect(Self.problem(text) == nil)
    }

    @Test func aDocumentCutOffAnywhereIsAnErrorAndNeverAnEmptyOne() {
        var document = PreferencesDocument()
        document.configurations = [Configuration(identifier: Model.identifier, name: "office")]
        let text = Array(Model.written(document, layout: .indented).utf8)
        for length in text.indices {
            let part = String(decoding: text.prefix(length), as: UTF8.self)
            #expect(Self.problem(part) != nil, "cut off at \(length)")
        }
    }
}
