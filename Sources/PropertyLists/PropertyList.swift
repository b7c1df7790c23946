/// The two forms of property lists, and how much of one is taken.
package enum PropertyList {
    /// No configuration profile comes near this.
    package static let largest = 4 << 20
    /// What is nested deeper is made to exhaust whoever reads it.
    static let deepest = 64
    static let mostNodes = 100_000

    /// Reads a whole file, in XML or in binary form.
    package static func parse(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListNode {
        guard bytes.count <= largest else {
            throw PropertyListError("more than \(largest >> 20) MiB: not a configuration profile")
        }
        if bytes.starts(with: "bplist".utf8) {
            var reader = try BinaryPropertyList(bytes)
            return try reader.root()
        }
        var reader = try XMLPropertyList(bytes)
        return try reader.root()
    }
}
