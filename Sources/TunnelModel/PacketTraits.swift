internal import JSON

/// Whether something is so, as far as it can be known.
package enum Truth: Equatable, Sendable {
    case yes, maybe, no

    static func && (left: Truth, right: Truth) -> Truth {
        if left == .no || right == .no { return .no }
        return left == .yes && right == .yes ? .yes : .maybe
    }

    static func || (left: Truth, right: Truth) -> Truth {
        if left == .yes || right == .yes { return .yes }
        return left == .no && right == .no ? .no : .maybe
    }

    static prefix func ! (truth: Truth) -> Truth {
        switch truth {
        case .yes: .no
        case .maybe: .maybe
        case .no: .yes
        }
    }
}

/// What is known of a packet before it is there, in the words in which nft(8) asks for it.
package struct PacketTraits: Equatable, Sendable {
    /// What is known of one of its properties.
    package enum Trait: Hashable, Sendable {
        case text(String)
        /// The name of an interface that the kernel gives a number.
        case beginning(String)
        case number(UInt32)
        case anythingBut(String)
    }

    private var traits: [String: Trait]

    /// A packet of which so much is known; of everything else nothing is.
    package init(_ traits: [String: Trait]) {
        self.traits = traits
    }

    /// The packet with one more thing known of it.
    package func with(_ key: String, _ trait: Trait) -> PacketTraits {
        var packet = self
        packet.traits[key] = trait
        return packet
    }

    /// Whether a `match` of a rule holds for the packet.
    func matches(_ match: JSONObject) -> Truth {
        guard let left = match["left"], let right = match["right"] else { return .maybe }
        switch match["op"]?.string {
        case "==", "in": return isOne(of: right, left)
        case "!=": return !isOne(of: right, left)
        default: return .maybe
        }
    }

    /// Whether what a rule asks for on its left is one of the values on its right.
    func isOne(of right: JSONValue, _ left: JSONValue) -> Truth {
        if Self.findsReturningPath(left, right) { return .no }
        var mask: UInt32?
        var property = left
        if let operands = left.object?["&"]?.array, operands.count == 2,
            case .integer(let bits) = operands[1]
        {
            mask = UInt32(truncatingIfNeeded: bits)
            property = operands[0]
        }
        guard let key = Self.key(property), let trait = traits[key] else { return .maybe }
        return Self.values(right).reduce(Truth.no) { $0 || Self.truth(trait, mask, $1) }
    }

    /// Reverse-path filters that look at the mark: the tunnel's packets pass them, as answers of
    /// servers carry it.
    private static func findsReturningPath(_ left: JSONValue, _ right: JSONValue) -> Bool {
        guard let fib = left.object?["fib"]?.object, fib["result"]?.string == "oif",
            right == .bool(false)
        else { return false }
        return fib["flags"]?.array?.contains(.string("mark")) ?? false
    }

    private static func key(_ property: JSONValue) -> String? {
        guard let object = property.object else { return nil }
        for kind in ["meta", "ct"] {
            guard let key = object[kind]?.object?["key"]?.string else { continue }
            // An index is shown as the name that it has.
            let name = ["iif": "iifname", "oif": "oifname"][key] ?? key
            return "\(kind) \(name)"
        }
        if let fib = object["fib"]?.object, fib["result"]?.string == "type",
            fib["flags"]?.array == [.string("daddr")]
        {
            return "fib daddr type"
        }
        guard let payload = object["payload"]?.object, let name = payload["protocol"]?.string,
            let field = payload["field"]?.string
        else { return nil }
        return "\(name) \(field)"
    }

    private static func values(_ right: JSONValue) -> [JSONValue] {
        guard let set = right.object?["set"]?.array else { return [right] }
        return set.map { $0.object?["elem"]?.object?["val"] ?? $0 }
    }

    private static func truth(_ trait: Trait, _ mask: UInt32?, _ value: JSONValue) -> Truth {
        switch (trait, value) {
        case (.number(let number), .integer(let other)):
            return Int64(number & (mask ?? .max)) == other ? .yes : .no
        case (.number(let number), .object(let object)):
            guard case .integer(let low)? = object["range"]?.array?.first,
                case .integer(let high)? = object["range"]?.array?.last, mask == nil
            else { return .maybe }
            return low <= high && (low...high).contains(Int64(number)) ? .yes : .no
        case (.text(let text), .string(let pattern)) where !pattern.hasPrefix("@"):
            guard let beginning = Self.beginning(pattern) else {
                return text == pattern ? .yes : .no
            }
            return text.hasPrefix(beginning) ? .yes : .no
        case (.beginning(let start), .string(let pattern)) where !pattern.hasPrefix("@"):
            guard let beginning = Self.beginning(pattern) else {
                return pattern.hasPrefix(start) ? .maybe : .no
            }
            if start.hasPrefix(beginning) { return .yes }
            return beginning.hasPrefix(start) ? .maybe : .no
        case (.anythingBut(let text), .string(let pattern)):
            return text == pattern ? .no : .maybe
        default: return .maybe
        }
    }

    /// What names begin with that a pattern of nft(8) stands for; `nil` where it is a name.
    private static func beginning(_ pattern: String) -> Substring? {
        pattern.hasSuffix("*") ? pattern.dropLast() : nil
    }
}
