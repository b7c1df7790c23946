internal import Enrolment
internal import Glibc
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

extension Verb {
    static let enroll = Verb(
        syntax: VerbSyntax(
            "enroll",
            summary: "make a configuration, its trust and its secrets of a file of wg-quick",
            operands: Operands("FILE", minimum: 1, maximum: 1),
            options: [
                Option("name", value: "NAME", summary: "the name of configuration and profile"),
                Option("replace", summary: "put it in the place of what has the name"),
                Option("strict", summary: "refuse a file of which something would be dropped"),
                Option("dry-run", summary: "say what would become of each line, and write nothing"),
            ],
            description: [
                "Private and preshared keys become credentials, the public keys of peers the "
                    + "anchors NAME/peer1, NAME/peer2 and so on of the profile NAME, and the rest "
                    + "the configuration NAME: all of it or nothing. Nothing is started, and "
                    + "nothing of the file is run. The answer names each line that is changed or "
                    + "dropped. FILE may be - for standard input.",
                "With --replace, the configuration keeps its identifier and what the file cannot "
                    + "say; secrets of peers that are no more are removed. A running tunnel takes "
                    + "what was enrolled with its next start.",
            ],
            examples: [
                Example(
                    "utunctl enroll office.conf --name office",
                    "enrol what the administrator of the other side sent"),
                Example(
                    "utunctl enroll office.conf --name office --replace --dry-run",
                    "see what a newer file would change"),
            ]),
        run: { context throws(Failure) in try EnrollCommand(context).run() })
}

private struct EnrollCommand {
    private let context: Context
    private let name: String
    private let isDryRun: Bool
    private let isStrict: Bool

    init(_ context: Context) throws(Failure) {
        self.context = context
        isDryRun = context.invocation.has("dry-run")
        isStrict = context.invocation.has("strict")
        guard let name = context.invocation.value("name") else {
            let proposal = Self.proposal(for: context.operand)
            throw Failure(UsageError("no name given", hint: "add --name \(proposal)"))
        }
        self.name = name
        if let problem = SavePlan.problem(ofNew: name) {
            throw Failure(.refused, "documentInvalid", "--name: \(problem)")
        }
    }

    func run() throws(Failure) -> ExitStatus {
        // What is held from now on must not come out in a core dump.
        do { try Privilege.protectProcess() } catch { throw Failure(error) }
        let source = try EnrolmentSource(context.operand)
        if let problem = source.laxMode {
            guard !isStrict else {
                throw Failure(
                    .refused, "fileLax", problem, hint: "chmod 0600 it, and think about its keys")
            }
            context.output.warn("enroll \(name): \(problem)")
        }
        let file: QuickFile
        do { file = try QuickFile(parsing: source.bytes) } catch { throw Failure(error) }
        let items = file.report(named: name)
        if isStrict, let dropped = items.first(where: { $0.outcome == .dropped }) {
            throw Failure(
                .refused, "lineDropped",
                "line \(dropped.line): \(dropped.key) would be dropped: \(dropped.text)",
                hint: "without --strict it is enrolled without this")
        }
        let material = file.material(named: name)
        let result = try enrol(material)
        let answer = EnrollAnswer(
            save: saveAnswer(result), material: material, items: items,
            removedCredentials: result.removedCredentials)
        for warning in answer.save.warnings { context.output.warn(warning.line("enroll")) }
        if !isDryRun { context.noteWhatRuns(result.saved) }
        try context.output.answer(answer, text: answer.text)
        return .done
    }

    private func enrol(_ material: EnrolledMaterial) throws(Failure) -> EnrolledResult {
        let replacing = context.invocation.has("replace")
        let store = EnrolmentStore(context.layout)
        do throws(EnrolmentError) {
            guard !isDryRun else { return try store.rehearse(material, replacing: replacing) }
            return try store.enrol(material, replacing: replacing)
        } catch {
            throw Failure(error)
        }
    }

    private func saveAnswer(_ result: EnrolledResult) -> SaveAnswer {
        let notices = result.notices.map { name, notice in
            SaveWarning(name: name, code: notice.code, path: notice.path, text: notice.text)
        }
        let configurations = result.saved.map(\.configuration)
        let warnings = SaveWarning.warnings(for: configurations, context.layout).filter {
            // What a rehearsal did not write is not there.
            !isDryRun || !($0.path.hasPrefix("trust[") || $0.path.hasPrefix("credentials."))
        }
        return SaveAnswer(
            result: SaveResult(
                saved: result.saved, former: result.former, formerNames: [], notices: notices),
            isDryRun: isDryRun, warnings: notices + warnings)
    }

    /// A name that a file could be enrolled under.
    private static func proposal(for file: String) -> String {
        var stem = AtomicFile.split(file).name[...]
        if stem.hasSuffix(".conf") { stem = stem.dropLast(5) }
        let bytes = stem.utf8.map { byte in
            Naming.problem(ofProfile: "x\(Character(Unicode.Scalar(byte)))") == nil
                ? byte : UInt8(ascii: "-")
        }
        let name = String(
            decoding: bytes.drop { "_.-".utf8.contains($0) }.prefix(64), as: UTF8.self)
        return SavePlan.problem(ofNew: name) == nil ? name : "tunnel"
    }
}

/// The bytes of the file that is enrolled, and whether others can read it.
private struct EnrolmentSource {
    let bytes: [UInt8]
    /// What is to be said of its mode.
    let laxMode: String?

    init(_ path: String) throws(Failure) {
        do throws(SystemError) {
            guard path != "-" else {
                bytes = try readStandardInput(limit: QuickFile.largest)
                laxMode = nil
                return
            }
            let file = try FileDescriptor.open(path, O_RDONLY | O_NOCTTY)
            let status = try file.status(path)
            bytes = try file.readAll(limit: QuickFile.largest, path)
            let mode = status.st_mode & 0o7777
            let isLax = status.st_mode & S_IFMT == S_IFREG && mode & 0o044 != 0
            laxMode =
                isLax
                ? "mode 0\(String(mode, radix: 8)) of the file lets others read the keys in it"
                : nil
        } catch {
            if error.errno == EFBIG { throw Failure(QuickFileError.tooLarge) }
            throw Self.failure(error, path)
        }
    }

    private static func failure(_ error: SystemError, _ path: String) -> Failure {
        let failure = Failure(error)
        guard error.errno == EACCES, let blocking = TrustedFile.blockingComponent(of: path) else {
            return failure
        }
        return Failure(
            failure.exitStatus, failure.code, "\(failure.text): \(blocking) may not be searched",
            hint: failure.hint)
    }
}
