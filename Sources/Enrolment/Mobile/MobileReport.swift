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
            let name = ShownText.isName(member.key) ? member.key : "(key \(index + 1))"
            let prefix = dictionary.place.path.isEmpty ? "" : "\(dictionary.place.path)."
            tell(
                .dropped, at: MobilePlace(path: prefix + name, line: member.node.line),
                "not known here")
        }
    }
}
