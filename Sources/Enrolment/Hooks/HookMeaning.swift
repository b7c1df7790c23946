/// What a command of a hook is there for.
enum HookMeaning: Equatable {
    /// It leaves nothing behind that would be missed.
    case nothing
    /// A key of the configuration does the same.
    case covered(HookCover)
    /// It takes back what is of the tunnel alone, which ends with it and was not there before.
    case undone
    /// It takes back something that may be another's, which is a loss where it comes first.
    case takenBack(HookLoss)
    /// Nothing here does it.
    case dropped(HookLoss)
}

/// What does here what a command of a hook does there.
enum HookCover: CaseIterable {
    case forward, masquerade, mssClamp
    /// What a tunnel sets by itself, where it needs it.
    case tunnel

    /// Its name in a report.
    var text: String {
        switch self {
        case .forward: "routing.forward"
        case .masquerade: "routing.masquerade"
        case .mssClamp: "routing.mssClamp"
        case .tunnel: "the tunnel itself"
        }
    }

    /// What it does not do, or does beyond what the usual command does.
    var bound: String? {
        switch self {
        // Whoever lets a packet through cannot keep another from dropping it.
        case .forward: "but for what a firewall here drops"
        case .masquerade: "and masquerades of any source and link, into the tunnel too"
        case .mssClamp, .tunnel: nil
        }
    }
}

/// Why a command of a hook is dropped, the one that matters most first.
enum HookLoss: CaseIterable {
    case killSwitch, key, resolver, routes, barrier, opening, sourceAddress, destination, packets
    case filter, setting, other

    /// What to do about it.
    var text: String {
        switch self {
        case .killSwitch: "routing.includeAllNetworks covers this kill switch, and is yours to set"
        case .key: "a key stands in PrivateKey or PresharedKey, and no command gives one"
        case .resolver: "DNS, or dns.servers and dns.matchDomains, cover a resolver"
        case .routes:
            "routing.includedRoutes, excludedRoutes and enforceRoutes cover routes and rules"
        case .barrier: "what it forbids is to be forbidden by a firewall of this host's own"
        case .opening: "a firewall of this host is left alone: let through there what it may drop"
        case .sourceAddress:
            "the source address is lost: packets have that of the link that they leave by"
        case .destination: "its destinations are lost: the key does it for whichever"
        case .packets: "no key does it for the packets alone that it tells apart"
        case .filter: "rules of a firewall belong into its own files"
        case .setting: "settings of the kernel are left alone"
        case .other: "commands of a file are never run"
        }
    }
}

extension HookMeaning {
    /// What each command of a hook is there for.
    static func meanings(of line: Substring, depth: Int = 0) -> [HookMeaning] {
        guard let shell = ShellLine(line) else { return [.dropped(.other)] }
        return shell.commands.flatMap { meanings(of: $0, depth: depth) }
    }

    private static func meanings(of command: ShellLine.Command, depth: Int) -> [HookMeaning] {
        let words = Array(command.words.drop(while: isPrefix))
        guard let first = words.first else {
            return [command.isSubstituted ? .dropped(.other) : .nothing]
        }
        let name = first.utf8.split(separator: UInt8(ascii: "/")).last ?? first[...].utf8
        let program = String(Substring(name))
        if ["sh", "bash", "dash"].contains(program), words.count == 3, words[1] == "-c", depth < 3 {
            return meanings(of: words[2][...], depth: depth + 1)
        }
        if let output = command.output, output != "/dev/null" {
            return [KernelSettingHook.meaning(ofWriting: words, to: output)]
        }
        let meanings = meanings(of: program, Array(words.dropFirst()))
        // What is run for its output may do more than that.
        return command.isSubstituted && meanings == [.nothing] ? [.dropped(.other)] : meanings
    }

    private static func meanings(of program: String, _ words: [String]) -> [HookMeaning] {
        switch program {
        case "true", ":", "sleep", "[", "test", "fi", "done": return [.nothing]
        case "echo", "printf": return [.nothing]
        case "iptables", "ip6tables", "iptables-nft", "ip6tables-nft", "iptables-legacy",
            "ip6tables-legacy":
            return IptablesHook(words).meanings
        case "nft": return NftHook.meanings(of: words)
        case "sysctl": return KernelSettingHook.meanings(ofSysctl: words)
        case "ufw": return ufw(words)
        case "firewall-cmd", "iptables-restore", "ip6tables-restore", "ipset":
            return [.dropped(.filter)]
        case "resolvectl", "systemd-resolve", "resolvconf":
            let isTakenBack = ["revert", "-d", "--revert"].contains(words.first ?? "")
            guard isTakenBack else { return [.dropped(.resolver)] }
            return [words.contains("%i") ? .undone : .takenBack(.resolver)]
        case "ip":
            let objects: Set = ["rule", "ru", "route", "r", "ro"]
            guard words.contains(where: objects.contains) else { return [.dropped(.other)] }
            let isTakenBack = words.contains { ["del", "delete", "flush"].contains($0) }
            return [isTakenBack ? .takenBack(.routes) : .dropped(.routes)]
        case "wg":
            let keys: Set = ["private-key", "preshared-key", "setconf", "addconf", "syncconf"]
            return [.dropped(words.contains(where: keys.contains) ? .key : .other)]
        default: return [.dropped(.other)]
        }
    }

    /// What may stand before a command, and changes nothing of what it is there for.
    private static func isPrefix(_ word: String) -> Bool {
        if ["if", "then", "else", "elif", "do", "while", "until", "!", "sudo", "nohup"]
            .contains(word)
        {
            return true
        }
        guard let equals = word.utf8.firstIndex(of: UInt8(ascii: "=")) else { return false }
        let name = word.utf8[..<equals]
        return !name.isEmpty
            && name.allSatisfy {
                (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
                    || (0x30...0x39).contains($0)
            }
    }

    /// What ufw lets through is forwarded by this host, and still dropped by ufw.
    private static func ufw(_ words: [String]) -> [HookMeaning] {
        let isTakenBack = words.contains("delete")
        guard words.first == "route" else {
            return [isTakenBack ? .takenBack(.opening) : .dropped(.opening)]
        }
        guard !isTakenBack else { return [.takenBack(.opening)] }
        return words.contains("allow")
            ? [.covered(.forward), .dropped(.opening)] : [.dropped(.barrier)]
    }
}
