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

/// Reproducible chance (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }

    /// Whether it happens, when it does in so many of a hundred.
    mutating func happens(_ percent: Int) -> Bool {
        percent > 0 && Int(next() % 100) < percent
    }
}
