import JSON
import TestSupport
import Testing

/// Answers of the program, to be held against the schemas that are shipped.
struct SchemaSamples {
    static let directory = "\(Installation.source)/Sources/Install/schema"
    private static let script = "\(Installation.source)/Tests/Scripts/validate-json"

    private let root: TemporaryRoot
    private var lines: [String] = []

    init() throws {
        root = try TemporaryRoot()
    }

    /// Keeps an answer, under the name that it has among the schemas.
    mutating func add(_ answer: String, _ text: some StringProtocol) {
        lines.append("\(answer)\t\(text)\n")
    }

    /// Runs a verb, whose answer is one line.
    @discardableResult
    mutating func run(
        _ site: Installation,
        _ answer: String,
        _ arguments: String...,
        input: String? = nil
    ) throws -> JSONObject {
        let result = try Command.run(site.command(["--json"] + arguments), input: input)
        let lines = result.output.split(separator: "\n")
        guard lines.count == 1 else { throw Unexpected("\(arguments): \(result)") }
        add(answer, lines[0])
        return try Installation.parse(result.output)
    }

    /// Expects that all answers are as the schemas say.
    func check(at location: SourceLocation = #_sourceLocation) throws {
        let complaints = try complaints()
        #expect(
            complaints.isEmpty, "\(complaints.joined(separator: "\n"))", sourceLocation: location)
    }

    /// What is not as the schemas say; nothing where all is.
    func complaints() throws -> [String] {
        try root.write("/samples", lines.joined())
        let result = try Command.run(
            ["/usr/bin/python3", Self.script, Self.directory, root.path("/samples")])
        guard result.errors.isEmpty else { throw Unexpected("\(result)") }
        let complaints = result.output.split(separator: "\n").map { String($0) }
        guard (result.status == 0) == complaints.isEmpty else { throw Unexpected("\(result)") }
        return complaints
    }
}
