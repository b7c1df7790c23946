internal import Preferences
internal import TunnelModel

extension Verb {
    static let profiles = Verb(
        syntax: VerbSyntax(
            "profiles",
            summary: "list, show and remove what was enrolled",
            operands: Operands("[list | show NAME | remove NAME…]", minimum: 0, maximum: nil),
            options: [
                Option("force", summary: "remove: even where a configuration refers to it")
            ],
            description: [
                "A profile holds the anchors that an enrolment brought. `list` tells who issued "
                    + "and who signed it, what is not valid any more, yet, or for long, and which "
                    + "configurations refer to it; `show` tells each anchor.",
                "`remove` removes the secrets that came with a profile as well, unless a "
                    + "configuration refers to them: of all that is named, or nothing.",
            ],
            examples: [
                Example("utunctl profiles", "list what is enrolled"),
                Example("utunctl profiles show office", "show the anchors of office"),
                Example(
                    "utunctl profiles remove office",
                    "remove one whose anchors no configuration names"),
            ]),
        run: { context throws(Failure) in try ProfilesCommand(context: context).run() })
}

private struct ProfilesCommand {
    private enum Action: String, CaseIterable {
        case list, show, remove
    }

    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let word = context.invocation.operands.first ?? Action.list.rawValue
        guard let action = Action(rawValue: word) else {
            let nearest = nearestWord(to: word, in: Action.allCases.map(\.rawValue))
            throw Failure(
                UsageError(
                    "there is no action \(word.shownInMessage): list, show or remove",
                    hint: nearest.map { "did you mean \($0)?" }))
        }
        let names = Array(context.invocation.operands.dropFirst())
        try check(action, names)
        switch action {
        case .list: try list()
        case .show: try show(names)
        case .remove: try remove(names)
        }
        return .done
    }

    private func check(_ action: Action, _ names: [String]) throws(Failure) {
        func refuse(_ text: String) -> Failure { Failure(UsageError(text)) }
        switch action {
        case .list where !names.isEmpty: throw refuse("profiles list takes no NAME")
        case .show where names.count != 1: throw refuse("profiles show takes one NAME")
        case .remove where names.isEmpty: throw refuse("profiles remove needs a NAME")
        case .list, .show, .remove: break
        }
        if context.invocation.has("force"), action != .remove {
            throw refuse("--force goes with remove")
        }
    }

    private func list() throws(Failure) {
        let profiles = try ListedProfile.all(context)
        if profiles.isEmpty { context.output.note("no profile is enrolled") }
        try context.output.answer(
            ListAnswer(key: "profiles", elements: profiles),
            text: alignedColumns(profiles.map(\.columns)).joined(separator: "\n"))
    }

    private func show(_ names: [String]) throws(Failure) {
        let profiles = try ListedProfile.all(context)
        let shown = profiles.filter { names.contains($0.name) }
        guard !shown.isEmpty else {
            throw Failure(
                RemovalError.notEnrolled(names.first ?? "", enrolled: profiles.map(\.name)))
        }
        try context.output.answer(
            ListAnswer(key: "profiles", elements: shown),
            text: shown.flatMap(\.lines).joined(separator: "\n"))
    }

    private func remove(_ operands: [String]) throws(Failure) {
        var names: [String] = []
        for name in operands where !names.contains(name) { names.append(name) }
        let turn = try context.turn()
        let credentials: [String]
        do throws(RemovalError) {
            credentials = try EnrolmentStore(context.layout).remove(
                names, isForced: context.invocation.has("force"), turn)
        } catch {
            throw Failure(error)
        }
        let lines =
            names.map { "removed the profile \($0)" }
            + credentials.map { "removed the credential \($0)" }
        try context.output.answer(
            RemovedProfiles(names: names, credentials: credentials),
            text: lines.joined(separator: "\n"))
    }
}
