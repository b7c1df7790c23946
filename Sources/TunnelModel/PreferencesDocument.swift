package import JSON

/// All saved configurations: the one document that says what should be.
package struct PreferencesDocument: Equatable, Sendable {
    /// The version of the format that this program reads and writes.
    package static let formatVersion: Int64 = 1

    package var generation: UInt64 = 0
    package var configurations: [Configuration] = []

    /// An empty document, as before the first save.
    package init() {}

    /// Reads a document.
    ///
    /// - Throws: `newerFormat` for a document of a later version, which is not corrupt.
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        try reader.formatVersion(atMost: Self.formatVersion)
        generation = try reader.integer("generation", in: 0...UInt64(Int64.max), default: 0)
        let elements = try reader.elements("configurations") ?? []
        configurations.reserveCapacity(elements.count)
        var names: Set<String> = []
        var identifiers: Set<String> = []
        for element in elements {
            let configuration = try Configuration(element)
            let path = element.path.text
            guard names.insert(configuration.name).inserted else {
                throw .value(
                    path: "\(path).name", problem: "the name \(configuration.name) is taken twice")
            }
            let identifier = configuration.identifier
            guard identifier.isEmpty || identifiers.insert(identifier).inserted else {
                throw .value(
                    path: "\(path).identifier", problem: "the identifier is taken twice")
            }
            configurations.append(configuration)
        }
        try reader.finish()
    }

    /// The configuration with this name or, failing that, this identifier.
    package func configuration(_ nameOrIdentifier: String) -> Configuration? {
        configurations.first { $0.name == nameOrIdentifier }
            ?? configurations.first { $0.identifier == nameOrIdentifier }
    }
}

extension PreferencesDocument: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", Self.formatVersion)
            writer.member("generation", generation)
            writer.member("configurations", configurations)
        }
    }
}
