package import JSON

/// What a provider says of itself when it is asked.
package struct ProviderReport: Equatable, Sendable {
    /// When the peer last proved that it lives; `nil` for never.
    package var lastVerified: Timestamp?
    /// Everything else that the provider reports, for people and for `status --json`.
    package var details = JSONObject()

    /// A report without anything.
    package init() {}

    init(reading reader: inout JSONObjectReader) throws(JSONError) {
        lastVerified = try reader.optionalTimestamp("lastVerified")
        details = reader.members(except: ["type", "id", "lastVerified"])
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("lastVerified", lastVerified)
        for member in details.members { writer.member(member.key, member.value) }
    }
}
