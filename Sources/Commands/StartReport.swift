internal import JSON
internal import TunnelModel

/// What `start` answers, and what a session host says to the `start` that launched it.
struct StartReport: Equatable {
    var name: String
    var identifier: String
    var attempt: String
    var generation: UInt64
    var interface: String
    var status: TunnelStatus
    var alreadyRunning: Bool
    /// Whether it waited for traffic, until this start; told in words alone.
    var wasWaiting = false

    /// The answer for a session that runs.
    init(_ session: SessionReport, alreadyRunning: Bool) {
        name = session.name
        identifier = session.identifier
        attempt = session.attempt
        generation = session.generation
        interface = session.interface.name
        status = session.status
        self.alreadyRunning = alreadyRunning
    }

    /// The answer for a session that was just accepted.
    init(_ configuration: Configuration, attempt: String, interface: String) {
        name = configuration.name
        identifier = configuration.identifier
        generation = configuration.generation
        self.attempt = attempt
        self.interface = interface
        status = .connecting
        alreadyRunning = false
    }

    init(line: some Collection<UInt8>) throws(JSONError) {
        self = try JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            try StartReport(node)
        }
    }

    private init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        name = try reader.string("name")
        identifier = try reader.string("identifier")
        attempt = try reader.string("attempt")
        generation = try reader.integer("generation", in: 0...UInt64(Int64.max))
        interface = try reader.string("interface")
        status = try reader.choice("status", default: nil)
        alreadyRunning = try reader.bool("alreadyRunning")
    }

    /// The answer in words.
    var text: String {
        switch status {
        case .connected: "\(name): connected (\(interface))"
        case .connecting where !alreadyRunning:
            "\(name): accepted, NOT connected yet (\(interface))"
        default: "\(name): \(status.rawValue) (\(interface))"
        }
    }
}

extension StartReport: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("name", name)
            writer.member("identifier", identifier)
            writer.member("attempt", attempt)
            writer.member("generation", generation)
            writer.member("interface", interface)
            writer.member("status", status.rawValue)
            writer.member("alreadyRunning", alreadyRunning)
        }
    }
}
