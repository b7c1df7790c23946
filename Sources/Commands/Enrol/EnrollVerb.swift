internal import Enrolment
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

extension Verb {
    static let enroll = Verb(
        syntax: VerbSyntax(
            "enroll",
            summary: "take in configurations, their trust and their secrets from a file",
            operands: Operands("FILE", minimum: 1, maximum: 1),
            options: [
                Option(
                    "name", value: "NAME",
                    summary: "the name of the profile, where the file has none"),
                Option("replace", summary: "put it in the place of what has the name"),
                Option("arm", summary: "let On Demand rules of the file be in force"),
                Option(
                    "provider", value: "ID",
                    summary: "the provider of the tunnels of a configuration profile"),
                Option("strict", summary: "refuse a file of which something would be dropped"),
                Option("dry-run", summary: "say what would become of each line, and write nothing"),
            ],
            description: [
                "The format of FILE is told by what it holds. A file of wg-quick needs --name: "
                    + "private and preshared keys become credentials, the public keys of peers the "
                    + "anchors NAME/peer1, NAME/peer2 and so on of the profile NAME, and the rest "
                    + "the configuration NAME. It is all of it or nothing. Nothing is started, and "
                    + "nothing of the file is run. The answer names each line that is changed or "
                    + "dropped. FILE may be - for standard input.",
                "Of a configuration profile of Apple (.mobileconfig) certificates become anchors, "
                    + "and each VPN payload a configuration; with several, each is called NAME-TITLE. "
                    + "WireGuard is found by itself, any other provider is named by --provider.",
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
    private let name: String?
    private let isDryRun: Bool
    private let isStrict: Bool

    init(_ context: Context) throws(Failure) {
        self.context = context
        isDryRun = context.invocation.has("dry-run")
        isStrict = context.invocation.has("strict")
        name = context.invocation.value("name")
        if let name, let problem = SavePlan.problem(ofNew: name) {
            throw Failure(.refused, "documentInvalid", "--name: \(problem)")
        }
    }

    func run() throws(Failure) -> ExitStatus {
        // What is held from now on must not come out in a core dump.
        do { try Privilege.protectProcess() } catch { throw Failure(error) }
        let reading = try EnrolmentReading(context)
        let proposal = try reading.proposal(named: name)
        if let problem = reading.laxMode { try tellLaxMode(problem, proposal) }
        if isStrict { try refuseDropped(proposal.items) }
        let result = try enrol(proposal.material)
        let answer = EnrollAnswer(
            save: saveAnswer(result), proposal: proposal,
            removedCredentials: result.removedCredentials)
        for warning in answer.save.warnings { context.output.warn(warning.line("enroll")) }
        if !isDryRun { context.noteWhatRuns(result.saved) }
        try context.output.answer(answer, text: answer.text)
        return .done
    }

    private func tellLaxMode(_ problem: String, _ proposal: EnrolmentProposal) throws(Failure) {
        guard !isStrict else {
            throw Failure(
                .refused, "fileLax", problem, hint: "chmod 0600 it, and think about its keys")
        }
        context.output.warn("enroll \(proposal.material.profile.identifier): \(problem)")
    }

    private func refuseDropped(_ items: [EnrolmentItem]) throws(Failure) {
        guard let dropped = items.first(where: { $0.outcome == .dropped }) else { return }
        throw Failure(
            .refused, "lineDropped", "\(dropped.place) would be dropped: \(dropped.text)",
            hint: "without --strict it is enrolled without this")
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
}
