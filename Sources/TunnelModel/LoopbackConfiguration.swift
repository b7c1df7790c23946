package import JSON

/// The `providerConfiguration` of `org.utunctl.loopback`.
///
/// All keys are optional. The faults are switches for tests of whatever watches a tunnel.
package struct LoopbackConfiguration: Equatable, Sendable {
    /// A failure that the provider reports after a while.
    package struct Failure: Equatable, Sendable {
        package let code: DisconnectCode
        /// Milliseconds after the start.
        package let after: UInt32
    }

    /// The identifier of the provider.
    package static let provider = "org.utunctl.loopback"

    /// The tunnel's own addresses; `nil` derives them from the configuration's identifier.
    package var addresses: [IPPrefix]?
    /// The addresses that answer; `nil` takes the one after each of `addresses`.
    package var peerAddresses: [IPAddress]?
    package var includedRoutes: [IPPrefix] = []
    package var mtu: UInt32?
    package var fail: Failure?
    /// Never comes to `connected`.
    package var hangOnStart = false
    /// Goes on after `stop`.
    package var ignoreStop = false
    /// Ends by this fault when it has connected: SIGSEGV, SIGBUS or SIGILL.
    package var crashSignal: String?
    /// Reports a peer that was last verified this many seconds before each report.
    package var stalePeer: UInt32?
    /// Does not answer queries.
    package var silent = false

    /// The signals that `crashSignal` may name.
    package static let crashSignals = ["SIGSEGV", "SIGBUS", "SIGILL"]

    /// A value of the kind that each key holds which is not text, by its path.
    static let kinds: [String: JSONValue] = [
        "addresses": .array([]), "peerAddresses": .array([]), "includedRoutes": .array([]),
        "mtu": .integer(0), "stalePeer": .integer(0), "fail": .object(JSONObject()),
        "fail.after": .integer(0), "hangOnStart": .bool(false), "ignoreStop": .bool(false),
        "silent": .bool(false),
    ]

    /// A tunnel without faults.
    package init() {}

    /// Reads the object that a parsed configuration holds.
    package init(_ object: JSONObject) throws(JSONError) {
        self = try JSONDocument(parsing: JSONWriter.line(object)).withRoot {
            node throws(JSONError) in
            try LoopbackConfiguration(node)
        }
    }

    /// Reads the object as a configuration holds it.
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        addresses = try reader.prefixes("addresses")
        if let texts = try reader.optionalStrings("peerAddresses") {
            var peers: [IPAddress] = []
            for (index, text) in texts.enumerated() {
                guard let address = IPAddress(text) else {
                    throw reader.mismatch("peerAddresses[\(index)]", "\(text) is no IP address")
                }
                peers.append(address)
            }
            peerAddresses = peers
        }
        includedRoutes = try reader.prefixes("includedRoutes") ?? []
        mtu = try reader.optionalInteger("mtu", in: InterfaceSettings.mtuRange)
        if let node = reader.node("fail") {
            var inner = try JSONObjectReader(node)
            let code = try inner.optionalProviderCode("code")
            let after: UInt32 = try inner.integer("after", in: 0...86_400_000, default: 0)
            // A mistyped key is better news than that it is missing.
            try inner.finish()
            guard let code else { throw inner.mismatch("code", "missing") }
            fail = Failure(code: code, after: after)
        }
        hangOnStart = try reader.bool("hangOnStart", default: false)
        ignoreStop = try reader.bool("ignoreStop", default: false)
        crashSignal = try reader.optionalString("crashSignal")
        if let crashSignal, !Self.crashSignals.contains(crashSignal) {
            let choices = Self.crashSignals.joined(separator: ", ")
            throw reader.mismatch("crashSignal", "\(crashSignal) is not one of: \(choices)")
        }
        stalePeer = try reader.optionalInteger("stalePeer", in: 0...31_536_000)
        silent = try reader.bool("silent", default: false)
        try reader.finish()
    }

    /// Sets one of the switches for a single start; false where there is no such switch or
    /// the value is neither `true` nor `false`.
    package mutating func override(_ option: String, with value: String) -> Bool {
        guard let value = Bool(value) else { return false }
        switch option {
        case "hangOnStart": hangOnStart = value
        case "ignoreStop": ignoreStop = value
        case "silent": silent = value
        default: return false
        }
        return true
    }

    /// The addresses of the tunnel: those of the configuration, or a /30 and a /126 that
    /// follow from its identifier, so that several tunnels run side by side.
    package func tunnelAddresses(identifier: String) -> [IPPrefix] {
        if let addresses { return addresses }
        let hash = Fingerprint(of: identifier).value
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0))) }
        let v4 = IPAddress(family: .v4, bytes: [10, bytes[0], bytes[1], 1])
        // A unique local address (RFC 4193) whose global identifier is the hash.
        let v6 = IPAddress(
            family: .v6,
            bytes: [0xFD] + bytes[2..<8] + [bytes[1]] + [UInt8](repeating: 0, count: 7) + [1])
        return [
            v4.flatMap { IPPrefix(address: $0, length: 30) },
            v6.flatMap { IPPrefix(address: $0, length: 126) },
        ].compactMap { $0 }
    }

    /// The addresses that answer echo requests.
    package func peers(of addresses: [IPPrefix]) -> [IPAddress] {
        peerAddresses
            ?? addresses.compactMap { prefix in
                var bytes = prefix.address.bytes
                for index in bytes.indices.reversed() {
                    bytes[index] &+= 1
                    if bytes[index] != 0 { break }
                }
                return IPAddress(family: prefix.address.family, bytes: bytes)
            }
    }
}
