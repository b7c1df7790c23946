package import JSON
internal import TunnelModel

extension NetworkSnapshot {
    /// Reads what `write(to:)` writes.
    package init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        self.init(time: try reader.timestamp("time"))
        if let node = reader.node("underlying") { underlying = try Link(node) }
        dnsServers = try reader.addresses("dnsServers")
        searchDomains = try reader.strings("searchDomains")
        for (url, node) in try reader.nodes("probes") { probes[url] = try ProbeOutcome(node) }
        try reader.finish()
    }
}

extension NetworkSnapshot: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("time", time)
            writer.member("underlying", underlying)
            writer.member("dnsServers", dnsServers)
            writer.member("searchDomains", searchDomains)
            writer.objectMember("probes") { writer in
                for (url, outcome) in probes.sorted(by: { $0.key < $1.key }) {
                    writer.member(url, outcome)
                }
            }
        }
    }
}

extension NetworkSnapshot.Link: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("interface", interface)
            writer.member("index", index)
            writer.member("type", kind.rawValue)
            writer.member("gateways", gateways)
            writer.member("ssid", ssid)
        }
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        self.init(
            interface: try reader.string("interface"),
            index: try reader.integer("index", in: 1...Int.max),
            kind: try reader.choice("type", default: nil),
            gateways: try reader.addresses("gateways"),
            ssid: try reader.optionalString("ssid"))
        try reader.finish()
    }
}

extension ProbeOutcome: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            switch self {
            case .status(let status):
                writer.member("status", status)
                writer.nullMember("problem")
            case .failed(let problem):
                writer.nullMember("status")
                writer.member("problem", problem)
            }
        }
    }

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        let status = try reader.optionalInteger("status", in: 0...999)
        let problem = try reader.optionalString("problem")
        try reader.finish()
        self = status.map { .status($0) } ?? .failed(problem ?? "no answer")
    }
}

extension JSONObjectReader {
    fileprivate mutating func addresses(_ key: String) throws(JSONError) -> [IPAddress] {
        var addresses: [IPAddress] = []
        for (index, text) in try strings(key).enumerated() {
            guard let address = IPAddress(text) else {
                throw mismatch("\(key)[\(index)]", "not an IP address")
            }
            addresses.append(address)
        }
        return addresses
    }
}
