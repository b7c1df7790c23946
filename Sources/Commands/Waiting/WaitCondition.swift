internal import TunnelModel

/// What `wait` can wait for.
enum WaitCondition: String, CaseIterable {
    case connected, disconnected, address, handshake, traffic

    /// The condition with a name.
    init(_ name: String) throws(UsageError) {
        if let condition = WaitCondition(rawValue: name) {
            self = condition
            return
        }
        let names = Self.allCases.map(\.rawValue)
        throw UsageError(
            "--for: \(name.shownInMessage) is nothing to wait for",
            hint: nearestWord(to: name, in: names).map { "did you mean \($0)?" }
                ?? "one of: \(names.joined(separator: ", "))")
    }

    /// What is waited for, in a word or two.
    var goal: String {
        switch self {
        case .connected, .disconnected: rawValue
        case .address: "addresses that can be used"
        case .handshake: "proof from the far end"
        case .traffic: "a packet from the tunnel"
        }
    }

    /// What is not so yet while the tunnel is connected.
    var lack: String {
        switch self {
        case .connected, .disconnected: "not \(rawValue)"
        case .address: "its addresses cannot be used yet"
        case .handshake: "no proof from the far end"
        case .traffic: "no packet from the tunnel"
        }
    }

    /// What is so when the wait is over.
    var outcome: String {
        switch self {
        case .connected, .disconnected: rawValue
        case .address: "connected, and its addresses can be used"
        case .handshake: "connected, and the far end has proved itself"
        case .traffic: "connected, and packets come from it"
        }
    }

    /// How soon to look again where no event tells of it, in milliseconds; `nil` where one does.
    var lookMilliseconds: Int64? {
        switch self {
        case .connected, .disconnected, .address: nil
        // The provider knows, and is asked.
        case .handshake: 500
        // The kernel counts without a word.
        case .traffic: 250
        }
    }

    /// The seconds that it is waited for where nobody says how long.
    func standardSeconds(_ configuration: Configuration?) -> Int64 {
        if self == .disconnected { return Int64(configuration?.stopTimeout ?? 20) + 5 }
        return Int64(configuration?.startTimeout ?? 60) + 5
    }
}

extension SessionReport {
    /// Whether the far end has proved itself to this very session.
    var hasProof: Bool {
        let moments =
            [providerReport?.lastVerified] + (providerReport?.peers.map(\.lastHandshake) ?? [])
        return moments.contains { $0.map { $0 >= started } ?? false }
    }
}

/// Tells whether an interface has received anything since the wait began.
struct ReceivedSince {
    private var index: Int?
    private var bytes: UInt64 = 0
    private var isBegun = false

    /// Takes a reading; answers whether something has come since the first one.
    ///
    /// An interface that was made since then counts from nothing.
    mutating func hasGrown(_ link: KernelReading.Link?) -> Bool {
        defer { isBegun = true }
        guard let link else { return false }
        if index != link.index {
            index = link.index
            bytes = isBegun ? 0 : link.counters.receivedBytes
        }
        return link.counters.receivedBytes > bytes
    }
}
