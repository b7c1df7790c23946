package import JSON

/// What the session host says to a provider: one object a line on descriptor 3.
package enum HostMessage: Equatable, Sendable {
    case start(ProviderStart)
    case settingsApplied(id: Int64)
    case settingsRejected(id: Int64, errors: [SettingsRejection])
    /// The socket rides on the first byte of the line, unless it is refused.
    case socket(id: Int64, refusal: SocketRefusal?)
    case resolved(id: Int64, name: String, addresses: [IPAddress])
    case query(id: Int64)
    case message(id: Int64, data: String)
    /// The tunnel's own packets leave the host by another way than before, or by none.
    case pathChanged(UnderlyingPath)
    /// The interface has another MTU than was told before.
    case interfaceChanged(mtu: UInt32)
    case sleep
    case wake
    /// A credential of the change that follows; its file rides on the first byte of the line.
    case credential(name: String)
    case reconfigure(id: Int64, ProviderChange)
    case stop(reason: DisconnectCode)
    /// A kind that this version does not know, to be ignored.
    case unknown(type: String)

    /// Reads one line; keys that this version does not know are ignored.
    package init(line: some Collection<UInt8>) throws(JSONError) {
        self = try JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            try HostMessage(node)
        }
    }

    private init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        let type = try reader.string("type")
        switch type {
        case "start": self = .start(try ProviderStart(reading: &reader))
        case "settingsApplied": self = .settingsApplied(id: try reader.messageID())
        case "settingsRejected":
            var errors: [SettingsRejection] = []
            for element in try reader.elements("errors") ?? [] {
                var inner = try JSONObjectReader(element)
                errors.append(
                    SettingsRejection(key: try inner.string("key"), text: try inner.string("text")))
            }
            self = .settingsRejected(id: try reader.messageID(), errors: errors)
        case "socket":
            let text = try reader.optionalString("error")
            let code = (try reader.optionalString("code")).flatMap {
                SocketRefusal.Code(rawValue: $0)
            }
            self = .socket(
                id: try reader.messageID(),
                refusal: text.map { SocketRefusal(code ?? .refused, $0) })
        case "resolved":
            self = .resolved(
                id: try reader.messageID(), name: try reader.string("name"),
                addresses: try reader.strings("addresses").compactMap { IPAddress($0) })
        case "query": self = .query(id: try reader.messageID())
        case "message":
            self = .message(id: try reader.messageID(), data: try reader.string("data"))
        case "pathChanged": self = .pathChanged(try UnderlyingPath(reading: &reader))
        case "interfaceChanged":
            self = .interfaceChanged(
                mtu: try reader.integer("mtu", in: InterfaceSettings.mtuRange))
        case "sleep": self = .sleep
        case "wake": self = .wake
        case "credential": self = .credential(name: try reader.string("name"))
        case "reconfigure":
            self = .reconfigure(
                id: try reader.messageID(), try ProviderChange(reading: &reader))
        case "stop": self = .stop(reason: try reader.choice("reason", default: nil))
        default: self = .unknown(type: type)
        }
    }
}

extension HostMessage: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .start(let start):
                writer.message("start")
                start.writeMembers(to: &writer)
            case .settingsApplied(let id): writer.message("settingsApplied", id: id)
            case .settingsRejected(let id, let errors):
                writer.message("settingsRejected", id: id)
                writer.member("errors", errors)
            case .socket(let id, let refusal):
                writer.message("socket", id: id)
                if let refusal {
                    writer.member("error", refusal.text)
                    writer.member("code", refusal.code.rawValue)
                }
            case .resolved(let id, let name, let addresses):
                writer.message("resolved", id: id)
                writer.member("name", name)
                writer.member("addresses", addresses)
            case .query(let id): writer.message("query", id: id)
            case .message(let id, let data):
                writer.message("message", id: id)
                writer.member("data", data)
            case .pathChanged(let path):
                writer.message("pathChanged")
                path.writeMembers(to: &writer)
            case .interfaceChanged(let mtu):
                writer.message("interfaceChanged")
                writer.member("mtu", mtu)
            case .sleep: writer.message("sleep")
            case .wake: writer.message("wake")
            case .credential(let name):
                writer.message("credential")
                writer.member("name", name)
            case .reconfigure(let id, let change):
                writer.message("reconfigure", id: id)
                change.writeMembers(to: &writer)
            case .stop(let reason):
                writer.message("stop")
                writer.member("reason", reason.rawValue)
            case .unknown(let type): writer.message(type)
            }
        }
    }
}
