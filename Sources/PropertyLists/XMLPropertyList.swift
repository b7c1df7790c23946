internal import TunnelModel

/// Reads a property list in XML.
struct XMLPropertyList {
    private enum Tag {
        case begin(Element, isEmpty: Bool)
        case end(Element)
    }

    private enum Element: String {
        case plist, dict, key, array, string, integer, real, data, date
        case yes = "true"
        case no = "false"
    }

    private var text: XMLText
    private var depth = 0
    private var nodes = 0

    init(_ bytes: [UInt8]) throws(PropertyListError) {
        text = try XMLText(bytes)
    }

    /// The value that the file is.
    mutating func root() throws(PropertyListError) -> PropertyListNode {
        try text.skipMisc()
        try text.skipDocumentType()
        try text.skipMisc()
        let start = text
        let node: PropertyListNode
        switch try tag() {
        case .begin(.plist, isEmpty: false):
            node = try value()
            try expectEnd(of: .plist)
        case .begin(.plist, isEmpty: true): throw start.located("a property list without a value")
        case .begin(let element, let isEmpty):
            text = start
            node = try value(element, isEmpty: isEmpty)
        case .end: throw start.located("an end of an element that has not begun")
        }
        try text.skipMisc()
        guard text.isAtEnd else { throw text.error("more behind the end of the property list") }
        return node
    }

    // MARK: Values

    private mutating func value() throws(PropertyListError) -> PropertyListNode {
        try text.skipMisc()
        let start = text
        guard case .begin(let element, let isEmpty) = try tag() else {
            throw start.located("the value is missing")
        }
        text = start
        return try value(element, isEmpty: isEmpty)
    }

    /// Reads the element that comes next, which is known.
    private mutating func value(_ element: Element, isEmpty: Bool)
        throws(PropertyListError) -> PropertyListNode
    {
        let start = text
        let line = text.currentLine()
        nodes += 1
        guard nodes <= PropertyList.mostNodes else {
            throw start.located("more than \(PropertyList.mostNodes) values")
        }
        guard depth < PropertyList.deepest else {
            throw start.located("nested more than \(PropertyList.deepest) deep")
        }
        depth += 1
        defer { depth -= 1 }
        _ = try tag()
        let value: PropertyListNode.Value
        switch element {
        case .dict: value = .dictionary(isEmpty ? [] : try members())
        case .array: value = .array(isEmpty ? [] : try elements())
        case .plist, .key: throw start.located("a value must stand here, not <\(element.rawValue)>")
        case .yes, .no:
            if !isEmpty, try content(of: element).contains(where: { !$0.isWhitespace }) {
                throw start.located("a boolean with something in it")
            }
            value = .bool(element == .yes)
        case .string: value = .string(isEmpty ? "" : try content(of: element))
        case .integer, .real, .data, .date:
            let content = isEmpty ? "" : try content(of: element)
            value = try Self.scalar(element, content, start)
        }
        return PropertyListNode(value, line: line)
    }

    private mutating func members() throws(PropertyListError) -> [PropertyListNode.Member] {
        var members: [PropertyListNode.Member] = []
        var lines: [String: Int] = [:]
        while true {
            try text.skipMisc()
            let start = text
            let line = text.currentLine()
            switch try tag() {
            case .end(.dict): return members
            case .begin(.key, let isEmpty):
                let key = isEmpty ? "" : try content(of: .key)
                if let earlier = lines.updateValue(line, forKey: key) {
                    throw start.located("the same key as in line \(earlier)")
                }
                members.append(PropertyListNode.Member(key: key, node: try value()))
            case .begin, .end: throw start.located("neither <key> nor the end of the dictionary")
            }
        }
    }

    private mutating func elements() throws(PropertyListError) -> [PropertyListNode] {
        var elements: [PropertyListNode] = []
        while true {
            try text.skipMisc()
            let start = text
            switch try tag() {
            case .end(.array): return elements
            case .end: throw start.located("not the end of the array")
            case .begin(let element, let isEmpty):
                text = start
                elements.append(try value(element, isEmpty: isEmpty))
            }
        }
    }

    private static func scalar(_ element: Element, _ content: String, _ start: XMLText)
        throws(PropertyListError) -> PropertyListNode.Value
    {
        switch element {
        case .data:
            guard let bytes = Base64.decode(content.utf8) else {
                throw start.located("data that is not base64")
            }
            return .data(bytes)
        case .date:
            guard let date = Timestamp(trimmed(content)) else {
                throw start.located("a date that is not of the form 2026-11-30T01:02:03Z")
            }
            return .date(date)
        case .integer:
            guard let number = integer(trimmed(content)) else {
                throw start.located("an integer that is none, or is beyond 64 bits")
            }
            return .integer(number)
        default:
            guard let number = Double(trimmed(content)), number.isFinite else {
                throw start.located("a real number that is none")
            }
            return .real(number)
        }
    }

    /// A decimal number, or a hexadecimal one behind `0x`.
    private static func integer(_ content: String) -> Int64? {
        let isNegative = content.hasPrefix("-")
        let digits = content.dropFirst(isNegative ? 1 : 0)
        guard digits.hasPrefix("0x") || digits.hasPrefix("0X") else { return Int64(content) }
        guard let first = digits.dropFirst(2).first, first != "-", first != "+" else { return nil }
        return Int64("\(isNegative ? "-" : "")\(digits.dropFirst(2))", radix: 16)
    }

    private static func trimmed(_ content: String) -> String {
        let bytes = content.utf8.drop(while: XMLText.isBlank)
        let end = bytes.lastIndex { !XMLText.isBlank($0) }.map { bytes.index(after: $0) }
        return String(Substring(bytes[..<(end ?? bytes.startIndex)]))
    }

    // MARK: Tags

    private mutating func content(of element: Element) throws(PropertyListError) -> String {
        let content = try text.takeText()
        try expectEnd(of: element)
        return content
    }

    private mutating func expectEnd(of element: Element) throws(PropertyListError) {
        try text.skipMisc()
        let start = text
        guard case .end(element) = try tag() else {
            throw start.located("not the end of <\(element.rawValue)>, which must stand here")
        }
    }

    private mutating func tag() throws(PropertyListError) -> Tag {
        let start = text
        guard !text.isAtEnd else { throw text.error("the file ends here, before its last element") }
        guard text.skip("<") else { throw text.error("text that belongs to no value") }
        let isEnd = text.skip("/")
        let name = text.take { !Self.isName($0) }
        guard let element = Element(rawValue: String(decoding: name, as: UTF8.self)) else {
            throw start.located("not an element of a property list")
        }
        var quote: UInt8?
        var last: UInt8 = 0
        while let byte = text.next {
            text.advance()
            switch (byte, quote) {
            case (UInt8(ascii: ">"), nil):
                return isEnd
                    ? .end(element) : .begin(element, isEmpty: last == UInt8(ascii: "/"))
            case (UInt8(ascii: "<"), nil): throw start.located("a tag without an end")
            case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil): quote = byte
            case (_, byte?): quote = nil
            default: break
            }
            last = byte
        }
        throw start.located("a tag without an end")
    }

    private static func isName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"),
            UInt8(ascii: ":"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
