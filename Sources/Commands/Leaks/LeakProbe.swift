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

    let destination: IPAddress
    /// The interface by which the packet of another host comes in; `nil` for one of this host.
    let incoming: String?
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

    /// Whether the packet does not come through although that is promised.
    var isLost: Bool { promise == .tunnel && way == .nowhere }

    /// The probe for people.
    var text: String {
        let from = incoming.map { " (forwarded from \($0))" } ?? ""
        let goes =
            switch way {
            case .tunnel: "by the tunnel"
            case .outside(let interface): "outside, by \(interface)"
            case .local: "to this host"
            case .nowhere: "nowhere"
            }
        let mark = leaks ? "LEAK" : isLost ? "lost" : "ok"
        let because = reason.map { ": \($0)" } ?? ""
        let word = mark + String(repeating: " ", count: max(0, 6 - mark.count))
        return "\(word)\(destination)\(from) \(goes)\(because)"
    }
}

extension LeakProbe: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("destination", destination)
            writer.member("incoming", incoming)
            writer.member("promise", promise.rawValue)
            writer.member("goes", way.word)
            if case .outside(let interface) = way {
                writer.member("interface", interface)
            } else {
                writer.nullMember("interface")
            }
            writer.member("dropped", isDropped)
            writer.member("leaks", leaks)
            writer.member("reason", reason)
        }
    }
}
