internal import JSON

/// What a provider that runs is told of a changed configuration.
///
/// The credentials have come before, each with a line of its own.
package struct ProviderChange: Equatable, Sendable {
    package var configuration: Configuration
    /// The anchors that the configuration names.
    package var trust: [TrustAnchor] = []
    /// The file with the certificates of the system's store, where the configuration trusts it.
    package var systemTrust: String?
    /// The addresses of the names that the configuration holds.
    package var resolved: [String: [IPAddress]] = [:]

    /// A change to a configuration that refers to nothing.
    package init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    init(reading reader: inout JSONObjectReader) throws(JSONError) {
        guard let configuration = reader.node("configuration") else {
            throw reader.mismatch("configuration", "missing")
        }
        self.init(try Configuration(configuration))
        trust = try reader.anchors("trust")
        systemTrust = try reader.optionalString("systemTrust")
        resolved = try reader.resolved("resolved")
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("configuration", configuration)
        writer.member("trust", trust)
        writer.member("systemTrust", systemTrust)
        writer.member("resolved", resolved: resolved)
    }
}

extension JSONObjectReader {
    /// Anchors as a provider is told of them; keys of later versions are ignored.
    mutating func anchors(_ key: String) throws(JSONError) -> [TrustAnchor] {
        var anchors: [TrustAnchor] = []
        for node in try elements(key) ?? [] {
            anchors.append(try TrustAnchor(node, isStrict: false))
        }
        return anchors
    }

    /// The addresses of names.
    mutating func resolved(_ key: String) throws(JSONError) -> [String: [IPAddress]] {
        var resolved: [String: [IPAddress]] = [:]
        for (name, node) in try nodes(key) {
            resolved[name] = try node.stringElements().compactMap { IPAddress($0) }
        }
        return resolved
    }
}

extension JSONWriter {
    /// Writes the addresses of names.
    mutating func member(_ key: String, resolved: [String: [IPAddress]]) {
        objectMember(key) { writer in
            for (name, addresses) in resolved.sorted(by: { $0.key < $1.key }) {
                writer.member(name, addresses)
            }
        }
    }
}
