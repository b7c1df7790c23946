/// Where a tunnel's own packets may go: an address of a server, with its port where it has one.
package struct FirewallEndpoint: Hashable, Sendable {
    /// The transport protocols of a provider's sockets.
    package enum Transport: String, CaseIterable, Sendable {
        case udp, tcp
    }

    package let address: IPAddress
    /// `nil` for any port.
    package let port: UInt16?
    package let transport: Transport

    package init(_ address: IPAddress, port: UInt16?, _ transport: Transport) {
        self.address = address
        self.port = port
        self.transport = transport
    }
}
