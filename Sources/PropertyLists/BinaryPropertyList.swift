internal import TunnelModel

/// Reads a property list in Apple's binary form, `bplist00`.
///
/// Objects refer to others by number, so that a few bytes can stand for endless many values: depth,
/// number and bytes of all that is made of them are bounded.
struct BinaryPropertyList {
    private static let trailerLength = 32
    /// Seconds from 1970 to 2001, which dates count from.
    private static let epoch = 978_307_200.0

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let objectCount: Int
    private let topObject: Int
    private let tableStart: Int
    private var depth = 0
    private var nodes = 0
    private var contentBytes = 0

    init(_ bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.starts(with: "bplist00".utf8) else {
            throw PropertyListError("a binary property list of a version that is not known")
        }
        guard bytes.count >= 8 + Self.trailerLength else { throw Self.truncated }
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerLength
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let numbers = [8, 16, 24].map { Self.number(bytes[trailer + $0..<trailer + $0 + 8]) }
        guard let count = numbers[0], let top = numbers[1], let start = numbers[2],
            (1...8).contains(offsetSize), (1...8).contains(referenceSize), top < count,
            start >= 8, start <= trailer, count <= (trailer - start) / offsetSize
        else { throw Self.damaged }
        (objectCount, topObject, tableStart) = (count, top, start)
    }

    /// The value that the file is.
    mutating func root() throws(PropertyListError) -> PropertyListNode {
        try object(topObject)
    }

    private static let truncated = PropertyListError("the binary property list is cut off")
    private static let damaged = PropertyListError("the binary property list is damaged")

    // MARK: Objects

    private mutating func object(_ number: Int) throws(PropertyListError) -> PropertyListNode {
        guard depth < PropertyList.deepest else {
            throw PropertyListError("nested more than \(PropertyList.deepest) deep")
        }
        depth += 1
        defer { depth -= 1 }
        nodes += 1
        guard nodes <= PropertyList.mostNodes else {
            throw PropertyListError("more than \(PropertyList.mostNodes) values")
        }
        let offset = try self.number(at: tableStart + number * offsetSize, size: offsetSize)
        guard offset >= 8, offset < tableStart else { throw Self.damaged }
        return PropertyListNode(try value(at: offset))
    }

