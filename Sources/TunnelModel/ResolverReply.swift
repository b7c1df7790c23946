package import JSON

/// What the resolver found out about one name: one object a line.
package enum ResolverReply: Equatable, Sendable {
    case resolved(name: String, addresses: [IPAddress])
    case failed(name: String, text: String)

    /// The longest line in bytes.
    package static let longestLine = 1 << 16
    /// The most addresses of one name.
    package static let mostAddresses = 64

    /// The name that was asked for.
    package var name: String {
        switch self {
        case .resolved(let name, _), .failed(let name, _): name
        }
    }

    /// Reads one line; the resolver parses what the network sends, so that its word is
    /// checked like any other.
    package init(line: some Collection<UInt8>) throws(JSONError) {
        self = try JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            try ResolverReply(node)
        }
    }

    private init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        let type = try reader.string("type")
        let name = try reader.string("name")
        switch type {
        case "resolved":
            let texts = try reader.strings("addresses")
            let addresses = texts.compactMap { IPAddress($0) }
            guard addresses.count == texts.count, (1...Self.mostAddresses).contains(texts.count)
            else { throw reader.mismatch("addresses", "not 1 to \(Self.mostAddresses) addresses") }
            self = .resolved(name: name, addresses: addresses)
        case "failed":
            self = .failed(name: name, text: try reader.string("text"))
        default:
            throw reader.mismatch("type", "\(type) is nothing that a resolver answers")
        }
    }
}

extension ResolverReply: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .resolved(let name, let addresses):
                writer.message("resolved")
                writer.member("name", name)
                writer.member("addresses", addresses)
            case .failed(let name, let text):
                writer.message("failed")
                writer.member("name", name)
                writer.member("text", text)
            }
        }
    }
}
