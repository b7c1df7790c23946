package import JSON

/// What the host asks of the resolver: the one line of a resolver process's life.
package struct ResolverRequest: Equatable, Sendable {
    /// A name server, with sockets of its family to ask it through.
    package struct Server: Equatable, Sendable {
        package let address: IPAddress
        package let port: UInt16
        /// Descriptors of unconnected datagram sockets.
        package let datagram: [Int]
        /// Descriptors of unconnected stream sockets, for answers that do not fit.
        package let stream: [Int]

        package init(
            address: IPAddress, port: UInt16 = Self.defaultPort, datagram: [Int], stream: [Int]
        ) {
            self.address = address
            self.port = port
            self.datagram = datagram
            self.stream = stream
        }

        /// The port of DNS.
        package static let defaultPort: UInt16 = 53
    }

    /// The names or address literals, each of which gets one reply.
    package var names: [String]
    /// In the order in which they are asked.
    package var servers: [Server]
    /// The descriptor of the hosts file.
    package var hosts: Int?
    /// Milliseconds for everything together.
    package var timeout: UInt32

    /// The longest time that may be allowed.
    package static let longestTimeout: UInt32 = 600_000

    package init(names: [String], servers: [Server], hosts: Int?, timeout: UInt32) {
        self.names = names
        self.servers = servers
        self.hosts = hosts
        self.timeout = timeout
    }

    /// Reads the line.
    package init(line: some Collection<UInt8>) throws(JSONError) {
        self = try JSONDocument(parsing: line).withRoot { node throws(JSONError) in
            try ResolverRequest(node)
        }
    }

    private init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        let type = try reader.string("type")
        guard type == "resolve" else {
            throw reader.mismatch("type", "\(type) is nothing that a resolver does")
        }
        names = try reader.strings("names")
        servers = []
        for element in try reader.elements("servers") ?? [] {
            servers.append(try Server(element))
        }
        hosts = try reader.optionalInteger("hosts", in: 0...65_535)
        timeout = try reader.integer("timeout", in: 1...Self.longestTimeout)
        try reader.finish()
    }
}

extension ResolverRequest.Server {
    fileprivate init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        let text = try reader.string("address")
        guard let address = IPAddress(text) else {
            throw reader.mismatch("address", "not an IP address")
        }
        self.address = address
        port = try reader.integer("port", in: 1...UInt16.max, default: Self.defaultPort)
        datagram = try reader.integers("datagram")
        stream = try reader.integers("stream")
        try reader.finish()
    }
}

extension ResolverRequest: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.message("resolve")
            writer.member("names", names)
            writer.arrayMember("servers") { writer in
                for server in servers { writer.element(server) }
            }
            writer.member("hosts", hosts)
            writer.member("timeout", timeout)
        }
    }
}

extension ResolverRequest.Server: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("address", address)
            writer.member("port", port)
            writer.member("datagram", datagram)
            writer.member("stream", stream)
        }
    }
}
