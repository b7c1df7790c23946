package import JSON

/// What may be asked of a session host on its control socket, one object a line.
///
/// `status` and `stop` are frozen: a newer `utunctl` must be able to ask an older host.
package enum ControlRequest: Equatable, Sendable {
    /// The host's report. `networkNamespace` is the asker's: a host in another one adds its
    /// own reading of the kernel.
    case status(networkNamespace: String)
    /// Ends the session; answered by `ended` when nothing of it is left.
    case stop(DisconnectReason)
    /// All transitions of the attempt so far, then each as it happens.
    case subscribe
    /// Lifts the block of a kill switch for so many seconds, or no longer; answered by `paused`.
    case pause(seconds: UInt32)
    /// The system is about to sleep; answered by `told`, or by the end where that is configured.
    case sleep
    /// The system has woken up; answered by `told`.
    case wake
    /// Puts into force what is saved, as far as that is possible without a restart; answered by
    /// `reloaded` or `restartNeeded`.
    case reload
    /// Has a session that waits for traffic connect now, on whose behalf; answered by `told`.
    case connect(SessionOrigin)

    package init(line: some Collection<UInt8>) throws(JSONError) {
        self = try JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            var reader = try JSONObjectReader(node)
            let type = try reader.string("type")
            switch type {
            case "status":
                return .status(
                    networkNamespace: try reader.string("networkNamespace", default: ""))
            case "stop":
                // A code of a later version is no reason to go on.
                let code =
                    try reader.optionalString("code").flatMap(DisconnectCode.init(rawValue:))
                    ?? .stoppedByUser
                return .stop(DisconnectReason(code, try reader.string("text", default: "")))
            case "subscribe": return .subscribe
            case "pause":
                return .pause(
                    seconds: try reader.integer("seconds", in: 0...Self.longestPause))
            case "sleep": return .sleep
            case "wake": return .wake
            case "reload": return .reload
            case "connect": return .connect(try reader.choice("origin", default: nil))
            default: throw reader.mismatch("type", "\(type) is nothing that a host answers")
            }
        }
    }
}

extension ControlRequest {
    /// The longest time for which a block may be lifted, in seconds: a day.
    package static let longestPause: UInt32 = 86_400
}

extension ControlRequest: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .status(let networkNamespace):
                writer.message("status")
                writer.member("networkNamespace", networkNamespace)
            case .stop(let reason):
                writer.message("stop")
                writer.member("code", reason.code.rawValue)
                writer.member("text", reason.text)
            case .subscribe: writer.message("subscribe")
            case .pause(let seconds):
                writer.message("pause")
                writer.member("seconds", seconds)
            case .sleep: writer.message("sleep")
            case .wake: writer.message("wake")
            case .reload: writer.message("reload")
            case .connect(let origin):
                writer.message("connect")
                writer.member("origin", origin.rawValue)
            }
        }
    }
}

/// What a session host says on its control socket, one object a line.
package enum ControlReply: Equatable, Sendable {
    case status(SessionReport)
    case transition(SessionTransition)
    /// The session has ended and nothing of it is left; the connection closes.
    case ended(Disconnect, forced: Bool)
    case refused(text: String)
    /// The block is lifted until then, or no longer.
    case paused(until: Timestamp?)
    /// The host has done what it was asked for, and its provider was told.
    case told
    /// What is saved is in force; `applied` are the keys in which it was not.
    case reloaded(generation: UInt64, applied: [String])
    /// Nothing has changed, as these keys need a restart.
    case restartNeeded(keys: [String])

    package init(line: some Collection<UInt8>) throws(JSONError) {
        self = try JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            var reader = try JSONObjectReader(node)
            let type = try reader.string("type")
            switch type {
            case "status": return .status(try SessionReport(reading: &reader))
            case "transition":
                return .transition(
                    SessionTransition(
                        number: try reader.integer("number", in: 0...UInt64.max, default: 0),
                        status: try reader.choice("status", default: nil),
                        time: try reader.timestamp("time"),
                        reason: try reader.optionalString("reason")))
            case "ended":
                guard let node = reader.node("disconnect") else {
                    throw reader.mismatch("disconnect", "missing")
                }
                return .ended(
                    try Disconnect(node), forced: try reader.bool("forced", default: false))
            case "refused": return .refused(text: try reader.string("text"))
            case "paused": return .paused(until: try reader.optionalTimestamp("until"))
            case "told": return .told
            case "reloaded":
                return .reloaded(
                    generation: try reader.integer("generation", in: 0...UInt64(Int64.max)),
                    applied: try reader.strings("applied"))
            case "restartNeeded": return .restartNeeded(keys: try reader.strings("keys"))
            default: throw reader.mismatch("type", "\(type) is nothing that a host says")
            }
        }
    }
}

/// One change of a session's status.
package struct SessionTransition: Equatable, Sendable {
    /// Counts the transitions of an attempt, from 1.
    package let number: UInt64
    package let status: TunnelStatus
    package let time: Timestamp
    package let reason: String?

    package init(number: UInt64, status: TunnelStatus, time: Timestamp, reason: String?) {
        self.number = number
        self.status = status
        self.time = time
        self.reason = reason
    }
}

extension ControlReply: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .status(let report): report.write(to: &writer)
        case .transition(let transition):
            writer.object { writer in
                writer.message("transition")
                writer.member("number", transition.number)
                writer.member("status", transition.status.rawValue)
                writer.member("time", transition.time)
                writer.member("reason", transition.reason)
            }
        case .ended(let disconnect, let forced):
            writer.object { writer in
                writer.message("ended")
                writer.member("disconnect", disconnect)
                writer.member("forced", forced)
            }
        case .refused(let text):
            writer.object { writer in
                writer.message("refused")
                writer.member("text", text)
            }
        case .paused(let until):
            writer.object { writer in
                writer.message("paused")
                writer.member("until", until)
            }
        case .told: writer.object { $0.message("told") }
        case .reloaded(let generation, let applied):
            writer.object { writer in
                writer.message("reloaded")
                writer.member("generation", generation)
                writer.member("applied", applied)
            }
        case .restartNeeded(let keys):
            writer.object { writer in
                writer.message("restartNeeded")
                writer.member("keys", keys)
            }
        }
    }
}
