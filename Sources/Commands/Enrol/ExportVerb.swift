internal import Enrolment
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

extension Verb {
    static let export = Verb(
        syntax: VerbSyntax(
            "export",
            summary: "print a configuration with its keys as a file of wg-quick",
            operands: Operands("NAME", minimum: 1, maximum: 1),
            options: [
                Option("show-secrets", summary: "print it on a terminal, where others may look on"),
                Option(
                    "format", value: "FORMAT", choices: ["wg-quick"],
                    summary: "what to print: wg-quick"),
                Option("output", value: "FILE", summary: "write it there, for root alone to read"),
                Option("replace", summary: "write FILE in the place of what has its name"),
                Option(
                    "strict",
                    summary: "refuse a configuration that holds more than such a file can say"),
            ],
            description: [
                "The way back from `enroll`: of what it prints enrolment makes the same "
                    + "configuration, and wg-quick a tunnel. It holds the private key and the "
                    + "preshared keys.",
                "What such a file has no word for is told as a note. Where this host forwards or "
                    + "translates for the tunnel, hooks say so to wg-quick.",
            ],
            examples: [
                Example(
                    "utunctl export office --format wg-quick --output office.conf",
                    "write a file that only root can read"),
                Example(
                    "utunctl export office --format wg-quick --show-secrets",
                    "look at it"),
            ]),
        run: { context throws(Failure) in try ExportCommand(context).run() })
}

private struct ExportCommand {
    private let context: Context
    private let output: String?
    private let isReplacing: Bool

    init(_ context: Context) throws(Failure) {
        self.context = context
        isReplacing = context.invocation.has("replace")
        let path = context.invocation.value("output")
        output = path == "-" ? nil : path
        try Self.check(format: context.invocation.value("format"))
        if isReplacing, output == nil {
            throw Failure(UsageError("--replace goes with --output FILE"))
        }
    }

    func run() throws(Failure) -> ExitStatus {
        // Before any secret is read.
        if let output {
            try ExportedFile.check(output, isReplacing)
        } else if Terminal.isStandardOutput, !context.invocation.has("show-secrets") {
            throw Failure(
                .refused, "secretsOnTerminal", "its keys would be shown on this terminal",
                hint: "--output FILE writes them to a file, --show-secrets shows them")
        }
        do { try Privilege.protectProcess() } catch { throw Failure(error) }
        let material = try ExportedMaterial.read(context)
        try tell(material)
        let file = material.file.bytes
        if let output {
            try ExportedFile.write(file, to: output, isReplacing)
            if !ExportedFile.isTakenByQuick(output) {
                context.output.note(
                    "export \(material.configuration.name): wg-quick takes NAME.conf alone, NAME "
                        + "of at most 15 characters, as it is that of the interface")
            }
        }
        let answer = ExportAnswer(material: material, file: output)
        if context.output.isJSON || output != nil {
            try context.output.answer(answer, text: "wrote \((output ?? "").shownInMessage)")
        } else {
            try context.output.print(file)
        }
        return .done
    }

    /// Tells what the file does not hold, and with `--strict` refuses it for that.
    private func tell(_ material: ExportedMaterial) throws(Failure) {
        if context.invocation.has("strict"), let first = material.omissions.first {
            throw Failure(
                .refused, "keyNotExported", "\(first.path): \(first.text)",
                hint: "without --strict it is left out")
        }
        for omission in material.omissions {
            context.output.note(
                "export \(material.configuration.name): \(omission.path) is left out: "
                    + omission.text)
        }
    }

    private static func check(format: String?) throws(Failure) {
        let known = "wg-quick"
        guard let format else {
            throw Failure(UsageError("no format given", hint: "add --format \(known)"))
        }
        guard format == known else {
            throw Failure(
                UsageError("no format \(format.shownInMessage)", hint: "the format is \(known)"))
        }
    }
}
