internal import JSON
internal import LinuxSystem

extension Verb {
    static let bundle = Verb(
        syntax: VerbSyntax(
            "bundle",
            summary: "write what a report of a fault needs into one file, without names",
            operands: Operands("FILE | -", minimum: 1, maximum: 1),
            options: [
                Option("replace", summary: "write FILE in the place of what has its name")
            ],
            description: [
                "Writes one text file, for its owner alone to read: versions, what is saved, the"
                    + " status of all tunnels, what doctor finds, the logs of sessions, and the"
                    + " links, addresses, routes, rules, firewalls and resolvers of this host.",
                "Addresses, names, keys and every word that is not known to be nobody's are"
                    + " replaced by stand-ins such as ip4-1 or name-2: the same value has the same"
                    + " one in the whole file. Credentials are not opened. Read the file all the"
                    + " same before you give it away.",
            ],
            examples: [Example("utunctl bundle report.txt", "write report.txt")]),
        run: { context throws(Failure) in
            let path = context.operand
            if path == "-" { return try printed(context) }
            let isReplacing = context.invocation.has("replace")
            try ExportedFile.check(path, isReplacing)
            let sections = BundleSections(context).all()
            try ExportedFile.write(BundleText.bytes(sections), to: path, isReplacing)
            let answer = BundleAnswer(path: path, sections: sections.map(\.name))
            try context.output.answer(
                answer, text: "wrote \(path): \(answer.sections.joined(separator: ", "))")
            context.output.note(
                "names, addresses and keys are replaced, and no credential was opened; read it"
                    + " before you give it away")
            return .done
        })

    private static func printed(_ context: Context) throws(Failure) -> ExitStatus {
        guard !context.output.isJSON else {
            throw Failure(UsageError("bundle - prints text, and --json a value of its own"))
        }
        try context.output.print(BundleText.bytes(BundleSections(context).all()))
        return .done
    }
}

/// What `bundle` prints as JSON.
struct BundleAnswer: JSONEncodable {
    let path: String
    let sections: [String]

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("path", path)
            writer.member("sections", sections)
        }
    }
}

/// One part of a bundle.
struct BundleSection: Equatable {
    let name: String
    let text: String
}

/// The file as a whole.
enum BundleText {
    static func bytes(_ sections: [BundleSection]) -> [UInt8] {
        let head = """
            What utunctl saw of a host, for a report of a fault. Read it before you give it away.
            Stand-ins such as ip4-1, name-2 or word-3 are in the place of addresses, names, keys
            and whatever else might say whose it is; the same value has the same stand-in.

            """
        let parts = sections.map { section in
            let text = section.text.isEmpty ? "(nothing)" : section.text
            return "\n===== \(section.name) =====\n\(text)\(text.hasSuffix("\n") ? "" : "\n")"
        }
        return Array((head + parts.joined()).utf8)
    }
}
