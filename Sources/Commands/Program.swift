internal import Glibc
internal import JSON
internal import LinuxSystem
internal import TunnelModel

/// The program as a function from arguments to an exit status.
package enum Program {
    /// The version, as `--version` prints it.
    package static let version = ProgramVersion.current

    static let summary = "control VPN tunnels, and say the truth about them"
    static let manPages = [
        "utunctl(8)", "utunctl-enroll(8)", "utunctl-doctor(8)", "utunctl-preferences(5)",
        "utunctl-provider(7)",
        "utunctl-routing(7)", "utunctl-firewall(7)", "utunctl-dns(7)", "utunctl-wireguard(7)",
        "utunctl-status(5)", "utunctl-profile(5)", "utunctl-mobileconfig(7)", "utunctl-systemd(7)",
        "utunctl-waiting(7)", "utunctl-ondemand(7)", "utunctl-traffic(7)", "utunctl-errors(7)",
        "utunctl-metrics(7)", "utunctl-reload(7)",
    ]

    /// The help text of the program itself.
    static var helpText: String {
        Commands.helpText(
            summary: summary, verbs: Verb.all.map(\.syntax),
            topics: HelpTopic.allCases.map(\.rawValue), manPages: manPages)
    }

    /// Runs the verb that the arguments ask for.
    ///
    /// - Parameter commandLine: With the name of the program.
    /// - Returns: The exit status.
    package static func run(_ commandLine: [String]) -> Int32 {
        SignalDescriptor.ignoreBrokenPipes()
        occupyStandardDescriptors()
        // Swift takes the arguments from /proc, as this program does much else.
        guard !commandLine.isEmpty else {
            let output = Output(isJSON: false, isQuiet: false)
            let failure = Failure(
                .notPossible, "procMissing", "/proc is not mounted, and nothing works without it")
            output.report(failure, verb: nil, subject: nil)
            return failure.exitStatus.rawValue
        }
        let arguments = Array(commandLine.dropFirst())
        // What is made is for its owner, unless its maker says otherwise.
        let callersMask = umask(0o077)
        let verbs = Verb.all
        let invocation: Invocation
        do throws(UsageError) {
            invocation = try Invocation(parsing: arguments, verbs: verbs.map(\.syntax))
        } catch {
            let options = arguments.prefix { $0 != "--" }
            let output = Output(
                isJSON: options.contains { $0 == "--json" || $0 == "-j" }, isQuiet: false)
            let verb = Invocation.verb(of: arguments, among: verbs.map(\.syntax))
            output.report(Failure(error), verb: verb, subject: nil)
            return ExitStatus.usage.rawValue
        }
        let output = Output(isJSON: invocation.has("json"), isQuiet: invocation.has("quiet"))
        do throws(Failure) {
            return try run(invocation, verbs, output, callersMask).rawValue
        } catch let failure {
            let verb = verbs.first { $0.syntax.name == invocation.verb }
            let onlyLooks = verb?.onlyLooks(invocation.operands) ?? true
            let error = onlyLooks ? failure : failure.ofChange
            let place = verb?.place(of: invocation.operands)
            output.report(error, verb: place?.verb, subject: place?.subject)
            return error.exitStatus.rawValue
        }
    }

    private static func run(
        _ invocation: Invocation,
        _ verbs: [Verb],
        _ output: Output,
        _ callersMask: UInt32
    ) throws(Failure) -> ExitStatus {
        if invocation.has("version") {
            try output.answer(VersionAnswer(), text: "\(programName) \(version)")
            return .done
        }
        guard let name = invocation.verb,
            let verb = verbs.first(where: { $0.syntax.name == name })
        else {
            guard invocation.has("help") else {
                throw Failure(.usage, "usage", "no verb given", hint: "see `utunctl help`")
            }
            try output.answer(
                HelpAnswer(topic: nil, text: helpText),
                text: helpText.folded(to: TerminalSize.ofStandardOutput?.columns))
            return .done
        }
        if invocation.has("help") {
            let text = Commands.helpText(for: verb.syntax)
            try output.answer(
                HelpAnswer(topic: name, text: text),
                text: text.folded(to: TerminalSize.ofStandardOutput?.columns))
            return .done
        }
        return try verb.run(try Context(invocation, output, callersMask: callersMask))
    }
}

/// What `--version` prints as JSON.
private struct VersionAnswer: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("version", Program.version)
        }
    }
}
