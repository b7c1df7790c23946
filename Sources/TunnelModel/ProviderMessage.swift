package import JSON

/// What a provider says to the session host: one object a line on descriptor 3.
package enum ProviderMessage: Equatable, Sendable {
    case settings(id: Int64, NetworkSettings)
    case connected
    case reasserting(reason: String)
    case failed(DisconnectReason)
    case stopped
    case openSocket(id: Int64, SocketRequest)
    case resolve(id: Int64, name: String)
    /// Addresses that it sends to from now on, beside those that names were resolved to.
    case remoteAddresses([IPAddress])
    case report(id: Int64, ProviderReport)
    case reply(id: Int64, data: String)
    /// The change is in force, and nothing else has changed.
    case reconfigured(id: Int64)
    /// Nothing of the change is in force; `keys` are those that need a restart, if that is why.
    case reconfigureRefused(id: Int64, keys: [String], text: String)
    case log(level: String, text: String)
    /// A kind that this version does not know, to be ignored.
    case unknown(type: String)

    /// A socket to the outside that the provider needs.
    package struct SocketRequest: Equatable, Sendable {
        /// The address family of a socket.
        package enum Family: String, CaseIterable, Sendable {
            case inet, inet6
        }

        /// The transport of a socket.
        package enum Transport: String, CaseIterable, Sendable {
            case datagram, stream
        }

        package let family: Family
        package let transport: Transport
        /// The local port; 0 leaves it to the kernel.
        package let port: UInt16

        package init(family: Family, transport: Transport, port: UInt16) {
            self.family = family
            self.transport = transport
            self.port = port
        }
    }

    /// The longest line in bytes, in either direction.
    package static let longestLine = 1 << 20
    /// The deepest nesting of a message.
    package static let deepestNesting = 16

    /// Reads one line; keys that this version does not know are ignored.
    package init(line: some Collection<UInt8>) throws(JSONError) {
        self = try JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            guard node.depth <= Self.deepestNesting else {
                throw .value(path: "", problem: "nested deeper than \(Self.deepestNesting)")
            }
            return try ProviderMessage(node)
        }
    }

    private init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        let type = try reader.string("type")
        switch type {
        case "settings":
            self = .settings(
                id: try reader.messageID(), try NetworkSettings(reading: &reader))
        case "connected": self = .connected
        case "reasserting":
            self = .reasserting(reason: try reader.string("reason", default: ""))
        case "failed":
            guard let code = try reader.optionalProviderCode("code") else {
                throw reader.mismatch("code", "missing")
            }
            self = .failed(DisconnectReason(code, try reader.string("text", default: "")))
        case "stopped": self = .stopped
        case "openSocket":
            let request = SocketRequest(
                family: try reader.choice("family", default: nil),
                transport: try reader.choice("transport", default: nil),
                port: try reader.integer("port", in: 0...UInt16.max, default: 0))
            self = .openSocket(id: try reader.messageID(), request)
        case "resolve":
            self = .resolve(id: try reader.messageID(), name: try reader.string("name"))
        case "remoteAddresses":
            var addresses: [IPAddress] = []
            for text in try reader.strings("addresses") {
                guard let address = IPAddress(text) else {
                    throw reader.mismatch("addresses", "not IP addresses")
                }
                addresses.append(address)
            }
            self = .remoteAddresses(addresses)
        case "report":
            self = .report(id: try reader.messageID(), try ProviderReport(reading: &reader))
        case "reply":
            self = .reply(id: try reader.messageID(), data: try reader.string("data"))
        case "reconfigured": self = .reconfigured(id: try reader.messageID())
        case "reconfigureRefused":
            self = .reconfigureRefused(
                id: try reader.messageID(), keys: try reader.strings("keys"),
                text: try reader.string("text", default: ""))
        case "log":
            self = .log(
                level: try reader.string("level", default: "info"),
                text: try reader.string("text"))
        default: self = .unknown(type: type)
        }
    }
}

extension ProviderMessage: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .settings(let id, let settings):
                writer.message("settings", id: id)
                settings.writeMembers(to: &writer)
            case .connected: writer.message("connected")
            case .reasserting(let reason):
                writer.message("reasserting")
                writer.member("reason", reason)
            case .failed(let reason):
                writer.message("failed")
                writer.member("code", reason.code.rawValue)
                writer.member("text", reason.text)
            case .stopped: writer.message("stopped")
            case .openSocket(let id, let request):
                writer.message("openSocket", id: id)
                writer.member("family", request.family.rawValue)
                writer.member("transport", request.transport.rawValue)
                writer.member("port", request.port)
            case .resolve(let id, let name):
                writer.message("resolve", id: id)
                writer.member("name", name)
            case .remoteAddresses(let addresses):
                writer.message("remoteAddresses")
                writer.member("addresses", addresses)
            case .report(let id, let report):
                writer.message("report", id: id)
                report.writeMembers(to: &writer)
            case .reply(let id, let data):
                writer.message("reply", id: id)
                writer.member("data", data)
            case .reconfigured(let id): writer.message("reconfigured", id: id)
            case .reconfigureRefused(let id, let keys, let text):
                writer.message("reconfigureRefused", id: id)
                writer.member("keys", keys)
                writer.member("text", text)
            case .log(let level, let text):
                writer.message("log")
                writer.member("level", level)
                writer.member("text", text)
            case .unknown(let type): writer.message(type)
            }
        }
    }
}

extension JSONObjectReader {
    /// The number by which an answer finds its question.
    package mutating func messageID() throws(JSONError) -> Int64 {
        try integer("id", in: 0...Int64.max)
    }
}

extension JSONWriter {
    /// Writes the members that every message begins with.
    package mutating func message(_ type: String, id: Int64? = nil) {
        member("type", type)
        if let id { member("id", id) }
    }
}
