package import JSON

/// What an enrolment brought: trust anchors under the name of a profile.
package struct EnrolledProfile: Equatable, Sendable {
    /// The version of the format that this program reads and writes.
    package static let formatVersion: Int64 = 1

    /// The name of the profile and of its file.
    package var identifier: String
    package var title: String
    /// Who issued it, for people.
    package var organisation: String
    /// When its anchors begin to count; `nil` for ever since.
    package var notBefore: Timestamp?
    /// When its anchors stop to count; `nil` for never.
    package var notAfter: Timestamp?
    package var anchors: [TrustAnchor]
    /// The files of the secrets that came with it, which go when it does.
    package var credentials: [String]
    /// Who signed the file that it came in; `nil` where that was not signed.
    package var signer: ProfileSigner?

    package init(
        identifier: String,
        title: String = "",
        organisation: String = "",
        notBefore: Timestamp? = nil,
        notAfter: Timestamp? = nil,
        anchors: [TrustAnchor] = [],
        credentials: [String] = [],
        signer: ProfileSigner? = nil
    ) {
        self.identifier = identifier
        self.title = title
        self.organisation = organisation
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.anchors = anchors
        self.credentials = credentials
        self.signer = signer
    }

    /// Reads a profile.
    ///
    /// - Throws: `newerFormat` for a profile of a later version.
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        try self.init(&reader)
        try reader.finish()
    }

    /// Reads the members of a profile; others may stand beside them.
    package init(_ reader: inout JSONObjectReader) throws(JSONError) {
        try reader.formatVersion(atMost: Self.formatVersion)
        identifier = try reader.string("identifier")
        if let problem = Naming.problem(ofProfile: identifier) {
            throw reader.mismatch("identifier", problem)
        }
        title = try reader.string("title", default: "")
        organisation = try reader.string("organisation", default: "")
        notBefore = try reader.optionalTimestamp("notBefore")
        notAfter = try reader.optionalTimestamp("notAfter")
        if let notBefore, let notAfter, notAfter < notBefore {
            throw reader.mismatch("notAfter", "before notBefore")
        }
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
        signer = try reader.node("signer").map { (node) throws(JSONError) in
            try ProfileSigner(node)
        }
    }
}

extension EnrolledProfile: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", Self.formatVersion)
            writer.member("identifier", identifier)
            writer.member("title", title)
            writer.member("organisation", organisation)
            writer.member("notBefore", notBefore)
            writer.member("notAfter", notAfter)
            writer.member("anchors", anchors)
            writer.member("credentials", credentials)
            writer.member("signer", signer)
        }
    }
}
