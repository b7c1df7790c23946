internal import TunnelModel

/// Valid names of the texts that a configuration profile has instead.
struct MobileNames {
    private var taken: Set<String>

    /// Names beside those that are given away already.
    init(taken: Set<String> = []) {
        self.taken = taken
    }

    /// A valid name that is like a text; `nil` where nothing of it can stand in one.
    static func name(like text: String) -> String? {
        var name: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: name.append(byte)
            case UInt8(ascii: "."), UInt8(ascii: "_"):
                if !name.isEmpty { name.append(byte) }
            default:
                // One dash for all that cannot stand in a name, and none at an end.
                while let last = name.last, isSeparator(last) { name.removeLast() }
                if !name.isEmpty { name.append(UInt8(ascii: "-")) }
            }
        }
        while let last = name.last, isSeparator(last) || name.count > longest {
            name.removeLast()
        }
        let found = String(decoding: name, as: UTF8.self)
        let isValid = Naming.problem(ofConfiguration: found) == nil && !Identifier.isValid(found)
        return isValid ? found : nil
    }

    /// The first of several texts of which a name can be made, made unlike all others.
    mutating func take(_ texts: [String?], else fallback: String, behind prefix: String = "")
        -> String
    {
        let found = texts.lazy.compactMap { $0.flatMap(Self.name(like:)) }.first ?? fallback
        let stem = String((prefix + found).utf8.prefix(Self.longest)) ?? fallback
        var name = stem
        var number = 2
        while !taken.insert(name).inserted {
            name = "\(stem)-\(number)"
            number += 1
        }
        return name
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { "-._".utf8.contains(byte) }

    /// With room for a number that makes it another one.
    private static let longest = 58
}
