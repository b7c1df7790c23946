extension Configuration {
    /// The host names of servers that have to be resolved.
    package var serverNames: [String] {
        server.flatMap { $0.literal == nil ? [$0.host] : nil } ?? []
    }

    /// The server addresses that need no resolving, by the way they are written.
    package var serverLiterals: [(name: String, address: IPAddress)] {
        server.flatMap { server in server.literal.map { [(server.host, $0)] } } ?? []
    }

    private var server: ServerAddress? {
        serverAddress.flatMap { ServerAddress($0) }
    }
}
