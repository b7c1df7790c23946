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
                Option(
                    "signer-ca", value: "FILE",
                    summary: "take a signer for whom a CA in FILE vouches"),
                Option(
                    "accept-signer", value: "FINGERPRINT", repeats: true,
                    summary: "take the signer with this SHA-256 fingerprint"),
                Option("strict", summary: "refuse a file of which something would be dropped"),
                Option("dry-run", summary: "say what would become of each line, and write nothing"),
            ],
            description: [
                "What FILE is, is told by what it holds; FILE may be - for standard input. It is "
                    + "all of it or nothing: nothing is started, and nothing of the file is run. "
                    + "The answer names what is changed or dropped.",
                "A profile of utunctl (JSON) brings anchors, and configurations that name them; "
                    + "secrets are given apart. Of a file of wg-quick, which needs --name, "
                    + "private and preshared keys become credentials, the public keys of peers "
                    + "the anchors NAME/peer1, NAME/peer2 and so on of the profile NAME, and the "
                    + "rest the configuration NAME.",
                "Of a configuration profile of Apple (.mobileconfig) certificates become anchors, "
                    + "and each VPN payload a configuration; with several, each is called NAME-TITLE. "
                    + "WireGuard is found by itself, any other provider is named by --provider.",
                "A signed file (CMS) is taken where somebody vouches for the signer: --signer-ca, "
                    + "--accept-signer, or the profile that is replaced, which the same signer "
                    + "must have signed. One that is not signed is taken, and said to be.",
                "With --replace, configurations keep their identifiers and what the file cannot "
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
                Example(
                    "utunctl enroll office.json --signer-ca company-ca.pem",
                    "enrol a signed profile, whose name stands in it"),
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
        let result = try enrol(
            proposal.material,
            acceptingNewSigner: reading.acceptsNewSigner(of: proposal.material.profile))
        let missing = MissingCredentials(
            result.saved.map(\.configuration), proposal.material, context.layout)
        let answer = EnrollAnswer(
            save: saveAnswer(result, proposal.material.profile, missing),
            proposal: EnrolmentProposal(
                material: proposal.material, items: proposal.items + missing.items),
            changes: result.changes, removedCredentials: result.removedCredentials)
        for warning in answer.save.warnings { context.output.warn(warning.line("enroll")) }
        if !isDryRun {
            context.noteWhatRuns(result.saved, result.former)
            context.noteWhoFollows(result.saved)
            context.noteWhatStays(of: Array(result.former.values), as: "enroll")
        }
        try context.output.answer(answer, text: answer.text)
        return .done
    }

    private func tellLaxMode(_ problem: String, _ proposal: EnrolmentProposal) throws(Failure) {
        // Of a bundle of certificates there is nothing to be kept from anybody.
        guard !proposal.material.secrets.isEmpty else { return }
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

    private func enrol(_ material: EnrolledMaterial, acceptingNewSigner: Bool) throws(Failure)
        -> EnrolledResult
    {
        let replacing = context.invocation.has("replace")
        let store = EnrolmentStore(context.layout)
        do throws(EnrolmentError) {
            guard !isDryRun else {
                return try store.rehearse(
                    material, replacing: replacing, acceptsNewSigner: acceptingNewSigner)
            }
            return try store.enrol(
                material, replacing: replacing, acceptsNewSigner: acceptingNewSigner)
        } catch {
            throw Failure(error)
        }
    }

    private func saveAnswer(
        _ result: EnrolledResult,
        _ profile: EnrolledProfile,
        _ missing: MissingCredentials
    ) -> SaveAnswer {
        let notices = result.notices.map { name, notice in
            SaveWarning(name: name, code: notice.code, path: notice.path, text: notice.text)
        }
        let configurations = result.saved.map(\.configuration)
        let warnings = SaveWarning.warnings(for: configurations, context.layout).filter {
            // What a rehearsal did not write is not there.
            (!isDryRun || !($0.path.hasPrefix("trust[") || $0.path.hasPrefix("credentials.")))
                && !missing.tells(of: $0)
                // Told of the profile itself.
                && !(["profileExpired", "profileNotYetValid"].contains($0.code)
                    && $0.text.hasPrefix("the profile \(profile.identifier) "))
        }
        return SaveAnswer(
            result: SaveResult(
                saved: result.saved, former: result.former, formerNames: [], notices: notices),
            isDryRun: isDryRun,
            warnings: SaveWarning.validity(of: profile) + lostKillSwitches(result) + notices
                + warnings + (isDryRun ? unusableAnchors(of: profile, in: configurations) : []),
            tellsChanges: true)
    }

    /// The anchors that the providers would not take, which only a profile that is there tells of.
    private func unusableAnchors(of profile: EnrolledProfile, in configurations: [Configuration])
        -> [SaveWarning]
    {
        let registry = ProviderRegistry(context.layout)
        let anchors = Dictionary(
            profile.anchors.map { ($0.named(in: profile.identifier).name, $0) }
        ) { first, _ in first }
        return configurations.flatMap { configuration -> [SaveWarning] in
            guard let wanted = (try? registry.manifest(of: configuration.provider))?.trust else {
                return []
            }
            return configuration.trust.enumerated().compactMap { index, name in
                guard let anchor = anchors[name], !wanted.accepts(anchor.kind) else { return nil }
                let failure = Failure(
                    ProfileError.wrongKind(name: name, kind: anchor.kind, wanted: wanted))
                return SaveWarning(
                    name: configuration.name, code: failure.code, path: "trust[\(index)]",
                    text: failure.text)
            }
        }
    }

    /// That a tunnel was the only way out before, and is not any more.
    private func lostKillSwitches(_ result: EnrolledResult) -> [SaveWarning] {
        result.saved.map(\.configuration).filter { configuration in
            result.former[configuration.identifier]?.routing.mode == .all
                && configuration.routing.mode != .all
        }
        .map { configuration in
            SaveWarning(
                name: configuration.name, code: "killSwitchLost",
                path: "routing.includeAllNetworks",
                text: "the kill switch was on, and this file puts it off; utunctl save "
                    + "\(configuration.name) --set routing.includeAllNetworks=true")
        }
    }
}
