package import JSON

/// What an enrolment brought: trust anchors under the name of a profile.
package struct EnrolledProfile: Equatable, Sendable {
    /// The version of the format that this program reads and writes.
    package static let formatVersion: Int64 = 1

    /// The name of the profile and of its file.
    package var identifier: String
    package var title: String
    /// When its anchors stop to count; `nil` for never.
    package var notAfter: Timestamp?
    package var anchors: [TrustAnchor]
    /// The files of the secrets that came with it, which go when it does.
    package var credentials: [String]

    package init(
        identifier: String,
        title: String = "",
        notAfter: Timestamp? = nil,
        anchors: [TrustAnchor] = [],
        credentials: [String] = []
    ) {
        self.identifier = identifier
        self.title = title
        self.notAfter = notAfter
        self.anchors = anchors
        self.credentials = credentials
    }

    /// Reads a profile.
    ///
    /// - Throws: `newerFormat` for a profile of a later version.
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        try reader.formatVersion(atMost: Self.formatVersion)
        identifier = try reader.string("identifier")
        if let problem = Naming.problem(ofProfile: identifier) {
            throw reader.mismatch("identifier", problem)
        }
        title = try reader.string("title", default: "")
        notAfter = try reader.optionalTimestamp("notAfter")
        anchors = []
        var names: Set<String> = []
        for element in try reader.elements("anchors") ?? [] {
            let anchor = try TrustAnchor(element, isStrict: true)
            let path = "\(element.path.text).name"
            if let problem = Naming.problem(ofAnchor: anchor.name) {
                throw .value(path: path, problem: problem)
            }
            guard names.insert(anchor.name).inserted else {
                throw .value(path: path, problem: "the name \(anchor.name) is taken twice")
            }
            anchors.append(anchor)
        }
        credentials = try reader.strings("credentials")
        for (index, name) in credentials.enumerated() {
            guard let problem = Naming.problem(ofCredential: name) else { continue }
            throw reader.mismatch("credentials[\(index)]", problem)
        }
        try reader.finish()
    }
}

extension EnrolledProfile: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", Self.formatVersion)
            writer.member("identifier", identifier)
            writer.member("title", title)
            writer.member("notAfter", notAfter)
            writer.member("anchors", anchors)
            writer.member("credentials", credentials)
        }
    }
}
