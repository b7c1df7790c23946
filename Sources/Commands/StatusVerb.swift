internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let status = Verb(
        syntax: VerbSyntax(
            "status",
            summary: "say what is true of tunnels now",
            operands: Operands("[NAME…]", minimum: 0, maximum: nil),
            options: [
                Option("watch", summary: "go on, and show each change as it happens"),
                Option("counters", summary: "print counters, and the interfaces underneath"),
                Option("peers", summary: "print each peer and each route, however many there are"),
                Option("explain", summary: "print each reading with its source and age"),
            ],
            description: [
                "Reads the preferences, the kernel and the living processes anew each time, and"
                    + " changes nothing. What cannot be read is unknown, never the last known value.",
                "Exits with 0 if all named tunnels are connected and nothing is degraded, 3 if one"
                    + " is not connected, 5 for anything between, 4 and 11 as for every verb;"
                    + " without names 0 if the list could be read.",
            ],
            examples: [
                Example("utunctl status", "list all tunnels"),
                Example("utunctl status --json office", "one tunnel, for a script"),
                Example("utunctl status --watch", "follow all of them"),
            ]),
        run: { context throws(Failure) in
            if context.invocation.has("watch") { return try watch(context) }
            return try StatusCommand(context: context).run()
        })

    private static func watch(_ context: Context) throws(Failure) -> ExitStatus {
        let style = TerminalStyle.current
        guard LiveStatus.isPossible(context, style) else { return try StatusWatch(context).run() }
        return try LiveStatus(context, style).run()
    }
}

/// What `status` prints as JSON.
struct StatusAnswer: JSONEncodable {
    let tunnels: [TunnelReport]
    /// Why it is not all that was asked for: the preferences cannot be read, or one of the
    /// names is nobody's.
    let failure: Failure?

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("tunnels", tunnels)
            if let failure { failure.writeMember(to: &writer) }
        }
    }
}

private struct StatusCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let names = context.invocation.operands
        let selection = try StatusSelection(context, .asked(by: context))
        let reader = selection.reader
        let (subjects, unknown) = try selection.subjects()
        if subjects.isEmpty, let unknown { throw unknown }
        var reports = reader.read(subjects)
        UnitOutlook.add(to: &reports, context.layout)
        // Of both, preferences that cannot be read are the worse.
        let failure = selection.failure ?? unknown
        let answer = StatusAnswer(tunnels: reports, failure: failure)
        if context.output.isJSON {
            try context.output.print(JSONWriter.line(answer))
        } else {
            if reports.isEmpty, selection.failure == nil {
                context.output.note("nothing is saved, and nothing runs")
            }
            try context.output.answer(text: text(reports, inFull: !names.isEmpty))
        }
        if let failure {
            context.output.report(failure, verb: "status", subject: nil, isAnswered: true)
            return failure.exitStatus
        }
        return names.isEmpty ? .done : Self.worst(of: reports)
    }

    /// The exit status of several tunnels: the worst, in the order 3, 5, 0.
    static func worst(of reports: [TunnelReport]) -> ExitStatus {
        let statuses = reports.map { report -> ExitStatus in
            switch report.status {
            case .disconnected, .invalid: .notConnected
            case .connected: report.isDegraded ? .between : .done
            case .connecting, .reasserting, .disconnecting, .waiting, .unknown: .between
            }
        }
        if statuses.contains(.notConnected) { return .notConnected }
        return statuses.contains(.between) ? .between : .done
    }

    private func text(_ reports: [TunnelReport], inFull: Bool) -> String {
        let counters = context.invocation.has("counters")
        // What is read by a program, or kept, is the same whoever runs it and wherever.
        let style = Terminal.isStandardOutput ? TerminalStyle.current : nil
        let width = TerminalSize.ofStandardOutput?.columns
        guard inFull || counters || context.invocation.has("explain") else {
            guard let style, !reports.isEmpty else { return StatusText.table(reports) }
            return StatusTable(style: style, width: width ?? 80).lines(reports, now: .now)
                .joined(separator: "\n")
        }
        return reports.map { StatusText.details($0, counters: counters, style, width: width) }
            .joined(separator: "\n")
    }
}

/// Which tunnels a `status` is about, and what stands in the preferences of them.
struct StatusSelection {
    let reader: TunnelReader
    /// Why the preferences cannot be read; the tunnels that run are shown all the same.
    let failure: Failure?
    private let context: Context

    /// Reads the preferences.
    init(_ context: Context, _ wishes: TunnelReader.Wishes) throws(Failure) {
        self.context = context
        let started = Clock.monotonicNanoseconds
        var failure: Failure?
        var document: PreferencesDocument?
        do throws(PreferencesError) {
            document = try context.store.read() ?? PreferencesDocument()
        } catch {
            failure = Failure(error)
        }
        self.failure = failure
        reader = TunnelReader(
            layout: context.layout, document: document, documentTime: started, wishes: wishes)
    }

    /// The tunnels that were named, or all; and the failure of a name that is nobody's.
    func subjects() throws(Failure) -> (found: [TunnelReader.Subject], unknown: Failure?) {
        let names = context.invocation.operands
        if names.isEmpty { return (try reader.everything(), nil) }
        var subjects: [TunnelReader.Subject] = []
        var unknown: Failure?
        for name in names {
            if let configuration = reader.document?.configuration(name) {
                subjects.append(
                    TunnelReader.Subject(
                        identifier: configuration.identifier, configuration: configuration))
            } else if let subject = try unsaved(name) {
                subjects.append(subject)
            } else {
                unknown = unknown ?? self.unknown(name)
            }
        }
        return (subjects, unknown)
    }

    // A tunnel that is not saved may run: removed, or with preferences nobody can read.
    private func unsaved(_ name: String) throws(Failure) -> TunnelReader.Subject? {
        try reader.everything().first { subject in
            guard subject.configuration == nil else { return false }
            let record = context.directory(of: subject.identifier).record()
            return subject.identifier == name || record?.name == name
        }
    }

    private func unknown(_ name: String) -> Failure {
        if let failure { return failure }
        let names = reader.document?.configurations.map(\.name) ?? []
        return Context.noSuchConfiguration(name, names: names)
    }
}

extension TunnelReader.Wishes {
    /// What the options of `status` ask for.
    static func asked(by context: Context) -> TunnelReader.Wishes {
        var wishes: TunnelReader.Wishes = []
        if context.invocation.has("counters") { wishes.insert(.underlying) }
        if context.invocation.has("explain") { wishes.insert(.readings) }
        if context.invocation.has("peers") { wishes.insert(.peers) }
        return wishes
    }
}
