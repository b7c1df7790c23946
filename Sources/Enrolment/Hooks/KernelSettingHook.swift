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
        // With every part, so that no path leads out of what it begins with.
        let parts = name.split(omittingEmptySubsequences: false) {
            $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "/")
        }.map { String(decoding: $0, as: UTF8.self) }
        guard !parts.contains(""), parts.count >= 3, parts[0] == "net",
            ["ipv4", "ipv6"].contains(parts[1])
        else { return .dropped(.setting) }
        let isOfLink = parts.count >= 5 && parts[2] == "conf"
        switch (parts[1], parts[parts.count - 1]) {
        case ("ipv4", "ip_forward") where parts.count == 3,
            (_, "forwarding") where isOfLink, ("ipv6", "force_forwarding") where isOfLink:
            switch value {
            case "1": return .covered(.forward)
            case "0": return .takenBack(.setting)
            default: return .dropped(.setting)
            }
        // The strict filter, 1, drops what comes through a tunnel.
        case ("ipv4", "src_valid_mark") where isOfLink && value == "1",
            ("ipv4", "rp_filter") where isOfLink && (value == "0" || value == "2"):
            return .covered(.tunnel)
        default: return .dropped(.setting)
        }
    }
}
