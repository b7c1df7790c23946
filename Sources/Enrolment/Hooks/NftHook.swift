/// A command of nft(8) in a hook.
struct NftHook {
    /// The hooks of the chains that it makes, by family, table and name.
    private var hooks: [[String]: String] = [:]

    /// What each of its statements is there for: one argument may hold several.
    static func meanings(of words: [String]) -> [HookMeaning] {
        let arguments = words.filter { !["-a", "-e", "-s", "-n"].contains($0) }
        guard arguments.first?.hasPrefix("-") != true,
            let statements = NftText.statements(of: arguments.joined(separator: " "))
        else { return [.dropped(.filter)] }
        var hook = NftHook()
        return statements.flatMap { hook.meanings(of: $0) }
    }

    private mutating func meanings(of words: [NftText.Word]) -> [HookMeaning] {
        let object = words.dropFirst().first?.keyword ?? ""
        switch words.first?.keyword {
        case "delete", "destroy", "flush", "reset":
            let isOfTunnel = words.contains { String($0.text.suffix(2)) == "%i" }
            return [isOfTunnel ? .undone : .takenBack(.filter)]
        case "list", "describe": return [.nothing]
        case "add", "insert", "create", "replace": break
        default: return [.dropped(.filter)]
        }
        switch object {
        case "table": return [words.contains { $0.keyword == "{" } ? .dropped(.filter) : .nothing]
        case "set": return [.nothing]
        case "chain": return [meaning(ofChain: words.dropFirst(2))]
        case "rule": return meanings(ofRule: words.dropFirst(2))
        default: return [.dropped(.filter)]
        }
    }

    /// A chain; what it lets through is a matter of its rules.
    private mutating func meaning(ofChain words: ArraySlice<NftText.Word>) -> HookMeaning {
        let (place, rest) = Self.place(words)
        let inside = rest.filter { $0.keyword != "{" && $0.keyword != "}" }
        for line in inside.split(whereSeparator: { $0.keyword == ";" }) {
            let keywords = line.compactMap(\.keyword)
            switch keywords.first {
            case "type":
                let hook = keywords.firstIndex(of: "hook").flatMap {
                    keywords.dropFirst($0 + 1).first
                }
                hooks[place] = hook
            case "policy" where keywords == ["policy", "accept"]: break
            case "policy": return .dropped(.barrier)
            case "comment": break
            default: return .dropped(.filter)
            }
        }
        return .nothing
    }

    private func meanings(ofRule words: ArraySlice<NftText.Word>) -> [HookMeaning] {
        let (place, rest) = Self.place(words)
        guard let family = place.first, ["ip", "ip6", "inet"].contains(family) else {
            return [.dropped(.filter)]
        }
        let rule = NftRule(rest)
        let hook = hooks[place] ?? Self.hook(ofChainNamed: place.last ?? "")
        switch rule.verdict {
        case "drop", "reject":
            return [.dropped(rule.match.isNotByLink && hook == "output" ? .killSwitch : .barrier)]
        case "masquerade", "snat":
            guard hook == nil || hook == "postrouting", !rule.areFlagsMatched else {
                return [.dropped(.filter)]
            }
            return rule.match.meanings(.masquerade, givesAddress: rule.verdict == "snat")
        case nil where rule.setsSize:
            guard hook == nil || hook == "postrouting" || hook == "forward" else {
                return [.dropped(.filter)]
            }
            return rule.match.meanings(.mssClamp)
        case "accept" where hook == "forward" && !rule.areFlagsMatched && !rule.setsSize:
            return rule.match.meanings(.forward)
        case "accept" where rule.match.opensPort: return [.dropped(.opening)]
        default: return [.dropped(.filter)]
        }
    }

    /// Family, table and chain of a rule or a chain, and what stands behind them.
    private static func place(_ words: ArraySlice<NftText.Word>)
        -> (place: [String], rest: ArraySlice<NftText.Word>)
    {
        let families: Set = ["ip", "ip6", "inet", "arp", "bridge", "netdev"]
        let family = words.first?.keyword.flatMap { families.contains($0) ? $0 : nil }
        let names = family == nil ? words : words.dropFirst()
        return ([family ?? "ip"] + names.prefix(2).map(\.text), names.dropFirst(2))
    }

    /// The hook that a chain of the host has by its usual name; `nil` where that does not tell.
    private static func hook(ofChainNamed name: String) -> String? {
        let known = ["forward", "input", "output", "prerouting", "postrouting"]
        let lower = name.lowercased()
        return known.first { lower == $0 || lower.hasSuffix("_\($0)") || lower.hasSuffix("-\($0)") }
    }
}