    private mutating func value(at offset: Int) throws(PropertyListError)
        -> PropertyListNode.Value
    {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0 where marker == 0x08: return .bool(false)
        case 0x0 where marker == 0x09: return .bool(true)
        case 0x1: return .integer(try integer(at: offset + 1, size: low))
        case 0x2 where low == 2 || low == 3: return .real(try real(at: offset + 1, size: low))
        case 0x3 where low == 3: return .date(try date(at: offset + 1))
        case 0x4:
            let (count, start) = try length(low, at: offset)
            return .data(Array(try content(start, count)))
        case 0x5:
            let (count, start) = try length(low, at: offset)
            let text = try content(start, count)
            guard text.allSatisfy({ $0 < 0x80 && $0 != 0 }) else { throw Self.damaged }
            return .string(String(decoding: text, as: UTF8.self))
        case 0x6: return .string(try wideString(low, at: offset))
        case 0xA:
            let (count, start) = try length(low, at: offset)
            return .array(try objects(start, count))
        case 0xD: return .dictionary(try members(low, at: offset))
        default: throw PropertyListError("a binary property list with a value of no known kind")
        }
    }

    private mutating func objects(_ start: Int, _ count: Int) throws(PropertyListError)
        -> [PropertyListNode]
    {
        var elements: [PropertyListNode] = []
        for index in 0..<count { elements.append(try object(reference(start, index))) }
        return elements
    }

    private mutating func members(_ low: Int, at offset: Int) throws(PropertyListError)
        -> [PropertyListNode.Member]
    {
        let (count, start) = try length(low, at: offset)
        guard count <= bytes.count else { throw Self.truncated }
        var members: [PropertyListNode.Member] = []
        var keys: Set<String> = []
        for index in 0..<count {
            guard case .string(let key) = try object(reference(start, index)).value else {
                throw PropertyListError("a key of a dictionary that is not a string")
            }
            guard keys.insert(key).inserted else {
                throw PropertyListError("a dictionary has the same key twice")
            }
            let node = try object(reference(start, count + index))
            members.append(PropertyListNode.Member(key: key, node: node))
        }
        return members
    }

    private func reference(_ start: Int, _ index: Int) throws(PropertyListError) -> Int {
        let number = try self.number(at: start + index * referenceSize, size: referenceSize)
        guard number < objectCount else { throw Self.damaged }
        return number
    }

    // MARK: Scalars

    private func integer(at offset: Int, size: Int) throws(PropertyListError) -> Int64 {
        guard size <= 4 else { throw Self.damaged }
        var field = try slice(offset, 1 << size)
        // Of 16 bytes the first eight say no more than the sign.
        var isWide = false
        if size == 4 {
            let upper = field.prefix(8)
            field = field.dropFirst(8)
            let isNegative = (field.first ?? 0) & 0x80 != 0
            isWide = !upper.allSatisfy { $0 == (isNegative ? 0xFF : 0) }
        }
        guard !isWide else { throw PropertyListError("an integer beyond 64 bits") }
        let bits = field.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // Those of less than eight bytes have no sign.
        return Int64(bitPattern: bits)
    }

    private func real(at offset: Int, size: Int) throws(PropertyListError) -> Double {
        let field = try slice(offset, 1 << size)
        let bits = field.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let number =
            size == 2
            ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
        guard number.isFinite else { throw PropertyListError("a real number that is none") }
        return number
    }

    private func date(at offset: Int) throws(PropertyListError) -> Timestamp {
        let seconds = try real(at: offset, size: 3) + Self.epoch
        // From the year 1 to 9999, as they can be written.
        guard (-62_135_596_800..<253_402_300_800).contains(seconds) else {
            throw PropertyListError("a date beyond all years")
        }
        return Timestamp(microseconds: Int64((seconds * 1_000_000).rounded()))
    }

    private mutating func wideString(_ low: Int, at offset: Int) throws(PropertyListError)
        -> String
    {
        let (count, start) = try length(low, at: offset)
        guard count <= bytes.count else { throw Self.truncated }
        let text = Array(try content(start, count * 2))
        let units = (0..<count).map { UInt16(text[2 * $0]) << 8 | UInt16(text[2 * $0 + 1]) }
        guard !units.contains(0), let string = String(validating: units, as: UTF16.self) else {
            throw PropertyListError("a string that is not UTF-16")
        }
        return string
    }

    // MARK: Bytes

    /// How many elements there are and where they begin.
    private func length(_ low: Int, at offset: Int) throws(PropertyListError)
        -> (count: Int, start: Int)
    {
        guard low == 0xF else { return (low, offset + 1) }
        guard offset + 1 < tableStart, bytes[offset + 1] >> 4 == 1 else { throw Self.damaged }
        let size = Int(bytes[offset + 1] & 0x0F)
        guard size <= 3 else { throw Self.damaged }
        let count = try number(at: offset + 2, size: 1 << size)
        return (count, offset + 2 + (1 << size))
    }

    private mutating func content(_ start: Int, _ count: Int) throws(PropertyListError)
        -> ArraySlice<UInt8>
    {
        let content = try slice(start, count)
        contentBytes += count
        guard contentBytes <= 4 * PropertyList.largest else {
            throw PropertyListError("the same text or data many times over")
        }
        return content
    }

    private func number(at offset: Int, size: Int) throws(PropertyListError) -> Int {
        guard let number = Self.number(try slice(offset, size)) else { throw Self.damaged }
        return number
    }

    private func slice(_ start: Int, _ count: Int) throws(PropertyListError) -> ArraySlice<UInt8> {
        let end = bytes.count - Self.trailerLength
        guard start >= 0, count >= 0, start <= end, count <= end - start else {
            throw Self.truncated
        }
        return bytes[start..<start + count]
    }

    /// A number without a sign; `nil` where it is larger than any place in a file.
    private static func number(_ field: ArraySlice<UInt8>) -> Int? {
        let bits = field.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return bits <= UInt64(Int32.max) ? Int(bits) : nil
    }
}
