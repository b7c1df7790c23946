import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing
import TunnelModel

@testable import Commands

/// The schemas say of each verb what it answers, and know the same words as the program.
@Suite struct SchemaTableTests {
    /// Verbs that print what others print.
    private static let printNoAnswer: Set = ["exec", "run"]

    private static func schema(_ name: String) throws -> JSONObject {
        let path = "\(Installation.source)/Sources/Install/schema/\(name).schema.json"
        let bytes = try FileDescriptor.open(path, O_RDONLY).readAll(limit: 1 << 20)
        return try Installation.parse(String(decoding: bytes, as: UTF8.self))
    }

    private static func words(_ file: String, _ path: String) throws -> Set<String> {
        let found = try schema(file).value("$defs.\(path).enum")?.array
        return Set(try #require(found, "\(file): \(path)").compactMap(\.string))
    }

    @Test func everyVerbHasASchema() throws {
        let answers = try #require(try Self.schema("utunctl")["$defs"]?.object).keys
        for verb in Verb.all.map(\.syntax.name) where !Self.printNoAnswer.contains(verb) {
            #expect(answers.contains { $0 == verb || $0.hasPrefix("\(verb)-") }, "\(verb)")
        }
    }

    @Test func theProgramAndTheSchemasKnowTheSameWords() throws {
        #expect(
            try Self.words("common", "warning.properties.code")
                == Set(TunnelWarning.Code.allCases.map(\.rawValue)))
        #expect(
            try Self.words("common", "status") == Set(TunnelStatus.allCases.map(\.rawValue)))
        #expect(
            try Self.words("common", "routingMode") == Set(RoutingMode.allCases.map(\.rawValue)))
        #expect(
            try Self.words("status", "lastDisconnect.properties.code")
                == Set(DisconnectCode.allCases.map(\.rawValue)))
        #expect(
            try Self.words("status", "lastDisconnect.properties.kind")
                == Set(DisconnectCode.Kind.allCases.map(\.rawValue)))
        #expect(
            try Self.words("status", "tunnelMembers.properties.firewall.properties.mode")
                == Set(FirewallMode.allCases.map(\.rawValue)))
        let statuses = try Self.schema("common").value("$defs.exitStatus.enum")?.array
        #expect(
            statuses?.compactMap(\.integer) == ExitStatus.allCases.map { Int64($0.rawValue) })
    }

    @Test func helpTellsEveryKeyOfStatusInItsOrder() throws {
        let schema = try Self.schema("status")
        let members = schema.value("$defs.tunnelMembers.properties")?.object
        let keys = try #require(members).keys
        let told = StatusKey.all.map { String($0.path.prefix { $0 != "." && $0 != "[" }) }
        var sections: [String] = []
        for key in told where sections.last != key { sections.append(key) }
        #expect(sections == keys)
        for part in ["provider", "interface", "routing", "dns", "lastDisconnect"] {
            let members = schema.value("$defs.\(part).properties")?.object
            #expect(
                StatusKey.all.map(\.path).filter { $0.hasPrefix("\(part).") }
                    == (try #require(members)).keys.map { "\(part).\($0)" })
        }
    }

    @Test func helpNamesEveryTopicAndEveryWarning() {
        let topics = Verb.help.syntax.description.joined(separator: " ")
        for topic in HelpTopic.allCases { #expect(topics.contains(topic.rawValue)) }
        let text = HelpTopic.warnings.text
        for code in TunnelWarning.Code.allCases {
            #expect(text.contains("\n  \(code.rawValue) "), "\(code)")
        }
        let degrading = text.prefix { $0 != "T" } + text.dropFirst().prefix { $0 != "T" }
        #expect(degrading.contains("linkDown") && !degrading.contains("hostBlocked"))
    }
}
