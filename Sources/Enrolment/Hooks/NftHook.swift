/// A command of nft(8) in a hook.
enum NftHook {
    /// What each of its statements is there for: one argument may hold several.
    static func meanings(of words: [String]) -> [HookMeaning] {
        let arguments = words.filter { !["-a", "-e", "-s", "-n"].contains($0) }
        if arguments.contains("-f") || arguments.contains("--file") { return [.dropped(.filter)] }
        let text = arguments.joined(separator: " ")
        var meanings: [HookMeaning] = []
        var statement: [String] = []
        var depth = 0
        for piece in pieces(of: text) {
            switch piece {
            case ";" where depth == 0:
                meanings.append(meaning(of: statement))
                statement = []
            case "{", "}":
                depth += piece == "{" ? 1 : -1
                statement.append(piece)
            default: statement.append(piece)
            }
        }
        if !statement.isEmpty { meanings.append(meaning(of: statement)) }
        return meanings
    }

    /// The words of a text, braces and semicolons on their own.
    private static func pieces(of text: String) -> [String] {
        var pieces: [String] = []
        var word: [UInt8] = []
        func end() {
            if !word.isEmpty { pieces.append(String(decoding: word, as: UTF8.self)) }
            word = []
        }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\""): end()
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: ";"):
                end()
                pieces.append(String(decoding: [byte], as: UTF8.self))
            default: word.append(byte)
            }
        }
        end()
        return pieces
    }

    private static func meaning(of words: [String]) -> HookMeaning {
        guard let verb = words.first else { return .nothing }
        let object = words.dropFirst().first ?? ""
        switch verb {
        case "delete", "destroy", "flush", "reset": return .undone
        case "list", "describe": return .nothing
        case "add", "insert", "create", "replace": break
        default: return .dropped(.filter)
        }
        switch object {
        case "table", "set": return .nothing
        case "chain": return drops(words) ? .dropped(.barrier) : .nothing
        case "rule": return meaning(ofRule: words)
        default: return .dropped(.filter)
        }
    }

    private static func meaning(ofRule words: [String]) -> HookMeaning {
        if words.contains("masquerade") || words.contains("snat") { return .covered(.masquerade) }
        if words.contains("maxseg") { return .covered(.mssClamp) }
        let side = words.firstIndex { $0 == "oifname" || $0 == "oif" }
        if drops(words) {
            let isNotByLink = side.map { words.dropFirst($0 + 1).first == "!=" } ?? false
            return .dropped(isNotByLink ? .killSwitch : .barrier)
        }
        guard words.contains("accept") else { return .dropped(.filter) }
        if words.contains("dport") { return .dropped(.opening) }
        let isOfLink = words.contains { ["iifname", "oifname", "iif", "oif"].contains($0) }
        return isOfLink ? .covered(.forward) : .dropped(.filter)
    }

    private static func drops(_ words: [String]) -> Bool {
        words.contains("drop") || words.contains("reject")
    }
}
