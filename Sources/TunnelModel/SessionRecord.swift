package import JSON

/// What a session leaves behind for whoever comes after it: history, never status.
///
/// It is begun before the first effect and replaced atomically. A record without an `end`
/// whose lock nobody holds tells of a session host that crashed.
package struct SessionRecord: Equatable, Sendable {
    /// A socket outside the runtime directory, which nothing but this tells to be ours.
    package struct Socket: Equatable, Sendable {
        package let path: String
        /// Its file; 0 until it is made.
        package let device: UInt64
        package let inode: UInt64

        package init(path: String, device: UInt64 = 0, inode: UInt64 = 0) {
            self.path = path
            self.device = device
            self.inode = inode
        }
    }

    package var identifier: String
    package var name: String
    package var generation: UInt64
    package var attempt: String
    package var origin: SessionOrigin
    /// How long its provider has to end, in seconds; `nil` of an older host.
    package var stopTimeout: UInt32?
    package var started: Timestamp
    /// The session's network namespace as /proc names it: `net:[4026531840]`.
    package var networkNamespace: String
    /// The name of that namespace, where it is not the one that the session came from.
    package var namespaceName: String?
    /// The control socket of the provider, from before it is made until it is removed.
    package var controlSocket: Socket?
    /// What was changed that carries no mark, in the order in which it was.
    package var changes: [RecordedChange] = []
    /// Whether links forward IPv4 because of the session on a host that as a whole did not.
    package var hasMadeRouter = false
    /// Whether its provider runs only from the first packet on.
    package var waitsForTraffic = false
    package var end: Disconnect?

    package init(
        configuration: Configuration,
        attempt: String,
        origin: SessionOrigin,
        started: Timestamp,
        networkNamespace: String
    ) {
        identifier = configuration.identifier
        name = configuration.name
        generation = configuration.generation
        self.attempt = attempt
        self.origin = origin
        stopTimeout = configuration.stopTimeout
        self.started = started
        self.networkNamespace = networkNamespace
        namespaceName = configuration.interface.networkNamespace
    }

    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        try reader.formatVersion(atMost: 1)
        identifier = try reader.string("identifier")
        name = try reader.string("name")
        generation = try reader.integer("generation", in: 0...UInt64(Int64.max))
        attempt = try reader.string("attempt")
        origin = try reader.choice("origin", default: nil)
        stopTimeout = try reader.optionalInteger("stopTimeout", in: 0...UInt32.max)
        started = try reader.timestamp("started")
        networkNamespace = try reader.string("networkNamespace")
        namespaceName = try reader.optionalString("namespaceName")
        if let node = reader.node("controlSocket") { controlSocket = try Socket(node) }
        for node in try reader.elements("changes") ?? [] {
            if let change = try RecordedChange(node) { changes.append(change) }
        }
        hasMadeRouter = try reader.bool("hasMadeRouter", default: false)
        waitsForTraffic = try reader.bool("waitsForTraffic", default: false)
        if let node = reader.node("end") { end = try Disconnect(node) }
    }

    /// Whether its host was lost before it came to an end.
    package var isUnfinished: Bool { lastDisconnect.reason.code == .sessionHostCrashed }

    /// How the session ended, for a session that no longer runs; nobody knows the moment of a
    /// crash.
    package var lastDisconnect: Disconnect {
        end
            ?? Disconnect(
                attempt: attempt, time: nil,
                reason: .hostCrashed)
    }
}

extension SessionRecord: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("identifier", identifier)
            writer.member("name", name)
            writer.member("generation", generation)
            writer.member("attempt", attempt)
            writer.member("origin", origin.rawValue)
            writer.member("stopTimeout", stopTimeout)
            writer.member("started", started)
            writer.member("networkNamespace", networkNamespace)
            if let namespaceName { writer.member("namespaceName", namespaceName) }
            writer.member("controlSocket", controlSocket)
            writer.member("changes", changes)
            if hasMadeRouter { writer.member("hasMadeRouter", true) }
            if waitsForTraffic { writer.member("waitsForTraffic", true) }
            writer.member("end", end)
        }
    }
}

extension SessionRecord.Socket: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("path", path)
            // JSON of ours knows no larger numbers, and some file systems use the highest bit.
            writer.member("device", Int64(bitPattern: device))
            writer.member("inode", Int64(bitPattern: inode))
        }
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        path = try reader.string("path")
        device = UInt64(bitPattern: try reader.integer("device", in: .min...Int64.max))
        inode = UInt64(bitPattern: try reader.integer("inode", in: .min...Int64.max))
    }
}
