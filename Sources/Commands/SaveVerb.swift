internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let save = Verb(
        syntax: VerbSyntax(
            "save",
            summary: "create or change configurations",
            operands: Operands("[NAME]", minimum: 0, maximum: 1),
            options: [
                Option("provider", value: "ID", summary: "the provider, such as org.example.thing"),
                Option("server", value: "HOST[:PORT]", summary: "the address of the server"),
                Option("title", value: "TEXT", summary: "a title for people"),
                Option(
                    "set", value: "PATH=VALUE", repeats: true,
                    summary: "set the key at PATH, such as interface.mtu=1400"),
                Option(
                    "unset", value: "PATH", repeats: true,
                    summary: "restore the default of the key at PATH"),
                Option(
                    "from", value: "FILE",
                    summary: "save the document in FILE, or on standard input where FILE is -"),
                Option(
                    "if-generation", value: "N",
                    summary: "save only onto generation N; 0 where nothing may be saved yet"),
                Option("dry-run", summary: "say what would change, and write nothing"),
                Option("strict", summary: "refuse what would be saved with a warning"),
            ],
            description: [
                "Creates the configuration NAME, or changes what is given and keeps the rest. A "
                    + "running tunnel is never touched: it takes what was saved with its next "
                    + "start.",
                "In PATH, keys are separated by dots and elements of arrays counted from 0 in "
                    + "brackets: trust[0]. One place behind the last is where an element is "
                    + "added. Keys that hold text take VALUE as it is; for all others VALUE is "
                    + "JSON. A key that itself holds a dot is set with the object around it.",
                "With --from, a whole document as `load` prints it, or one configuration as in "
                    + "its list, is saved: all of it or nothing. It never deletes. A "
                    + "configuration that somebody else saved meanwhile is stale.",
                "What is wrong with a value is refused. What is merely missing here, such as a "
                    + "provider or a credential, is a warning; --strict refuses it too.",
                "Keys, certificates, passwords and switches against verification are refused "
                    + "wherever they stand: they come by `enroll` and `credential set`.",
            ],
            examples: [
                Example("utunctl save test", "create a loopback tunnel with the defaults"),
                Example(
                    "utunctl save office --server vpn.example.org:51820",
                    "change one key of office"),
                Example(
                    "utunctl save office --set interface.mtu=1400 --unset username",
                    "set one key and restore the default of another"),
                Example(
                    "utunctl load office | utunctl save --from -",
                    "save what was just loaded, which changes nothing"),
                Example(
                    "utunctl save --from office.json --dry-run",
                    "see whether a document would be saved, and what would change"),
            ]),
        run: { context throws(Failure) in try SaveCommand(context: context).run() })
}

private struct SaveCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let plan = try SavePlan(context)
        let isDryRun = context.invocation.has("dry-run")
        if context.invocation.has("strict") { try refuseWarnings(try rehearse(plan)) }
        if !isDryRun { try refuseRenames(plan) }
        let result = isDryRun ? try rehearse(plan) : try save(plan)
        let answer = SaveAnswer(
            result: result, isDryRun: isDryRun, warnings: warnings(of: result))
        for warning in answer.warnings { context.output.warn(warning.line("save")) }
        noteSimilarNames(result)
        if !isDryRun {
            context.noteWhatRuns(result.saved, result.former)
            context.noteWhoFollows(result.saved)
        }
        try context.output.answer(answer, text: answer.text)
        return .done
    }

    private func warnings(of result: SaveResult) -> [SaveWarning] {
        result.notices
            + SaveWarning.warnings(for: result.saved.map(\.configuration), context.layout)
    }

    // Before anything is written: most of what they say lies outside of the document.
    private func refuseWarnings(_ result: SaveResult) throws(Failure) {
        let warnings = warnings(of: result)
        guard let first = warnings.first else { return }
        let rest = warnings.count > 1 ? ", and \(warnings.count - 1) more" : ""
        for warning in warnings.dropFirst() { context.output.warn(warning.line("save")) }
        throw Failure(
            .refused, "warningRefused", "\(first.path): \(first.text)\(rest)",
            hint: "without --strict it is saved with a warning")
    }

    private func refuseRenames(_ plan: SavePlan) throws(Failure) {
        // Only a document gives another name to what is saved.
        guard context.invocation.operands.isEmpty, ServiceManager.find(context.layout) != nil
        else { return }
        let result = try rehearse(plan)
        for saved in result.saved {
            guard let former = result.former[saved.configuration.identifier] else { continue }
            try context.refuseRename(of: former, to: saved.configuration.name)
        }
    }

    private func save(_ plan: SavePlan) throws(Failure) -> SaveResult {
        do throws(PreferencesError) {
            return try context.store.update { document throws(PreferencesError) in
                try plan.apply(to: &document)
            }
        } catch {
            throw plan.failure(error)
        }
    }

    private func rehearse(_ plan: SavePlan) throws(Failure) -> SaveResult {
        var document = try context.preferences()
        do { return try plan.apply(to: &document) } catch { throw plan.failure(error) }
    }

    /// A mistyped name creates what nobody wanted.
    private func noteSimilarNames(_ result: SaveResult) {
        for saved in result.saved where saved.isNew {
            let name = saved.configuration.name
            guard let other = nearestWord(to: name, in: result.formerNames) else { continue }
            context.output.note("save \(name): this is a new one, beside \(other)")
        }
    }
}

extension Context {
    /// Tells where nobody follows the rules of what was saved.
    func noteWhoFollows(_ saved: [SavedConfiguration]) {
        let armed = saved.map(\.configuration).filter(\.isArmed)
        for configuration in armed
        where self.directory(of: configuration.identifier).hold() != nil {
            output.note(
                "\(configuration.name): it was stopped by hand, and stays so:"
                    + " utunctl ondemand resume \(configuration.name)")
        }
        guard !armed.isEmpty, !OnDemandFiles(layout).isServiceRunning else { return }
        output.note(
            "\(armed.map(\.name).joined(separator: ", ")): no service follows its rules yet:"
                + " systemctl enable --now utunctl-ondemand.service")
    }

    /// Tells which of the saved configurations run, and so with what was saved before.
    func noteWhatRuns(_ saved: [SavedConfiguration], _ former: [String: Configuration]) {
        for saved in saved where saved.changed && !saved.isNew {
            let directory = directory(of: saved.configuration.identifier)
            let former = former[saved.configuration.identifier]
            // Rules are followed as they are saved, whatever runs.
            let isOfRules = former?.changes(to: saved.configuration).allSatisfy {
                $0.path.hasPrefix("onDemand.")
            }
            guard isOfRules != true, (try? directory.lockIsHeld()) == true else { continue }
            let name = saved.configuration.name
            let keys = restartKeys(saved.configuration, former)
            output.note(
                keys.isEmpty
                    ? "\(name) runs: what was saved takes effect by a reload or its next start"
                    : "\(name) runs: what was saved takes effect by its next start, as no reload"
                        + " takes \(keys.joined(separator: ", ")): utunctl restart \(name)")
        }
    }

    /// What of a change nothing but a restart puts into force, as far as this can be told: what a
    /// provider takes its manifest says.
    private func restartKeys(_ saved: Configuration, _ former: Configuration?) -> [String] {
        guard let former,
            let manifest = try? ProviderRegistry(layout).manifest(of: former.provider)
        else { return [] }
        return ReloadPlan(from: former, to: saved, manifest).restart
    }
}
