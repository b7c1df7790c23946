/// A command of iptables(8) in a hook.
struct IptablesHook {
    private enum Operation {
        case add, delete, check, other
    }

    private var operation = Operation.other
    private var chain = ""
    private var target = ""
    private var isNotByLink = false
    private var opensPort = false

    init(_ words: [String]) {
        for (index, word) in words.enumerated() {
            let next = words.dropFirst(index + 1).first ?? ""
            switch word {
            case "-A", "--append", "-I", "--insert": take(.add, next)
            case "-D", "--delete": take(.delete, next)
            case "-C", "--check": take(.check, next)
            case "-j", "--jump", "-g", "--goto": target = next
            case "-o", "--out-interface":
                // The exclamation mark may stand on either side.
                if index > 0, words[index - 1] == "!" { isNotByLink = true }
                if next == "!" { isNotByLink = true }
            case "--dport", "--dports", "--destination-port": opensPort = true
            default: break
            }
        }
    }

    private mutating func take(_ operation: Operation, _ chain: String) {
        self.operation = operation
        self.chain = chain
    }

    /// What it is there for.
    var meaning: HookMeaning {
        if operation == .check { return .nothing }
        guard operation != .other, let cover else {
            return operation == .delete ? .takenBack(loss) : .dropped(loss)
        }
        return operation == .delete ? .undone : .covered(cover)
    }

    private var cover: HookCover? {
        switch (chain, target) {
        case ("POSTROUTING", "MASQUERADE"), ("POSTROUTING", "SNAT"): .masquerade
        case (_, "TCPMSS"): .mssClamp
        case ("FORWARD", "ACCEPT"): .forward
        default: nil
        }
    }

    private var loss: HookLoss {
        switch (chain, target) {
        case ("OUTPUT", "DROP") where isNotByLink, ("OUTPUT", "REJECT") where isNotByLink:
            .killSwitch
        case ("INPUT", "ACCEPT"): opensPort ? .opening : .filter
        case (_, "DROP"), (_, "REJECT"): .barrier
        default: .filter
        }
    }
}
