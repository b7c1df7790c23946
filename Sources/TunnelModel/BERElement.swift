/// An element of the Basic Encoding Rules (X.690), of which those of DER are the strict ones.
package struct BERElement {
    /// The first byte: class, form and number of its tag.
    package let tag: UInt8
    package let content: ArraySlice<UInt8>
    /// Where it ends, its marker of the end included.
    package let end: Int
    /// Whether its length stands before it, as in DER.
    package let isDefinite: Bool

    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31
    package static let objectIdentifier: UInt8 = 0x06

    /// No structure that is read here is deeper.
    private static let mostDepth = 32

    /// Reads what bytes begin with; `nil` where that is no whole element.
    package init?(_ bytes: ArraySlice<UInt8>) {
        self.init(bytes, depth: 0)
    }

    private init?(_ bytes: ArraySlice<UInt8>, depth: Int) {
        var rest = bytes
        guard depth < Self.mostDepth, let tag = rest.popFirst() else { return nil }
        self.tag = tag
        if tag & 0x1F == 0x1F {
            while let byte = rest.popFirst(), byte & 0x80 != 0 {}
        }
        guard let first = rest.popFirst() else { return nil }
        guard first != 0x80 else {
            guard tag & 0x20 != 0 else { return nil }
            isDefinite = false
            let start = rest.startIndex
            while rest.count >= 2, rest.first != 0 {
                guard let child = BERElement(rest, depth: depth + 1) else { return nil }
                rest = rest[child.end...]
            }
            guard rest.count >= 2, rest.prefix(2).allSatisfy({ $0 == 0 }) else { return nil }
            content = bytes[start..<rest.startIndex]
            end = rest.startIndex + 2
            return
        }
        isDefinite = true
        var length = Int(first)
        if first > 0x80 {
            let digits = Int(first & 0x7F)
            guard digits <= 4, rest.count >= digits else { return nil }
            length = rest.prefix(digits).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(digits)
        }
        guard rest.count >= length else { return nil }
        content = rest.prefix(length)
        end = rest.startIndex + length
    }

    /// The elements in it; `nil` where it holds anything else.
    package var children: [BERElement]? {
        var children: [BERElement] = []
        var rest = content
        while !rest.isEmpty {
            guard let child = BERElement(rest) else { return nil }
            children.append(child)
            rest = rest[child.end...]
        }
        return children
    }
}
