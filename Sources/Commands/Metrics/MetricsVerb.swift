internal import JSON
internal import LinuxSystem
internal import TunnelModel

extension Verb {
    static let metrics = Verb(
        syntax: VerbSyntax(
            "metrics",
            summary: "print what is true of tunnels now as OpenMetrics",
            operands: Operands("[NAME…]", minimum: 0, maximum: nil),
            options: [
                Option(
                    "textfile", value: "PATH",
                    summary: "write it to PATH at once and whole, for the collector of that name")
            ],
            description: [
                "The readings are those of status. What cannot be read is not there, and never 0.",
                "Exits with 0 if the list could be read, however the tunnels are.",
            ],
            examples: [
                Example("utunctl metrics", "print the metrics of all tunnels"),
                Example(
                    "utunctl metrics --textfile /var/lib/prometheus/node-exporter/utunctl.prom",
                    "hand them to node_exporter; to be run by a timer"),
            ]),
        run: { context throws(Failure) in try MetricsCommand(context: context).run() })
}

private struct MetricsCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let selection = try StatusSelection(context, [])
        let (subjects, unknown) = try selection.subjects()
        if let unknown { throw unknown }
        let reports = selection.reader.read(subjects)
        let families = TunnelMetrics.families(
            reports, preferencesAreReadable: selection.failure == nil)
        if let path = context.invocation.value("textfile") {
            try write(MetricFamily.text(of: families), to: path)
            if context.output.isJSON {
                let answer = MetricsAnswer(
                    families: [], textfile: path, failure: selection.failure)
                try context.output.print(JSONWriter.line(answer))
            }
        } else if context.output.isJSON {
            let answer = MetricsAnswer(
                families: families, textfile: nil, failure: selection.failure)
            try context.output.print(JSONWriter.line(answer))
        } else {
            try context.output.answer(text: MetricFamily.text(of: families))
        }
        guard let failure = selection.failure else { return .done }
        context.output.report(failure, verb: "metrics", subject: nil, isAnswered: true)
        return failure.exitStatus
    }

    private func write(_ text: String, to path: String) throws(Failure) {
        guard !AtomicFile.split(path).name.isEmpty else {
            throw Failure(UsageError("--textfile \(path.shownInMessage): not the path of a file"))
        }
        // In the place of a device or a pipe there must not suddenly be a file.
        if let problem = TrustedFile.problem(ofTypeAt: path) {
            throw Failure(
                .refused, "fileExists", "\(path.shownInMessage) is not replaced: \(problem)",
                hint: "name a file; without --textfile it goes to standard output")
        }
        if !path.hasSuffix(".prom") {
            context.output.note("node_exporter reads files whose names end in .prom only")
        }
        do throws(SystemError) {
            // It is made anew each minute, and nothing is lost with it: no reason to make the
            // disk work.
            try AtomicFile.replace(path, with: Array(text.utf8), mode: 0o644, isDurable: false)
        } catch {
            throw Failure(error)
        }
    }
}

/// What `metrics` answers as JSON.
private struct MetricsAnswer: JSONEncodable {
    let families: [MetricFamily]
    /// Where they were written to instead.
    let textfile: String?
    let failure: Failure?

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("textfile", textfile)
            writer.member("metrics", families)
            failure?.writeMember(to: &writer)
        }
    }
}
