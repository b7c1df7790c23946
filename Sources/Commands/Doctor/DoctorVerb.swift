internal import JSON
internal import LinuxSystem

extension Verb {
    static let doctor = Verb(
        syntax: VerbSyntax(
            "doctor",
            summary: "look for what stands in the way of tunnels, or leaves beside one",
            operands: Operands("[leaks NAME [ADDRESS…]]", minimum: 0, maximum: nil),
            description: [
                "Looks at the kernel and what this process may do of it, the accounts, files, their"
                    + " modes and the room for them, providers, credentials, what start would"
                    + " refuse of each enabled configuration, what former sessions left, other"
                    + " firewalls and rules, resolvers, the clock and the units of systemd. It"
                    + " changes nothing and needs no network; what is as it should be is not told.",
                "A problem stands in the way of something; it makes the exit status 1. An advice"
                    + " does not. utunctl-doctor(8) has the codes.",
                "doctor leaks NAME asks the kernel where packets would go of which the tunnel"
                    + " promises something: to addresses of its networks, to those that are"
                    + " excluded, to everywhere else, and to each ADDRESS; from this host and, where"
                    + " that forwards, from others. It sends none.",
            ],
            examples: [
                Example("utunctl doctor", "look at everything"),
                Example("utunctl doctor --json", "the same for a program, each with a code"),
                Example("utunctl doctor leaks office", "look whether anything leaves beside it"),
            ]),
        run: { context throws(Failure) in
            guard context.invocation.operands.isEmpty else {
                return try LeaksCommand(context: context).run()
            }
            let findings = Examination(context).findings()
            if findings.isEmpty { context.output.note("nothing stands in the way") }
            try context.output.answer(
                ListAnswer(key: "findings", elements: findings),
                text: findings.map(\.text).joined(separator: "\n")
                    .folded(to: TerminalSize.ofStandardOutput?.columns))
            return findings.contains { $0.severity == .problem } ? .failure : .done
        })
}

/// One thing that `doctor` found.
struct DoctorFinding: Equatable {
    /// How much it matters.
    enum Severity: String {
        case problem, advice
    }

    let severity: Severity
    /// Part of the contract, never renamed.
    let code: String
    let finding: String
    let fix: String?

    init(_ severity: Severity, _ code: String, _ finding: String, fix: String? = nil) {
        self.severity = severity
        self.code = code
        self.finding = finding
        self.fix = fix
    }

    /// What some verb would fail by; of one configuration, where `name` says which.
    init(_ failure: Failure, of name: String? = nil) {
        let subject = name.map { "\($0): " } ?? ""
        self.init(
            .problem, failure.code, subject + failure.text,
            fix: failure.hint?.replacingName(with: name))
    }

    /// The finding for people, with what to do on a line of its own.
    var text: String {
        let margin = "         "
        let first = severity.rawValue + margin.dropFirst(severity.rawValue.count)
        return "\(first)\(code): \(finding)" + (fix.map { "\n\(margin)\($0)" } ?? "")
    }
}

extension DoctorFinding: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("code", code)
            writer.member("severity", severity.rawValue)
            writer.member("finding", finding)
            writer.member("fix", fix)
        }
    }
}
