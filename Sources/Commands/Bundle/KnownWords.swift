/// The words that pass the anonymiser as they are.
///
/// What passes is listed, not what does not: of a word that nobody thought of nothing is told.
enum KnownWords {
    private static let all = Set(list.split(separator: " ").map { String($0) })

    /// What words of our own are joined with in names of files and keys.
    private static let endings: Set<String> = [
        "json", "conf", "service", "target", "socket", "timer", "log", "lock", "sock", "key", "pem",
        "so", "hold", "d", "slice", "scope", "mobileconfig", "toml",
    ]
    private static let beginnings: Set<String> = [
        "net", "routing", "dns", "interface", "onDemand", "provider", "providerConfiguration",
        "credentials", "resolv", "report", "kernel",
    ]

    /// Whether a word is known, be its first letter a capital one or not, or all of them.
    static func holds(_ word: String) -> Bool {
        if all.contains(word) { return true }
        let lower = word.lowercased()
        guard lower != word, all.contains(lower) else { return false }
        let isCapitalised = word.dropFirst().allSatisfy(\.isLowercase)
        return isCapitalised || word.allSatisfy { !$0.isLowercase }
    }

    /// Whether what stands between dots is parts of one name of ours, such as that of a file.
    static func joinsByDots(_ labels: [String]) -> Bool {
        if labels.starts(with: ["org", "utunctl"]) { return true }
        return labels.last.map(endings.contains) ?? false
            || labels.first.map(beginnings.contains) ?? false
    }

    /// Whether it is the name of an interface that says nothing but its kind and number.
    static func isUsualInterface(_ name: String) -> Bool {
        let stem = name.prefix { $0.isASCII && $0.isLetter }
        let rest = name.dropFirst(stem.count)
        if usualStems.contains(String(stem)), rest.count <= 4 {
            return rest.allSatisfy { $0.isASCII && $0.isNumber }
        }
        // By the place of the card: enp3s0, wlp2s0f1. One by its address is no such name.
        return cardStems.contains(String(stem)) && name.count <= 12 && !rest.isEmpty
            && rest.allSatisfy { $0.isASCII && $0.isNumber || "sfd".contains($0) }
    }

    private static let cardStems: Set<String> = ["eno", "ens", "enp", "wlp", "wlo", "wwp"]
    private static let usualStems: Set<String> = [
        "lo", "eth", "wlan", "wwan", "utun", "tun", "tap", "wg", "docker", "virbr", "br", "bond",
        "dummy", "ifb", "sit", "tunl", "gre", "ppp",
    ]
}
