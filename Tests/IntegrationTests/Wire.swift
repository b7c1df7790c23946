/// What a message of WireGuard is, by its first byte.
enum WireMessage: UInt8, CaseIterable {
    case initiation = 1
    case response, cookieReply, transport

    /// The length on the wire of those that have always the same.
    var length: Int? {
        switch self {
        case .initiation: 148
        case .response: 92
        case .cookieReply: 64
        case .transport: nil
        }
    }

    init?(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return nil }
        self.init(rawValue: first)
    }
}

/// Whereto a datagram travels.
enum Direction: CaseIterable {
    case towardFar, towardNear

    var opposite: Direction { self == .towardFar ? .towardNear : .towardFar }
}

/// What a wire does to datagrams, each in so many of a hundred.
struct WireFaults: Sendable {
    var lost = 0
    var doubled = 0
    /// Delayed by up to 20 ms, so that later ones overtake it.
    var delayed = 0
    /// Arriving with one byte changed.
    var mangled = 0
    /// Kinds of message that never arrive.
    var swallowed: Set<WireMessage> = []

    static let none = WireFaults()
    static let cut = WireFaults(lost: 100)
}
