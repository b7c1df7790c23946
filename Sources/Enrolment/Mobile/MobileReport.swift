internal import PropertyLists
internal import TunnelModel

/// What becomes of the keys of a configuration profile.
struct MobileReport {
    private(set) var items: [EnrolmentItem] = []

    /// Tells of a key, if the dictionary has it.
    mutating func tell(
        _ outcome: EnrolmentItem.Outcome,
        _ key: String,
        of dictionary: MobileDictionary,
        _ text: String
    ) {
        guard dictionary.contains(key) else { return }
        tell(outcome, at: dictionary.place(of: key), text)
    }

    mutating func tell(_ outcome: EnrolmentItem.Outcome, at place: MobilePlace, _ text: String) {
        items.append(
            EnrolmentItem(line: place.line, key: place.path, outcome: outcome, text: text))
    }

    /// Tells of several keys, of those that there are.
    mutating func tell(
        _ outcome: EnrolmentItem.Outcome,
        each keys: [String],
        of dictionary: inout MobileDictionary,
        _ text: String
    ) {
        for key in keys where dictionary.node(key) != nil {
            tell(outcome, key, of: dictionary, text)
        }
    }

    /// Tells of all keys that nobody asked for; nothing is lost in silence.
    mutating func dropUnknown(of dictionary: MobileDictionary) {
        for (index, member) in dictionary.unknown.enumerated() {
            let name = Self.isName(member.key) ? member.key : "(key \(index + 1))"
            let prefix = dictionary.place.path.isEmpty ? "" : "\(dictionary.place.path)."
            tell(
                .dropped, at: MobilePlace(path: prefix + name, line: member.node.line),
                "not known here")
        }
    }

    /// Whether a key can be shown: a secret could stand in its place by mistake.
    private static func isName(_ key: String) -> Bool {
        let isPlain = key.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isPlain && (1..<40).contains(key.utf8.count)
    }
}
