internal import TunnelModel

/// What can be done about On Demand.
enum OnDemandAction: String, CaseIterable {
    case explain, pause, resume, run

    /// Whether it changes nothing, so that members of the group utunctl may do it.
    var onlyLooks: Bool {
        switch self {
        case .explain: true
        case .pause, .resume, .run: false
        }
    }

    /// What its operands are, for shells.
    var operands: CompletionWords {
        switch self {
        case .explain, .pause, .resume: .configurations
        case .run: .nothing
        }
    }

    /// The options that go with it.
    private var options: Set<String> {
        switch self {
        case .explain: ["snapshot", "ssid-file"]
        case .pause, .resume: []
        case .run: Set(["ssid-file"] + OnDemandRunning.options.map(\.name))
        }
    }

    /// How many names it takes at most.
    private var mostNames: Int {
        switch self {
        case .explain: 1
        case .pause, .resume: .max
        case .run: 0
        }
    }

    fileprivate func run(_ context: Context, _ names: [String]) throws(Failure) -> ExitStatus {
        switch self {
        case .explain: try ExplainCommand(context: context, names: names).run()
        case .pause: try OnDemandPausing(context, names).begin()
        case .resume: try OnDemandPausing(context, names).end()
        case .run: try OnDemandRunning(context).run()
        }
    }

    /// Refuses options that go with another action.
    fileprivate func check(_ invocation: Invocation) throws(Failure) {
        for option in Set(Self.allCases.flatMap(\.options)).sorted()
        where invocation.has(option) && !options.contains(option) {
            let owners = Self.allCases.filter { $0.options.contains(option) }.map(\.rawValue)
            throw Failure(
                UsageError("--\(option) goes with \(owners.joined(separator: " and "))"))
        }
        guard invocation.operands.count - 1 > mostNames else { return }
        let most = mostNames == 0 ? "no NAME" : "one NAME"
        throw Failure(UsageError("ondemand \(rawValue) takes \(most)"))
    }
}

extension Verb {
    static let onDemand = Verb(
        syntax: VerbSyntax(
            "ondemand",
            summary: "tunnels that come and go with the network, by their rules",
            operands: Operands(
                "explain [NAME] | pause [NAME…] | resume [NAME…] | run", minimum: 1, maximum: nil),
            options: [
                Option(
                    "snapshot", value: "FILE",
                    summary: "explain: hold the rules against the network in FILE, or on standard"
                        + " input where FILE is -"),
                Option(
                    "ssid-file", value: "FILE",
                    summary: "take the names of wireless networks from FILE: lines of INTERFACE"
                        + " SSID"),
            ] + OnDemandRunning.options,
            description: [
                "`explain` shows the network below all tunnels and, rule by rule and condition by"
                    + " condition, what matches there and what comes of it: for the configuration"
                    + " NAME, or all that have rules. It makes the probes that decide, and changes"
                    + " nothing.",
                "What it prints with --json is what --snapshot takes, here or on another host: then"
                    + " no network is looked at and no probe made.",
                "`pause` leaves the tunnels NAME as they are, whatever their rules say, until"
                    + " `resume` or a start; without NAME it is about all of them, until `resume`"
                    + " without NAME. `resume` also has what failed tried again. A reboot ends"
                    + " every pause.",
                "`run` is utunctl-ondemand.service, one for all tunnels: it starts and stops them"
                    + " as their rules say, and no tunnel notices when it goes.",
            ],
            examples: [
                Example("utunctl ondemand explain", "see which rules match here, and why"),
                Example(
                    "utunctl ondemand explain office --json >café.json",
                    "keep what was seen of the network"),
                Example(
                    "utunctl ondemand explain office --snapshot café.json",
                    "hold the rules of office against that network"),
                Example("utunctl ondemand pause office", "leave office as it is for now"),
            ]),
        run: { context throws(Failure) in
            let word = context.operand
            guard let action = OnDemandAction(rawValue: word) else {
                let words = OnDemandAction.allCases.map(\.rawValue)
                throw Failure(
                    UsageError(
                        "there is no action \(word.shownInMessage):"
                            + " \(words.joined(separator: ", "))",
                        hint: nearestWord(to: word, in: words).map { "did you mean \($0)?" }))
            }
            try action.check(context.invocation)
            return try action.run(context, Array(context.invocation.operands.dropFirst()))
        })
}
