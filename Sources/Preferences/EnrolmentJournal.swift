internal import Glibc
internal import JSON
internal import LinuxSystem
internal import TunnelModel

/// What an enrolment is about to change, written before it changes anything.
///
/// The preferences decide: as long as they do not hold the configurations in the generations that
/// stand here, the enrolment did not happen, and whoever changes anything next takes it back;
/// else it did, and only clearing up is left. An enrolment without configurations, found in the
/// middle, is taken back. A removal, which makes nothing, is decided with its journal. Nothing of
/// it needs room on the disk.
struct EnrolmentJournal: Equatable {
    /// How an enrolment ended that was found in the middle.
    enum Outcome: Equatable {
        case completed(String)
        case takenBack(String)
        /// What was to be removed is.
        case removed(String)
    }

    /// A configuration as the enrolment saves it.
    struct Mark: Equatable {
        var identifier: String
        var generation: UInt64
    }

    /// The name of the profile.
    var name: String
    var configurations: [Mark]
    /// Files that were there, each with its former state beside it.
    var replaced: [EnrolledFile] = []
    /// Files that were not there.
    var created: [EnrolledFile] = []
    /// Files that nothing refers to afterwards.
    var obsolete: [EnrolledFile] = []

    private var isRemoval: Bool {
        configurations.isEmpty && replaced.isEmpty && created.isEmpty
    }

    /// Ends what a process that is gone has left in the middle.
    @discardableResult
    static func settle(
        _ layout: FileLayout,
        _ document: PreferencesDocument?,
        _ turn: borrowing PreferencesTurn
    ) throws(PreferencesError) -> Outcome? {
        guard let journal = try read(layout) else { return nil }
        guard !journal.isRemoval else {
            try journal.finish(layout)
            return .removed(journal.name)
        }
        let saved = document?.configurations ?? []
        let isDone =
            !journal.configurations.isEmpty
            && journal.configurations.allSatisfy { mark in
                saved.contains {
                    $0.identifier == mark.identifier && $0.generation >= mark.generation
                }
            }
        if isDone { try journal.finish(layout) } else { try journal.undo(layout) }
        return isDone ? .completed(journal.name) : .takenBack(journal.name)
    }

    /// Writes the journal, and keeps the former state of what is replaced.
    func begin(_ layout: FileLayout) throws(PreferencesError) {
        try Self.changing(layout) { () throws(SystemError) in
            try AtomicFile.replace(
                layout.enrolmentJournal, with: JSONWriter.line(self), mode: 0o600)
            for file in replaced {
                try Directory.link(file.path(in: layout), as: file.formerPath(in: layout))
            }
        }
    }

    /// Takes back what was done, so that it is as if it had never begun.
    func undo(_ layout: FileLayout) throws(PreferencesError) {
        try Self.changing(layout) { () throws(SystemError) in
            for file in replaced {
                let former = file.formerPath(in: layout)
                // Where it is missing, nothing was written yet, or this was done already.
                if Directory.holds(former) {
                    try Directory.move(former, over: file.path(in: layout))
                }
            }
            for file in created { try Directory.removeFile(file.path(in: layout)) }
            try end(layout)
        }
    }

    /// Clears up after what was done.
    func finish(_ layout: FileLayout) throws(PreferencesError) {
        try Self.changing(layout) { () throws(SystemError) in
            for file in replaced { try Directory.removeFile(file.formerPath(in: layout)) }
            for file in obsolete { try Directory.removeFile(file.path(in: layout)) }
            try end(layout)
        }
    }

    private func end(_ layout: FileLayout) throws(SystemError) {
        for directory in [
            layout.credentialsDirectory, layout.profilesDirectory, layout.configurationDirectory,
        ]
        where Directory.exists(directory) {
            try AtomicFile.removeTemporaries(in: directory)
            try Directory.sync(directory)
        }
        // Last, and only when all the rest is on the disk.
        try Directory.removeFile(layout.enrolmentJournal)
        try Directory.sync(layout.configurationDirectory)
    }

