internal import JSON

/// What a provider asks the host to set up for it.
package struct NetworkSettings: Equatable, Sendable {
    package var addresses: [IPPrefix] = []
    /// `nil`: no wish of its own, the configuration decides.
    package var includedRoutes: [IPPrefix]?
    package var remoteAddress: IPAddress?
    package var mtu: UInt32?
    /// The bytes that the protocol adds to each packet.
    package var overhead: UInt32?
    /// The same over IPv4, where that is less.
    package var overheadIPv4: UInt32?
    package var dns: DNSSettings?

    /// Settings without any wish.
    package init() {}

    init(reading reader: inout JSONObjectReader) throws(JSONError) {
        addresses = try reader.prefixes("addresses") ?? []
        includedRoutes = try reader.prefixes("includedRoutes")
        if let text = try reader.optionalString("remoteAddress") {
            guard let address = IPAddress(text) else {
                throw reader.mismatch("remoteAddress", "not an IP address")
            }
            remoteAddress = address
        }
        mtu = try reader.optionalInteger("mtu", in: InterfaceSettings.mtuRange)
        overhead = try reader.optionalInteger("overhead", in: 0...1024)
        overheadIPv4 = try reader.optionalInteger("overheadIPv4", in: 0...1024)
        if let node = reader.node("dns") { dns = try DNSSettings(node) }
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("addresses", addresses)
        writer.member("includedRoutes", includedRoutes)
        writer.member("remoteAddress", remoteAddress)
        writer.member("mtu", mtu)
        writer.member("overhead", overhead)
        writer.member("overheadIPv4", overheadIPv4)
        writer.member("dns", dns)
    }
}
