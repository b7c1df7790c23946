internal import JSON
internal import TunnelModel

/// One packet of which the kernel was asked where it would go.
struct LeakProbe: Equatable {
    /// Where a packet goes.
    enum Way: Equatable {
        case tunnel
        case outside(interface: String)
        /// To this host itself.
        case local
        /// Nowhere: a route refuses it, or none leads there.
        case nowhere

        var word: String {
            switch self {
            case .tunnel: "tunnel"
            case .outside: "outside"
            case .local: "local"
            case .nowhere: "nowhere"
            }
        }
    }

    /// Whose packet it is.
    enum Sender: Equatable {
        /// The caller's, on this host.
        case host
        /// Of a user of this host who has no rights.
        case otherUser
        /// Another host's, which came in by an interface.
        case forwarded(from: String)
        /// The tunnel's own, to its server.
        case tunnel

        var word: String {
            switch self {
            case .host: "host"
            case .otherUser: "otherUser"
            case .forwarded: "forwarded"
            case .tunnel: "tunnel"
            }
        }

        var text: String {
            switch self {
            case .host: ""
            case .otherUser: " (of another user)"
            case .forwarded(let interface): " (forwarded from \(interface))"
            case .tunnel: " (the tunnel's own)"
            }
        }
    }

    let destination: IPAddress
    let sender: Sender
    let promise: RoutePromise
    let way: Way
    /// What lets it out or holds it, in words, where that has to be said.
    let reason: String?
    /// Whether a kill switch drops what the routes would let out.
    let isDropped: Bool

    /// Whether the packet leaves beside the tunnel against the promise.
    var leaks: Bool {
        guard case .outside = way else { return false }
        return promise != .outside && !isDropped
    }

    /// Whether a packet of the tunnel itself goes into the tunnel.
    var loops: Bool { sender == .tunnel && way == .tunnel }

    /// Whether the packet does not come through although that is promised.
    var isLost: Bool { promise == .tunnel && way == .nowhere }

    /// The probe for people.
    var text: String {
        let goes =
            switch way {
            case .tunnel: "by the tunnel"
            case .outside(let interface): "outside, by \(interface)"
            case .local: "to this host"
            case .nowhere: "nowhere"
            }
        let mark = leaks ? "LEAK" : loops ? "LOOP" : isLost ? "lost" : "ok"
        let because = reason.map { ": \($0)" } ?? ""
        let word = mark + String(repeating: " ", count: max(0, 6 - mark.count))
        return "\(word)\(destination)\(sender.text) \(goes)\(because)"
    }
}

extension LeakProbe: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("destination", destination)
            writer.member("sender", sender.word)
            if case .forwarded(let interface) = sender {
                writer.member("incoming", interface)
            } else {
                writer.nullMember("incoming")
            }
            writer.member("promise", promise.rawValue)
            writer.member("goes", way.word)
            if case .outside(let interface) = way {
                writer.member("interface", interface)
            } else {
                writer.nullMember("interface")
            }
            writer.member("dropped", isDropped)
            writer.member("leaks", leaks)
            writer.member("loops", loops)
            writer.member("reason", reason)
        }
    }
}