    private static func changing(
        _ layout: FileLayout,
        _ body: () throws(SystemError) -> Void
    ) throws(PreferencesError) {
        do { try body() } catch { throw .unwritable(path: layout.enrolmentJournal, error) }
    }

    private static func read(_ layout: FileLayout) throws(PreferencesError) -> EnrolmentJournal? {
        let bytes: [UInt8]
        do throws(TrustedFile.Failure) {
            bytes = try TrustedFile.read(layout.enrolmentJournal, limit: 16 << 20)
        } catch .system(let error) where error.errno == ENOENT {
            return nil
        } catch {
            throw .unreadable(error)
        }
        do throws(JSONError) {
            return try JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
                try EnrolmentJournal(node)
            }
        } catch {
            throw .corrupt(path: layout.enrolmentJournal, error)
        }
    }
}

extension EnrolmentJournal: JSONEncodable {
    private init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        try reader.formatVersion(atMost: 1)
        name = try reader.string("name")
        configurations = []
        for element in try reader.elements("configurations") ?? [] {
            configurations.append(try Mark(element))
        }
        replaced = try EnrolledFile.read("replaced", &reader)
        created = try EnrolledFile.read("created", &reader)
        obsolete = try EnrolledFile.read("obsolete", &reader)
        try reader.finish()
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("name", name)
            writer.member("configurations", configurations)
            writer.member("replaced", replaced.map(\.text))
            writer.member("created", created.map(\.text))
            writer.member("obsolete", obsolete.map(\.text))
        }
    }
}

extension EnrolmentJournal.Mark: JSONEncodable {
    fileprivate init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        identifier = try reader.string("identifier")
        generation = try reader.integer("generation", in: 1...UInt64(Int64.max))
        try reader.finish()
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", identifier)
            writer.member("generation", generation)
        }
    }
}

extension SavedConfiguration {
    /// How a journal tells that it was saved.
    var mark: EnrolmentJournal.Mark {
        EnrolmentJournal.Mark(
            identifier: configuration.identifier, generation: configuration.generation)
    }
}

/// A file that enrolment makes.
enum EnrolledFile: Equatable {
    case credential(String)
    case profile(String)

    private static let credentials = "credentials/"
    private static let profiles = "profiles/"

    /// Where it lies.
    func path(in layout: FileLayout) -> String {
        switch self {
        case .credential(let name): "\(layout.credentialsDirectory)/\(name)"
        case .profile(let name): "\(layout.profilesDirectory)/\(name).json"
        }
    }

    /// Where its former state lies while it is replaced: no reader takes a name with a dot in
    /// front.
    fileprivate func formerPath(in layout: FileLayout) -> String {
        let (directory, name) = AtomicFile.split(path(in: layout))
        return "\(directory)/.former.\(name)"
    }

    fileprivate var text: String {
        switch self {
        case .credential(let name): Self.credentials + name
        case .profile(let name): Self.profiles + name
        }
    }

    fileprivate static func read(_ key: String, _ reader: inout JSONObjectReader)
        throws(JSONError) -> [EnrolledFile]
    {
        var files: [EnrolledFile] = []
        for (index, text) in try reader.strings(key).enumerated() {
            guard let file = EnrolledFile(text) else {
                throw reader.mismatch("\(key)[\(index)]", "not a file of an enrolment")
            }
            files.append(file)
        }
        return files
    }

    private init?(_ text: String) {
        if text.hasPrefix(Self.credentials) {
            let name = String(text.dropFirst(Self.credentials.count))
            guard Naming.problem(ofCredential: name) == nil else { return nil }
            self = .credential(name)
        } else if text.hasPrefix(Self.profiles) {
            let name = String(text.dropFirst(Self.profiles.count))
            guard Naming.problem(ofProfile: name) == nil else { return nil }
            self = .profile(name)
        } else {
            return nil
        }
    }
}
