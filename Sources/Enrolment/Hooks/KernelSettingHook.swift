/// Settings of the kernel that a hook changes, by sysctl(8) or by a file of /proc/sys.
enum KernelSettingHook {
    /// What the settings of a command of sysctl(8) are there for.
    static func meanings(ofSysctl words: [String]) -> [HookMeaning] {
        var meanings: [HookMeaning] = []
        for word in words {
            let sides = word.utf8.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else {
                if word.utf8.first != UInt8(ascii: "-") { meanings.append(.dropped(.setting)) }
                continue
            }
            let value = String(decoding: sides[1], as: UTF8.self)
            meanings.append(meaning(of: sides[0], value: value))
        }
        return meanings.isEmpty ? [.dropped(.setting)] : meanings
    }

    /// What a command is there for whose output goes into a file.
    static func meaning(ofWriting words: [String], to path: String) -> HookMeaning {
        let place = "/proc/sys/"
        guard path.hasPrefix(place), words.count == 2, words[0] == "echo" else {
            return .dropped(.other)
        }
        return meaning(of: path.dropFirst(place.count).utf8, value: words[1])
    }

    private static func meaning(of name: Substring.UTF8View, value: String) -> HookMeaning {
        let parts = name.split { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/") }
            .map { String(decoding: $0, as: UTF8.self) }
        guard parts.count >= 3, parts[0] == "net", parts[1].hasPrefix("ipv"),
            let setting = parts.last
        else { return .dropped(.setting) }
        switch setting {
        case "ip_forward", "forwarding", "force_forwarding":
            return value == "0" ? .undone : .covered(.forward)
        case "src_valid_mark", "rp_filter": return .covered(.tunnel)
        default: return .dropped(.setting)
        }
    }
}
