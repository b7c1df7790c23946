internal import JSON
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

extension Verb {
    static let credential = Verb(
        syntax: VerbSyntax(
            "credential",
            summary: "write, list and remove secrets",
            operands: Operands("set NAME | list | remove NAME…", minimum: 1, maximum: nil),
            options: [
                Option("replace", summary: "set: put it in the place of the credential NAME"),
                Option("force", summary: "remove: even where a configuration refers to it"),
            ],
            description: [
                "A configuration refers to a secret as file:NAME, and never holds it.",
                "`set` reads the secret from standard input, without the line end behind it; on a "
                    + "terminal it asks for it, and does not show it. `list` tells what is there, "
                    + "who refers to it, and never a secret.",
            ],
            examples: [
                Example(
                    "wg genkey | utunctl credential set office.key",
                    "keep a secret that another program makes"),
                Example("utunctl credential list", "list the secrets by name"),
                Example(
                    "utunctl credential remove office.key",
                    "remove one that no configuration refers to"),
            ]),
        run: { context throws(Failure) in try CredentialCommand(context: context).run() })
}

private struct CredentialCommand {
    private enum Action: String, CaseIterable {
        case set, list, remove
    }

    let context: Context

    private var store: CredentialStore { CredentialStore(context.layout) }

    func run() throws(Failure) -> ExitStatus {
        let word = context.operand
        guard let action = Action(rawValue: word) else {
            let nearest = nearestWord(to: word, in: Action.allCases.map(\.rawValue))
            throw Failure(
                UsageError(
                    "there is no action \(word.shownInMessage): set, list or remove",
                    hint: nearest.map { "did you mean \($0)?" }))
        }
        let names = Array(context.invocation.operands.dropFirst())
        try check(action, names)
        switch action {
        case .set: try set()
        case .list: try list()
        case .remove: try remove(names)
        }
        return .done
    }

    private func check(_ action: Action, _ names: [String]) throws(Failure) {
        func refuse(_ text: String) -> Failure { Failure(UsageError(text)) }
        switch action {
        case .set where names.count != 1: throw refuse("credential set takes one NAME")
        case .list where !names.isEmpty: throw refuse("credential list takes no NAME")
        case .remove where names.isEmpty: throw refuse("credential remove needs a NAME")
        case .set, .list, .remove: break
        }
        if context.invocation.has("replace"), action != .set {
            throw refuse("--replace goes with set")
        }
        if context.invocation.has("force"), action != .remove {
            throw refuse("--force goes with remove")
        }
    }

    private func set() throws(Failure) {
        let credential = try CredentialWriting(context)
        let secret = try SecretInput.read(prompt: "secret for \(credential.name)")
        try credential.write(secret)
        let answer = ListAnswer(key: "set", elements: [credential.name])
        try context.output.answer(answer, text: "set \(credential.name)")
    }

    private func list() throws(Failure) {
        let document = try context.preferences()
        let names = try names()
        if names.isEmpty { context.output.note("there is no credential") }
        let credentials = names.map { name in
            var problem: String?
            do throws(CredentialError) { _ = try store.open(name, "file:\(name)") } catch {
                problem = error.problem
            }
            return ListedCredential(
                name: name, usedBy: document.users(ofCredential: name, context.layout),
                problem: problem)
        }
        try context.output.answer(
            ListAnswer(key: "credentials", elements: credentials),
            text: alignedColumns(credentials.map { [$0.name, $0.text] }).joined(separator: "\n"))
    }

    private func remove(_ names: [String]) throws(Failure) {
        let turn = try context.turn()
        try refuseRemoval(of: names)
        for name in names {
            do { try store.remove(name, turn) } catch { throw Failure(error) }
        }
        try context.output.answer(
            ListAnswer(key: "removed", elements: names),
            text: names.map { "removed \($0)" }.joined(separator: "\n"))
    }

    /// Throws what stands against removing one of them, before any is removed.
    private func refuseRemoval(of names: [String]) throws(Failure) {
        let known = try self.names()
        for name in names where !known.contains(name) {
            throw Failure(
                .refused, "credentialMissing", "there is no credential \(name.shownInMessage)",
                hint: nearestWord(to: name, in: known).map { "did you mean \($0)?" }
                    ?? "see `utunctl credential list`")
        }
        guard !context.invocation.has("force") else { return }
        let document = try context.preferences()
        for name in names {
            guard let user = document.users(ofCredential: name, context.layout).first else {
                continue
            }
            throw Failure(
                .refused, "credentialInUse", "\(user) refers to \(name)",
                hint: "--force removes it all the same; \(user) cannot start without it")
        }
    }

    private func names() throws(Failure) -> [String] {
        do { return try store.names() } catch { throw Failure(error) }
    }
}

private struct ListedCredential: JSONEncodable {
    let name: String
    let usedBy: [String]
    let problem: String?

    var text: String {
        let users = usedBy.isEmpty ? "not used" : "used by \(usedBy.joined(separator: ", "))"
        return problem.map { "\(users); unusable: \($0)" } ?? users
    }

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("usedBy", usedBy)
            writer.member("problem", problem)
        }
    }
}
