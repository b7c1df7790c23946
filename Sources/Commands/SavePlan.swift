internal import Glibc
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// What a save came to, or would come to.
struct SaveResult {
    let saved: [SavedConfiguration]
    /// The changed configurations as they were, by identifier.
    let former: [String: Configuration]
    /// The names of all that was saved before.
    let formerNames: [String]
    let notices: [SaveWarning]
}

/// What the command line asks to be saved, to be applied to the document as it then stands.
struct SavePlan {
    private enum Source {
        case edits(name: String, [ConfigurationEdit])
        /// `isWhole` tells a document from one configuration by itself.
        case document(PreferencesDocument, file: String, isWhole: Bool)
    }

    /// No document of ours comes near this.
    private static let largestDocument = 256 << 20
    private static let editOptions = ["provider", "server", "title", "set", "unset"]

    private let source: Source
    private let expectedGeneration: UInt64?

    /// Reads the command line, and the file that it names.
    init(_ context: Context) throws(Failure) {
        let invocation = context.invocation
        do { expectedGeneration = try invocation.unsigned("if-generation") } catch {
            throw Failure(error)
        }
        guard let file = invocation.value("from") else {
            guard let name = invocation.operands.first else {
                throw Failure(
                    UsageError(
                        "no configuration named", hint: "usage: utunctl save NAME, or --from FILE"))
            }
            source = .edits(name: name, try Self.edits(invocation))
            return
        }
        let edits = Self.editOptions.filter { invocation.has($0) }.map { "--\($0)" }
        if let other = invocation.operands.first.map(\.shownInMessage) ?? edits.first {
            throw Failure(
                UsageError(
                    "--from and \(other) given",
                    hint: "a document says by itself what it changes; see `utunctl help save`"))
        }
        let bytes = try Self.read(file)
        do throws(JSONError) {
            source = try JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
                try Self.document(node, file)
            }
        } catch {
            throw Self.failure(Failure(PreferencesError.invalidDocument(error)), file: file)
        }
    }

    /// Applies the plan, all of it or nothing.
    func apply(to document: inout PreferencesDocument) throws(PreferencesError) -> SaveResult {
        let before = document
        var notices: [SaveWarning] = []
        var incoming: [Configuration] = []
        var rule = MaterialRule()
        for (index, configuration) in try configurations(for: document).enumerated() {
            let (normalized, found) = configuration.normalized()
            // Before what is wrong with it otherwise, which would be to no purpose.
            if let material = rule.material(in: normalized).first {
                throw .misplaced(material.moved(below: place(of: index)))
            }
            if let error = normalized.valueError {
                throw .invalidDocument(error.moved(below: place(of: index)))
            }
            incoming.append(normalized)
            notices += found.map { notice in
                SaveWarning(
                    name: configuration.name, code: notice.code, path: notice.path,
                    text: notice.text)
            }
        }
        let saved = try document.save(incoming)
        var former: [String: Configuration] = [:]
        for saved in saved where saved.changed && !saved.isNew {
            let identifier = saved.configuration.identifier
            former[identifier] = before.configurations.first { $0.identifier == identifier }
        }
        return SaveResult(
            saved: saved, former: former, formerNames: before.configurations.map(\.name),
            notices: notices)
    }

    /// The failure of applying the plan; what is wrong in a file names it.
    func failure(_ error: PreferencesError) -> Failure {
        guard case .document(_, let file, _) = source else { return Failure(error) }
        switch error {
        case .invalidDocument, .misplaced: return Self.failure(Failure(error), file: file)
        case .unreadable, .corrupt, .unwritable, .busy, .stale, .nameTaken: return Failure(error)
        }
    }

    private func configurations(for document: PreferencesDocument) throws(PreferencesError)
        -> [Configuration]
    {
        switch source {
        case .document(let given, _, _):
            try expect(document.generation, of: "the document")
            return given.configurations
        case .edits(let name, let edits):
            let saved = document.configuration(name)
            try expect(saved?.generation ?? 0, of: name)
            if saved == nil, let problem = Self.problem(ofNew: name) {
                throw .invalidDocument(.value(path: "name", problem: problem))
            }
            let configuration = saved ?? Configuration(identifier: "", name: name)
            do throws(ConfigurationEditError) {
                return [try configuration.applying(edits)]
            } catch {
                switch error {
                case .invalid(let error): throw .invalidDocument(error)
                case .misplaced(let material): throw .misplaced(material)
                }
            }
        }
    }

    private func expect(_ saved: UInt64, of subject: String) throws(PreferencesError) {
        guard let expectedGeneration, expectedGeneration != saved else { return }
        throw .stale(name: subject, given: expectedGeneration, saved: saved)
    }

    private func place(of index: Int) -> String {
        if case .document(_, _, true) = source { "configurations[\(index)]" } else { "" }
    }

    /// What is wrong with the name of a configuration that is to be made.
    static func problem(ofNew name: String) -> String? {
        // It would shadow nothing today, and be mistaken for an identifier tomorrow.
        if Identifier.isValid(name) { return "no configuration has this identifier" }
        return Naming.problem(ofConfiguration: name)
    }

    // MARK: Reading

    private static func edits(_ invocation: Invocation) throws(Failure) -> [ConfigurationEdit] {
        let keys = ["provider": "provider", "server": "serverAddress", "title": "title"]
        var edits: [ConfigurationEdit] = []
        for occurrence in invocation.occurrences {
            let value = occurrence.value ?? ""
            let assignment = split(value)
            if occurrence.name == "set", assignment == nil {
                // Behind a "=" stands what may be a secret.
                let isPath = !value.utf8.contains(UInt8(ascii: "="))
                throw Failure(
                    UsageError(
                        isPath ? "--set \(value.shownInMessage): no value" : "--set: no path",
                        hint: "write --set PATH=VALUE"))
            }
            do throws(JSONError) {
                if let path = keys[occurrence.name] {
                    edits.append(try ConfigurationEdit(setting: path, to: .string(value)))
                } else if occurrence.name == "unset" {
                    edits.append(try ConfigurationEdit(unsetting: value))
                } else if occurrence.name == "set", let assignment {
                    edits.append(
                        try ConfigurationEdit(setting: assignment.path, text: assignment.text))
                }
            } catch {
                throw Failure(PreferencesError.invalidDocument(error))
            }
        }
        return edits
    }

    private static func split(_ text: String) -> (path: String, text: String)? {
        // By bytes: as a character, a "=" before a combining mark would not be found.
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex,
            // A key of WireGuard ends with one, and is no path.
            MaterialForm.kind(of: String(text[...equals])) == nil
        else { return nil }
        return (String(text[..<equals]), String(text[text.utf8.index(after: equals)...]))
    }

    private static func document(_ node: JSONNode, _ file: String) throws(JSONError) -> Source {
        var reader = try JSONObjectReader(node)
        if reader.contains("name"), !reader.contains("configurations") {
            var document = PreferencesDocument()
            document.configurations = [try Configuration(node)]
            return .document(document, file: file, isWhole: false)
        }
        return .document(try PreferencesDocument(node), file: file, isWhole: true)
    }

    private static func read(_ file: String) throws(Failure) -> [UInt8] {
        do throws(SystemError) {
            if file != "-" {
                return try FileDescriptor.open(file, O_RDONLY).readAll(limit: largestDocument, file)
            }
            return try readStandardInput(limit: largestDocument)
        } catch {
            throw Failure(error)
        }
    }

    private static func failure(_ failure: Failure, file: String) -> Failure {
        let place = file == "-" ? "standard input" : file
        return Failure(
            failure.exitStatus, failure.code, "\(place): \(failure.text)", hint: failure.hint)
    }
}
