/// A command of iptables(8) in a hook.
struct IptablesHook {
    private enum Operation {
        case add, delete, check, other
    }

    private var operation = Operation.other
    private var table = "filter"
    private var chain = ""
    private var target = ""
    private var match = HookMatch()
    private var isOfTunnel = false
    private var words: ArraySlice<String>

    init(_ words: [String]) {
        isOfTunnel = words.contains("%i")
        self.words = IptablesHook.parted(words)[...]
        var isNegated = false
        while let word = self.words.popFirst() {
            guard word != "!" else {
                isNegated = true
                continue
            }
            take(word, isNegated)
            isNegated = false
        }
    }

    private mutating func take(_ option: String, _ isNegated: Bool) {
        switch option {
        case "-A", "--append": take(.add)
        case "-I", "--insert": take(.add)
        case "-D", "--delete": take(.delete)
        case "-C", "--check": take(.check)
        case "-t", "--table": table = argument
        case "-j", "--jump", "-g", "--goto": target = argument
        case "-o", "--out-interface": if takeNegatable(isNegated) { match.isNotByLink = true }
        case "-i", "--in-interface": takeNegatable(isNegated)
        case "-s", "--source", "--src": takeNegatable(isNegated)
        case "-d", "--destination", "--dst":
            // All but some is what a tunnel without its own network is.
            if !takeNegatable(isNegated) { match.isByDestination = true }
        case "-p", "--protocol", "--proto":
            let name = argument
            if isNegated || name != "all" && target != "TCPMSS" && !isClamp {
                match.isByMore = true
            }
        case "-m", "--match":
            let known: Set = ["comment", "conntrack", "state", "tcp", "udp", "tcpmss"]
            if !known.contains(argument) { match.isByMore = true }
        case "--dport", "--dports", "--destination-port":
            takeNegatable(isNegated)
            match.opensPort = true
            match.isByMore = true
        case "--tcp-flags":
            takeNegatable(isNegated)
            _ = argument
            if !isClamp { match.isByMore = true }
        case "--syn", "--clamp-mss-to-pmtu": if !isClamp { match.isByMore = true }
        case "--set-mss", "--mss", "--comment", "--ctstate", "--state", "--to", "--to-source":
            takeNegatable(isNegated)
        case "--random", "--random-fully", "--persistent", "-v", "--verbose", "-4", "-6", "-n":
            break
        case "-w", "--wait", "-W", "--wait-interval":
            if let next = words.first, Int(next) != nil { words.removeFirst() }
        default: match.isByMore = true
        }
    }

    /// Whether the rule is one of sizes, which is of TCP alone.
    private var isClamp: Bool { target == "TCPMSS" || words.contains("TCPMSS") }

    private var argument: String { mutating get { words.popFirst() ?? "" } }

    /// Takes an argument; the exclamation mark may stand on either side of the option.
    @discardableResult
    private mutating func takeNegatable(_ isNegated: Bool) -> Bool {
        let first = argument
        guard first == "!" else { return isNegated }
        _ = argument
        return true
    }

    private mutating func take(_ operation: Operation) {
        self.operation = operation
        chain = argument
        // A place in the chain, or the number of a rule.
        if let next = words.first, Int(next) != nil { words.removeFirst() }
    }

    /// The words, options and what is joined to them apart: `--jump=ACCEPT`, `-jACCEPT`.
    private static func parted(_ words: [String]) -> [String] {
        words.flatMap { word -> [String] in
            if word.hasPrefix("--") {
                guard let equals = word.firstIndex(of: "=") else { return [word] }
                return [String(word[..<equals]), String(word[word.index(after: equals)...])]
            }
            guard word.utf8.count > 2, word.hasPrefix("-"),
                let letter = word.dropFirst().first, "AIDCtjgoisdpm".contains(letter)
            else { return [word] }
            return ["-\(letter)", String(word.dropFirst(2))]
        }
    }

    /// What it is there for.
    var meanings: [HookMeaning] {
        switch operation {
        case .check: return [.nothing]
        case .other: return [.dropped(loss)]
        case .add:
            return cover.map { match.meanings($0, givesAddress: target == "SNAT") }
                ?? [.dropped(loss)]
        case .delete:
            guard cover != nil || isOfTunnel else { return [.takenBack(loss)] }
            return [isOfTunnel ? .undone : .takenBack(loss)]
        }
    }

    private var cover: HookCover? {
        switch (table, chain, target) {
        case ("nat", "POSTROUTING", "MASQUERADE"), ("nat", "POSTROUTING", "SNAT"): .masquerade
        case ("mangle", "FORWARD", "TCPMSS"), ("filter", "FORWARD", "TCPMSS"),
            ("mangle", "POSTROUTING", "TCPMSS"):
            .mssClamp
        case ("filter", "FORWARD", "ACCEPT"): .forward
        default: nil
        }
    }

    private var loss: HookLoss {
        switch (chain, target) {
        case ("OUTPUT", "DROP") where match.isNotByLink,
            ("OUTPUT", "REJECT") where match.isNotByLink:
            .killSwitch
        case ("INPUT", "ACCEPT"): match.opensPort ? .opening : .filter
        case (_, "DROP"), (_, "REJECT"): .barrier
        default: .filter
        }
    }
}
