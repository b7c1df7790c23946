internal import JSON

/// Everything that a provider is given: the first message of its session.
package struct ProviderStart: Equatable, Sendable {
    /// The interface that the host has made.
    package struct Interface: Equatable, Sendable {
        package let name: String
        package let index: Int
        package let mtu: UInt32

        package init(name: String, index: Int, mtu: UInt32) {
            self.name = name
            self.index = index
            self.mtu = mtu
        }
    }

    package var attempt: String
    package var configuration: Configuration
    /// The `--option`s of this one start.
    package var options: [String: String] = [:]
    /// The descriptors of the TUN's queues.
    package var tun: [Int] = []
    /// The descriptors of the credentials, by name.
    package var credentials: [String: Int] = [:]
    /// The descriptor of a listening socket, where the manifest asks for one and none was in
    /// the way.
    package var controlSocket: Int?
    /// The anchors that the configuration names.
    package var trust: [TrustAnchor] = []
    /// The file with the certificates of the system's store, where the configuration trusts it.
    package var systemTrust: String?
    /// The addresses of the names that the configuration holds.
    package var resolved: [String: [IPAddress]] = [:]
    package var interface: Interface

    package init(attempt: String, configuration: Configuration, interface: Interface) {
        self.attempt = attempt
        self.configuration = configuration
        self.interface = interface
    }

    init(reading reader: inout JSONObjectReader) throws(JSONError) {
        attempt = try reader.string("attempt")
        guard let configuration = reader.node("configuration"),
            let interface = reader.node("interface")
        else { throw reader.mismatch("configuration", "missing, or interface is") }
        self.configuration = try Configuration(configuration)
        options = try reader.stringMap("options")
        tun = try reader.integers("tun")
        for (name, node) in try reader.nodes("credentials") {
            var inner = try JSONObjectReader(node)
            credentials[name] = try inner.integer("fd", in: 3...65_535)
        }
        if let node = reader.node("controlSocket") {
            var inner = try JSONObjectReader(node)
            controlSocket = try inner.integer("fd", in: 3...65_535)
        }
        trust = try reader.anchors("trust")
        systemTrust = try reader.optionalString("systemTrust")
        resolved = try reader.resolved("resolved")
        var inner = try JSONObjectReader(interface)
        self.interface = Interface(
            name: try inner.string("name"), index: try inner.integer("index", in: 1...Int.max),
            mtu: try inner.integer("mtu", in: InterfaceSettings.mtuRange))
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("attempt", attempt)
        writer.member("configuration", configuration)
        writer.member("options", options)
        writer.member("tun", tun)
        writer.objectMember("credentials") { writer in
            for (name, descriptor) in credentials.sorted(by: { $0.key < $1.key }) {
                writer.objectMember(name) { $0.member("fd", descriptor) }
            }
        }
        if let controlSocket {
            writer.objectMember("controlSocket") { $0.member("fd", controlSocket) }
        } else {
            writer.nullMember("controlSocket")
        }
        writer.member("trust", trust)
        writer.member("systemTrust", systemTrust)
        writer.member("resolved", resolved: resolved)
        writer.objectMember("interface") { writer in
            writer.member("name", interface.name)
            writer.member("index", interface.index)
            writer.member("mtu", interface.mtu)
        }
    }
}
