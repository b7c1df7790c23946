package import JSON

/// The interface that a configuration asks for.
package struct InterfaceSettings: Equatable, Sendable {
    /// A name, or a pattern with `%d` that the kernel completes.
    package var name = "utun%d"
    /// The MTU in bytes; `nil` takes the provider's.
    package var mtu: UInt32?
    /// The name of the network namespace that it lives in; `nil` for the host's own.
    package var networkNamespace: String?

    /// The defaults.
    package init() {}

    /// The MTUs that the kernel accepts for a TUN.
    package static let mtuRange: ClosedRange<UInt32> = 68...65_535

    init(_ node: JSONNode) throws(JSONError) {
        var reader = try JSONObjectReader(node)
        name = try reader.string("name", default: "utun%d")
        if let problem = Naming.problem(ofInterface: name) {
            throw reader.mismatch("name", problem)
        }
        mtu = try reader.optionalInteger("mtu", in: Self.mtuRange)
        networkNamespace = try reader.optionalString("networkNamespace")
        if let networkNamespace,
            let problem = Naming.problem(ofNetworkNamespace: networkNamespace)
        {
            throw reader.mismatch("networkNamespace", problem)
        }
        try reader.finish()
    }
}

extension InterfaceSettings: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", name)
            writer.member("mtu", mtu)
            writer.member("networkNamespace", networkNamespace)
        }
    }
}
