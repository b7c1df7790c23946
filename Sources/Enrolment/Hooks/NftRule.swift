/// A rule of nft(8): of which packets it speaks, and what it does with them.
struct NftRule {
    private(set) var match = HookMatch()
    private(set) var verdict: String?
    /// Whether a size is set.
    private(set) var setsSize = false
    private var words: ArraySlice<NftText.Word>

    private static let verdicts: Set = [
        "accept", "drop", "reject", "masquerade", "snat", "dnat", "redirect", "jump", "goto",
        "return", "continue", "queue", "notrack", "tproxy", "dup", "fwd", "flow",
    ]

    /// Reads what stands behind the name of the chain.
    init(_ words: ArraySlice<NftText.Word>) {
        self.words = words
        while let word = self.words.popFirst() { take(word.keyword ?? "") }
    }

    private mutating func take(_ keyword: String) {
        switch keyword {
        case "handle", "position", "index", "packets", "bytes", "prefix", "comment", "level":
            _ = words.popFirst()
        case "counter", "log", "meta": break
        case "iifname", "iif": takeValue()
        case "oifname", "oif": if !takeValue() { match.isNotByLink = true }
        case "ip", "ip6": takeAddress()
        case "ct" where words.first?.keyword == "state": words.removeFirst(); takeValue()
        case "fib":
            while let word = words.first, word.keyword != "type" {
                words.removeFirst()
                if word.keyword == "daddr" { match.isByMore = true }
            }
            words = words.dropFirst()
            takeValue()
        case "tcp" where words.first?.keyword == "flags":
            takeFlags()
        case "tcp" where words.first?.keyword == "option": takeOption()
        case "tcp", "udp", "th":
            if words.first?.keyword == "dport" { match.opensPort = true }
            match.isByMore = true
        case "to" where verdict == "snat": takeValue()
        case "random", "fully-random", "persistent", "ip6to", "with", "type":
            if verdict == nil { match.isByMore = true }
        case _ where Self.verdicts.contains(keyword):
            // What forbids counts more than what is said behind it.
            if verdict != "drop", verdict != "reject" { verdict = keyword }
        default:
            if verdict != "reject" { match.isByMore = true }
        }
    }

    private mutating func takeAddress() {
        let side = words.popFirst()?.keyword
        let isEqual = takeValue()
        switch side {
        case "saddr": break
        case "daddr": if isEqual { match.isByDestination = true }
        default: match.isByMore = true
        }
    }

    /// `tcp flags syn` and `tcp flags & (syn | rst) == syn`
    private mutating func takeFlags() {
        words.removeFirst()
        var isLast = false
        while let word = words.first?.keyword {
            let isOperator = ["&", "|", "==", "!=", "/", ","].contains(word)
            guard isOperator || !isLast || word.hasPrefix("(") || word.hasSuffix(")") else { break }
            isLast = !isOperator && !word.hasPrefix("(")
            words.removeFirst()
        }
        areFlagsMatched = true
    }

    /// Which flags matters to what is done with anything but sizes.
    private(set) var areFlagsMatched = false

    private mutating func takeOption() {
        let text = words.prefix(4).compactMap(\.keyword)
        guard text == ["option", "maxseg", "size", "set"] else {
            match.isByMore = true
            return
        }
        setsSize = true
        words = words.dropFirst(4)
        takeValue()
        if words.first?.keyword == "mtu" { words.removeFirst() }
    }

    /// Takes an operator and a value or a set of them.
    ///
    /// - Returns: whether it is to be equal to it.
    @discardableResult
    private mutating func takeValue() -> Bool {
        var isEqual = true
        if let word = words.first?.keyword, ["!=", "==", "eq", "ne"].contains(word) {
            isEqual = word == "==" || word == "eq"
            words.removeFirst()
        }
        guard words.popFirst()?.keyword == "{" else {
            // A list without braces, as of states.
            while words.first?.keyword == "," { words = words.dropFirst(2) }
            return isEqual
        }
        while let word = words.popFirst(), word.keyword != "}" {}
        return isEqual
    }
}
