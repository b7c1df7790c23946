extension Verb {
    static let save = Verb(syntax: VerbSyntax("save", summary: "x"), run: { _ in .done })
    static let load = Verb(syntax: VerbSyntax("load", summary: "x"), run: { _ in .done })
    static let remove = Verb(syntax: VerbSyntax("remove", summary: "x"), run: { _ in .done })
    static let providers = Verb(syntax: VerbSyntax("providers", summary: "x"), run: { _ in .done })
    static let repair = Verb(syntax: VerbSyntax("repair", summary: "x"), run: { _ in .done })
    static let doctor = Verb(syntax: VerbSyntax("doctor", summary: "x"), run: { _ in .done })
    static let help = Verb(syntax: VerbSyntax("help", summary: "x"), run: { _ in .done })
}
