internal import JSON
internal import Preferences
internal import TunnelModel

extension Verb {
    static let load = Verb(
        syntax: VerbSyntax(
            "load",
            summary: "print what is saved",
            operands: Operands("[NAME…]", minimum: 0, maximum: nil),
            description: [
                "Prints the configurations NAME…, or all, as the JSON document that `save --from` "
                    + "takes. With --json it stands on one line.",
                "Configurations hold no secrets, only references to them. One that was written by "
                    + "hand and holds one is a warning; start refuses it.",
            ],
            examples: [
                Example("utunctl load", "print all configurations"),
                Example("utunctl load office >office.json", "write one of them to a file"),
            ]),
        run: { context throws(Failure) in
            let document = try selection(of: context.invocation.operands, context)
            var rule = MaterialRule()
            for configuration in document.configurations {
                for material in rule.material(in: configuration) {
                    context.output.warn("load \(configuration.name): \(material.text)")
                }
            }
            try context.output.print(
                JSONWriter.line(document, layout: context.output.isJSON ? .compact : .indented))
            return .done
        })

    private static func selection(of names: [String], _ context: Context) throws(Failure)
        -> PreferencesDocument
    {
        let saved: PreferencesDocument?
        do { saved = try context.store.read() } catch { throw Failure(error) }
        if saved == nil { context.output.note("load: nothing was ever saved") }
        var document = saved ?? PreferencesDocument()
        guard !names.isEmpty else { return document }
        var identifiers: Set<String> = []
        for name in names {
            guard let configuration = document.configuration(name) else {
                throw Context.noSuchConfiguration(name, names: document.configurations.map(\.name))
            }
            identifiers.insert(configuration.identifier)
        }
        document.configurations.removeAll { !identifiers.contains($0.identifier) }
        return document
    }
}
