/// What resolvectl(1) is told for the link of a tunnel, and what it is to answer then.
package struct ResolvedLink: Equatable, Sendable {
    /// One question, and its right answer.
    package struct Expectation: Equatable, Sendable {
        package let verb: String
        /// What is compared without regard to its order: servers keep theirs.
        package let values: [String]
        package let isOrdered: Bool

        /// How an answer differs; `nil` where it does not.
        package func difference(from text: String) -> String? {
            let answers = ResolvedLink.answers(in: text).values
            let found = (answers.first?.values ?? []).map { Self.normalized($0, verb) }
            let wanted = values.map { Self.normalized($0, verb) }
            let isEqual = isOrdered ? found == wanted : Set(found) == Set(wanted)
            if isEqual { return nil }
            return "\(verb) \(found.isEmpty ? "none" : found.joined(separator: " ")),"
                + " not \(wanted.isEmpty ? "none" : wanted.joined(separator: " "))"
        }

        // An address has many spellings, and a domain a dot at its end or none.
        private static func normalized(_ value: String, _ verb: String) -> String {
            if verb == "dns" { return IPAddress(value)?.description ?? value }
            let lower = value.lowercased()
            return lower.count > 2 && lower.hasSuffix(".") ? String(lower.dropLast()) : lower
        }
    }

    private let settings: DNSSettings

    package init(_ settings: DNSSettings) {
        self.settings = settings
    }

    // A domain with a tilde says which names the servers are asked for, and is not tried
    // behind short names; "~." are all of them.
    private var domains: [String] {
        let matched =
            settings.matchesEverything
            ? ["~."]
            : settings.matchDomains.filter { !settings.searchDomains.contains($0) }.map { "~\($0)" }
        return settings.searchDomains + matched
    }

    private var isDefault: String { settings.matchesEverything ? "yes" : "no" }

    /// The commands that put the settings into force, in their order.
    package func commands(_ link: UInt32, resettingTLS: Bool = false) -> [[String]] {
        let link = "\(link)"
        var commands = [
            ["dns", link] + settings.servers.map(\.description),
            ["domain", link] + domains,
            ["default-route", link, isDefault],
        ]
        // Elsewhere the rule of the host's own goes on to apply.
        if settings.tls || resettingTLS {
            commands.append(["dnsovertls", link, settings.tls ? "yes" : "no"])
        }
        return commands
    }

    /// What is to be answered afterwards.
    package var expectations: [Expectation] {
        var expectations = [
            Expectation(
                verb: "dns", values: settings.servers.map(\.description), isOrdered: true),
            Expectation(verb: "domain", values: domains, isOrdered: false),
            Expectation(verb: "default-route", values: [isDefault], isOrdered: true),
        ]
        if settings.tls {
            expectations.append(
                Expectation(verb: "dnsovertls", values: ["yes"], isOrdered: true))
        }
        return expectations
    }

    /// What is said of one link.
    package struct Answer: Equatable, Sendable {
        package let name: String
        package fileprivate(set) var values: [String]

        package init(name: String, values: [String]) {
            self.name = name
            self.values = values
        }
    }

    /// The answers to a question about one link or all, by the index of each.
    ///
    /// They read `Link 7 (utun0): 10.9.0.1 10.9.0.2`.
    package static func answers(in text: String) -> [UInt32: Answer] {
        var answers: [UInt32: Answer] = [:]
        var current: UInt32?
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            if line.first?.isWhitespace == true, let current {
                // What a line has no room for stands on the next.
                answers[current]?.values += words
                continue
            }
            current = nil
            guard words.count > 2, words[0] == "Link", let index = UInt32(words[1]),
                words[2].hasPrefix("("), words[2].hasSuffix("):")
            else { continue }
            current = index
            // The name of an interface may hold a bracket, but no blank.
            answers[index] = Answer(
                name: String(words[2].dropFirst().dropLast(2)), values: Array(words[3...]))
        }
        return answers
    }

    /// The answer that is of no link, but of the whole host: `Global: 192.0.2.53`.
    package static func globalValues(in text: String) -> [String] {
        var values: [String] = []
        var isGlobal = false
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            let isHead = line.first?.isWhitespace != true
            if isHead { isGlobal = words.first == "Global:" }
            if isGlobal { values += isHead ? Array(words.dropFirst()) : words }
        }
        return values
    }

    /// The address of a server as it is answered: `192.0.2.53`, `[fe80::1]:53%eth0#name`.
    package static func server(_ text: String) -> IPAddress? {
        let bare = text.prefix { $0 != "#" && $0 != "%" }
        if let address = IPAddress(String(bare)) { return address }
        if bare.first == "[" { return IPAddress(String(bare.dropFirst().prefix { $0 != "]" })) }
        return IPAddress(String(bare.prefix { $0 != ":" }))
    }
}
