/// What can be written as JSON.
package protocol JSONEncodable {
    /// Appends the value to a document.
    func write(to writer: inout JSONWriter)
}

/// Writes a JSON document as a stream, member after member.
package struct JSONWriter {
    /// How the text is laid out.
    package enum Layout: Sendable {
        /// On one line, for protocols.
        case compact
        /// Indented by two spaces, for people.
        case indented
        /// Indented down to the elements of a list, each of which is one line: for files that
        /// are long, and are read by programs far more often than by people.
        case listed
    }

    /// The text so far.
    package private(set) var bytes: [UInt8] = []

    private let layout: Layout
    private var depth = 0
    private var isFirst = true

    /// Starts an empty document.
    package init(layout: Layout = .compact) {
        self.layout = layout
    }

    /// The text of one value, with a line end behind it.
    package static func line(_ value: some JSONEncodable, layout: Layout = .compact) -> [UInt8] {
        var writer = JSONWriter(layout: layout)
        value.write(to: &writer)
        writer.bytes.append(UInt8(ascii: "\n"))
        return writer.bytes
    }

    /// Writes an object whose members `body` writes.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        nest(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
    }

    /// Writes an array whose elements `body` writes.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        nest(UInt8(ascii: "["), UInt8(ascii: "]"), body)
    }

    /// Writes a member; `nil` is written as `null`, never left out.
    package mutating func member(_ key: String, _ value: (some JSONEncodable)?) {
        begin(key)
        if let value { value.write(to: &self) } else { null() }
    }

    /// Writes a member that is null and has no type.
    package mutating func nullMember(_ key: String) {
        begin(key)
        null()
    }

    /// Writes a member that is an object.
    package mutating func objectMember(_ key: String, _ body: (inout JSONWriter) -> Void) {
        begin(key)
        object(body)
    }

    /// Writes a member that is an array.
    package mutating func arrayMember(_ key: String, _ body: (inout JSONWriter) -> Void) {
        begin(key)
        array(body)
    }

    /// Writes an element of an array.
    package mutating func element(_ value: some JSONEncodable) {
        separate()
        value.write(to: &self)
    }

    mutating func null() {
        bytes.append(contentsOf: "null".utf8)
    }

    mutating func literal(_ text: String) {
        bytes.append(contentsOf: text.utf8)
    }

    mutating func quoted(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        // Nearly all text needs no escape: then it goes in one piece.
        let isPlain = text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        guard !isPlain else { return bytes.append(contentsOf: text.utf8) }
        var last: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: "\\n".utf8)
            case UInt8(ascii: "\t"): bytes.append(contentsOf: "\\t".utf8)
            case UInt8(ascii: "\r"): bytes.append(contentsOf: "\\r".utf8)
            case 0..<0x20, 0x7F: escape(byte)
            // U+0080 to U+009F, which steer a terminal like what follows an escape.
            case 0x80...0x9F where last == 0xC2:
                bytes.removeLast()
                escape(byte)
            default: bytes.append(byte)
            }
            last = byte
        }
    }

    private mutating func escape(_ byte: UInt8) {
        let digits = Array("0123456789abcdef".utf8)
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
    }

    private mutating func begin(_ key: String) {
        separate()
        quoted(key)
        bytes.append(UInt8(ascii: ":"))
        if breaksLines { bytes.append(UInt8(ascii: " ")) }
    }

    private mutating func separate() {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        if breaksLines { breakLine() }
    }

    /// Whether what stands at the present depth has lines of its own.
    private var breaksLines: Bool {
        switch layout {
        case .compact: false
        case .indented: true
        case .listed: depth <= 2
        }
    }

    private mutating func breakLine() {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    private mutating func nest(_ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void) {
        bytes.append(open)
        depth += 1
        isFirst = true
        body(&self)
        let breaksLines = breaksLines
        depth -= 1
        if !isFirst, breaksLines { breakLine() }
        bytes.append(close)
        isFirst = false
    }
}
