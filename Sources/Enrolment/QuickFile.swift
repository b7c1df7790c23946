package import TunnelModel

/// A configuration file of wg-quick(8), each value with the line that it stands on.
package struct QuickFile: Sendable {
    /// A value and where it stands, lines counting from one.
    package struct Located<Value: Sendable>: Sendable {
        package let line: Int
        package let value: Value
    }

    /// What `Table` says.
    package enum Table: Equatable, Sendable {
        /// Routes as always.
        case auto
        /// No routes.
        case off
        /// Routes in a table of one's own.
        case number
    }

    /// One `[Peer]`.
    package struct Peer: Sendable {
        /// The line of its `[Peer]`.
        package let line: Int
        /// The key in base64.
        package internal(set) var publicKey: Located<String>
        /// The key in base64; all zeros, which stand for none, excepted.
        package internal(set) var presharedKey: Located<Secret>?
        package internal(set) var endpoint: Located<ServerAddress>?
        /// Masked, and each network once.
        package internal(set) var allowedIPs: [Located<IPPrefix>] = []
        /// `nil` inside where it is off.
        package internal(set) var persistentKeepalive: Located<UInt16?>?
    }

    /// The key in base64.
    package internal(set) var privateKey: Located<Secret>
    package internal(set) var addresses: [Located<IPPrefix>] = []
    /// `nil` inside where any free port will do.
    package internal(set) var listenPort: Located<UInt16?>?
    package internal(set) var mtu: Located<UInt32>?
    package internal(set) var table: Located<Table>?
    package internal(set) var dnsServers: [Located<IPAddress>] = []
    package internal(set) var searchDomains: [Located<String>] = []
    /// Whether a hook has this host forward packets of others.
    package internal(set) var forward = false
    /// Whether a hook translates their addresses.
    package internal(set) var masquerade = false
    /// Whether a hook bounds the segments of their connections.
    package internal(set) var mssClamp = false
    package internal(set) var peers: [Peer] = []
    /// What is worth telling beside the values themselves, in the order of lines.
    package internal(set) var remarks: [EnrolmentItem] = []

    /// No file of wg-quick comes near this.
    package static let largest = 1 << 20
}
