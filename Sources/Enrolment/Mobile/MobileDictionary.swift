internal import PropertyLists
internal import TunnelModel

/// Reads the members of one dictionary and notices those that nobody asked for.
struct MobileDictionary {
    let place: MobilePlace
    private let members: [PropertyListNode.Member]
    private var known: Set<String> = []

    /// Takes a node that has to be a dictionary.
    init(_ node: PropertyListNode, at place: MobilePlace) throws(MobileProfileError) {
        guard case .dictionary(let members) = node.value else {
            throw .value(place, problem: "not a dictionary, but \(node.kind)")
        }
        self.place = place
        self.members = members
    }

    /// Where a key stands, or would.
    func place(of key: String) -> MobilePlace {
        let path = place.path.isEmpty ? key : "\(place.path).\(key)"
        return MobilePlace(path: path, line: member(key)?.line ?? place.line)
    }

    func contains(_ key: String) -> Bool { member(key) != nil }

    /// The value of a key, which is known from now on.
    mutating func node(_ key: String) -> PropertyListNode? {
        known.insert(key)
        return member(key)
    }

    /// The members that nobody asked for.
    var unknown: [PropertyListNode.Member] { members.filter { !known.contains($0.key) } }

    /// All members.
    mutating func takeAll() -> [PropertyListNode.Member] {
        known.formUnion(members.map(\.key))
        return members
    }

    // MARK: Values by their types

    mutating func string(_ key: String) throws(MobileProfileError) -> String? {
        guard let node = node(key) else { return nil }
        guard case .string(let text) = node.value else { throw mismatch(key, node, "a string") }
        return text
    }

    /// A string that has to be there and to hold something.
    mutating func requiredString(_ key: String) throws(MobileProfileError) -> String {
        guard let text = try string(key) else { throw .missing(place(of: key)) }
        if text.isEmpty { throw .value(place(of: key), problem: "empty") }
        return text
    }

    mutating func integer(_ key: String) throws(MobileProfileError) -> Int64? {
        guard let node = node(key) else { return nil }
        guard case .integer(let number) = node.value else {
            throw mismatch(key, node, "an integer")
        }
        return number
    }

    /// A boolean, which many write as the integer 0 or 1, and Apple's own reference for some keys.
    mutating func flag(_ key: String) throws(MobileProfileError) -> Bool? {
        guard let node = node(key) else { return nil }
        switch node.value {
        case .bool(let isTrue): return isTrue
        case .integer(0): return false
        case .integer(1): return true
        default: throw mismatch(key, node, "true or false")
        }
    }

    mutating func date(_ key: String) throws(MobileProfileError) -> Timestamp? {
        guard let node = node(key) else { return nil }
        guard case .date(let date) = node.value else { throw mismatch(key, node, "a date") }
        return date
    }

    mutating func data(_ key: String) throws(MobileProfileError) -> [UInt8]? {
        guard let node = node(key) else { return nil }
        guard case .data(let bytes) = node.value else { throw mismatch(key, node, "data") }
        return bytes
    }

    mutating func strings(_ key: String) throws(MobileProfileError) -> [String] {
        var strings: [String] = []
        for (place, node) in try elements(key) {
            guard case .string(let text) = node.value else {
                throw .value(place, problem: "not a string, but \(node.kind)")
            }
            strings.append(text)
        }
        return strings
    }

    mutating func dictionary(_ key: String) throws(MobileProfileError) -> MobileDictionary? {
        guard let node = node(key) else { return nil }
        return try MobileDictionary(node, at: place(of: key))
    }

    mutating func dictionaries(_ key: String) throws(MobileProfileError) -> [MobileDictionary] {
        var dictionaries: [MobileDictionary] = []
        for (place, node) in try elements(key) {
            dictionaries.append(try MobileDictionary(node, at: place))
        }
        return dictionaries
    }

    private mutating func elements(_ key: String) throws(MobileProfileError)
        -> [(place: MobilePlace, node: PropertyListNode)]
    {
        guard let node = node(key) else { return [] }
        guard case .array(let elements) = node.value else { throw mismatch(key, node, "an array") }
        let path = place(of: key).path
        return elements.enumerated().map { index, element in
            (MobilePlace(path: "\(path)[\(index)]", line: element.line), element)
        }
    }

    private func member(_ key: String) -> PropertyListNode? {
        members.first { $0.key == key }?.node
    }

    private func mismatch(_ key: String, _ node: PropertyListNode, _ wanted: String)
        -> MobileProfileError
    {
        .value(place(of: key), problem: "not \(wanted), but \(node.kind)")
    }
}
