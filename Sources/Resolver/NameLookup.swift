internal import CAres
internal import TunnelModel

/// What is known of one name while its two questions, A and AAAA, are under way.
final class NameLookup {
    private let name: String
    private let servers: String
    private let completion: (ResolverReply) -> Void
    private var addresses: [IPAddress.Family: [IPAddress]] = [:]
    private var failures: Set<CInt> = []
    private var open: Set<IPAddress.Family> = [.v4, .v6]

    /// A lookup that asks `servers`, as they are called in its failures.
    init(_ name: String, servers: String, _ completion: @escaping (ResolverReply) -> Void) {
        self.name = name
        self.servers = servers
        self.completion = completion
    }

    /// Takes the answer to one of the questions.
    func answer(_ family: IPAddress.Family, _ status: CInt, _ message: UnsafeRawBufferPointer) {
        guard open.remove(family) != nil else { return }
        var status = status
        if status == ARES_SUCCESS {
            (status, addresses[family]) = Self.parse(family, message)
        }
        if status != ARES_SUCCESS { failures.insert(status) }
        if open.isEmpty { completion(reply) }
    }

    private var reply: ResolverReply {
        let found = (addresses[.v4] ?? []) + (addresses[.v6] ?? [])
        return ResolverReply(name, found: found) ?? .failed(name: name, text: failure)
    }

    /// One reason out of two: the one that says most about the name.
    private var failure: String {
        if failures.contains(ARES_ENOTFOUND) { return "no such host" }
        guard let status = failures.subtracting([ARES_ENODATA]).min() else {
            return "the name has no usable address"
        }
        // C-ares 1.18 says the same, ARES_ECONNREFUSED, of servers that cannot be reached and
        // of servers that all answered with a failure.
        return status == ARES_ETIMEOUT || status == ARES_ECANCELLED
            ? "no answer from \(servers)" : "no usable answer from \(servers)"
    }

    private static func parse(
        _ family: IPAddress.Family,
        _ message: UnsafeRawBufferPointer
    ) -> (status: CInt, addresses: [IPAddress]) {
        let start = message.bindMemory(to: UInt8.self).baseAddress
        let length = CInt(message.count)
        var count = CInt(ResolverReply.mostAddresses)
        switch family {
        case .v4:
            var records = [ares_addrttl](repeating: ares_addrttl(), count: Int(count))
            let status = ares_parse_a_reply(start, length, nil, &records, &count)
            guard status == ARES_SUCCESS else { return (status, []) }
            return (
                status,
                records.prefix(Int(count)).map {
                    IPAddress(v4: UInt32(bigEndian: $0.ipaddr.s_addr))
                }
            )
        case .v6:
            var records = [ares_addr6ttl](repeating: ares_addr6ttl(), count: Int(count))
            let status = ares_parse_aaaa_reply(start, length, nil, &records, &count)
            guard status == ARES_SUCCESS else { return (status, []) }
            return (
                status,
                records.prefix(Int(count)).compactMap { record in
                    withUnsafeBytes(of: record.ip6addr) {
                        IPAddress(family: .v6, bytes: Array($0))
                    }
                }
            )
        }
    }
}
