internal import JSON

/// What verbs print as JSON that answer with a list: `{"formatVersion": 1, "<noun>s": [...]}`.
struct ListAnswer<Element: JSONEncodable>: JSONEncodable {
    /// The key of the list.
    let key: String
    let elements: [Element]
    /// What kept the list from being complete, where something did.
    var failure: Failure?

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member(key, elements)
            failure?.writeMember(to: &writer)
        }
    }
}
