/// OpenMetrics text as a strict reader takes it (version 1.0 of the specification).
package struct MetricsText {
    /// One line that is a number.
    package struct Sample: Equatable, Sendable {
        package let name: String
        package let labels: [String: String]
        package let value: Double
    }

    /// The samples in their order.
    package private(set) var samples: [Sample] = []
    /// The type of each family.
    package private(set) var types: [String: String] = [:]
    /// The unit of each family that has one.
    package private(set) var units: [String: String] = [:]
    private var helps: Set<String> = []
    private var family = ""
    private var finished: Set<String> = []
    private var lineNumber = 0

    /// Reads the text, or throws what is wrong with it.
    package init(_ text: String) throws {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.popLast() == "", lines.popLast() == "# EOF" else {
            throw Unexpected("the end is not `# EOF` and a line feed")
        }
        for line in lines {
            lineNumber += 1
            if line.hasPrefix("#") { try readMetadata(line) } else { try readSample(line) }
        }
        for (family, type) in types where type == "counter" && family.hasSuffix("_total") {
            throw Unexpected("the family \(family) of counters ends in _total")
        }
    }

    /// The value of the only sample with a name and with these labels among its own.
    package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        let found = samples.filter { sample in
            sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
        }
        return found.count == 1 ? found[0].value : nil
    }

    private func problem(_ text: String) -> Unexpected { Unexpected("line \(lineNumber): \(text)") }

    private mutating func readMetadata(_ line: String) throws {
        let words = line.split(
            separator: " ", maxSplits: 3, omittingEmptySubsequences: false
        ).map(String.init)
        guard words.count == 4, words[0] == "#" else { throw problem("no metadata: \(line)") }
        let name = words[2]
        guard isName(name, colons: true) else { throw problem("no name: \(name)") }
        if name != family {
            guard finished.insert(name).inserted else { throw problem("\(name) is not in one") }
            family = name
        } else if samples.contains(where: { familyOf($0.name) == name }) {
            throw problem("metadata of \(name) behind its samples")
        }
        switch words[1] {
        case "TYPE":
            guard types[name] == nil, ["gauge", "counter"].contains(words[3]) else {
                throw problem("type \(words[3])")
            }
            types[name] = words[3]
        case "UNIT":
            guard units[name] == nil, name.hasSuffix("_\(words[3])") else {
                throw problem("unit \(words[3])")
            }
            units[name] = words[3]
        case "HELP":
            guard helps.insert(name).inserted else { throw problem("help again") }
            _ = try unescape(words[3])
        default: throw problem("unknown \(words[1])")
        }
    }

    private mutating func readSample(_ line: String) throws {
        var rest = Array(line)[...]
        let name = String(rest.prefix { $0 != "{" && $0 != " " })
        rest = rest.dropFirst(name.count)
        guard isName(name, colons: true) else { throw problem("no name: \(line)") }
        guard let owner = familyOf(name), owner == family else {
            throw problem("\(name) is not of \(family)")
        }
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                if !labels.isEmpty {
                    guard rest.popFirst() == "," else { throw problem("no comma: \(line)") }
                }
                let label = String(rest.prefix { $0 != "=" })
                rest = rest.dropFirst(label.count + 1)
                guard isName(label, colons: false), rest.popFirst() == "\"" else {
                    throw problem("no label: \(line)")
                }
                var value = ""
                while let character = rest.popFirst(), character != "\"" {
                    value.append(character)
                    if character == "\\", let next = rest.popFirst() { value.append(next) }
                }
                guard labels.updateValue(try unescape(value), forKey: label) == nil else {
                    throw problem("label \(label) twice")
                }
            }
            rest = rest.dropFirst()
        }
        guard rest.popFirst() == " ", let value = Double(String(rest)), !rest.contains(" ") else {
            throw problem("no value: \(line)")
        }
        guard types[owner] != "counter" || value >= 0 else { throw problem("negative: \(line)") }
        guard !samples.contains(where: { $0.name == name && $0.labels == labels }) else {
            throw problem("twice: \(line)")
        }
        samples.append(Sample(name: name, labels: labels, value: value))
    }

    private func familyOf(_ sample: String) -> String? {
        if let type = types[sample] { return type == "counter" ? nil : sample }
        guard sample.hasSuffix("_total") else { return nil }
        let family = String(sample.dropLast("_total".count))
        return types[family] == "counter" ? family : nil
    }

    private func isName(_ text: String, colons: Bool) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
                || colons && byte == UInt8(ascii: ":")
        }
    }

    private func unescape(_ text: String) throws -> String {
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\" else {
                if character == "\"" { throw problem("a bare quote: \(text)") }
                result.append(character)
                continue
            }
            switch rest.popFirst() {
            case "n": result.append("\n")
            case "\\": result.append("\\")
            case "\"": result.append("\"")
            default: throw problem("unknown escape: \(text)")
            }
        }
        return result
    }
}
