internal import TunnelModel

/// One `KEY = VALUE` with its place.
struct QuickValue {
    let line: Int
    let key: QuickKey
    let text: Substring

    /// The error of a value that is none for its key.
    func error(_ problem: String) -> QuickFileError {
        .value(line: line, key: key, problem: problem)
    }

    /// What is told about it.
    func remark(_ outcome: EnrolmentItem.Outcome, _ text: String) -> EnrolmentItem {
        EnrolmentItem(line: line, key: key.rawValue, outcome: outcome, text: text)
    }

    /// A key in base64; `nil` where it is nothing but zeros.
    func encodedKey() throws(QuickFileError) -> String? {
        let text = text.withoutBlanks
        if let problem = WireGuardKey.problem(of: text) { throw error(problem) }
        return WireGuardKey.decode(text.utf8)?.allSatisfy { $0 == 0 } == true ? nil : text
    }

    /// A decimal number.
    func number(in range: ClosedRange<UInt32>) throws(QuickFileError) -> UInt32 {
        let digits = text.utf8
        guard (1...10).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt32(text), range.contains(number)
        else { throw error("not a number from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    /// A mark of packets: a number, in hexadecimal digits behind `0x`; 0 where it is off.
    func mark() throws(QuickFileError) -> UInt32 {
        let word = text.lowercased()
        if word == "off" { return 0 }
        let isHexadecimal = word.hasPrefix("0x")
        let digits = isHexadecimal ? word.dropFirst(2) : word[...]
        // No sign before it, which the conversion would take.
        guard digits.utf8.first.map({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) == true,
            let mark = UInt32(digits, radix: isHexadecimal ? 16 : 10)
        else { throw error("not off or a number of 32 bits") }
        return mark
    }

    /// The prefixes of a list, and how many of its items were empty.
    func prefixes(separatedByBlanks: Bool) throws(QuickFileError)
        -> (prefixes: [QuickFile.Located<IPPrefix>], empty: Int)
    {
        var prefixes: [QuickFile.Located<IPPrefix>] = []
        var empty = 0
        let items = text.pieces { $0 == UInt8(ascii: ",") }
        for (index, item) in items.enumerated() {
            let words =
                separatedByBlanks
                ? item.pieces(between: Substring.isBlank).filter { !$0.isEmpty }.map(String.init)
                : [item.withoutBlanks].filter { !$0.isEmpty }
            if words.isEmpty { empty += 1 }
            for word in words {
                guard let prefix = IPPrefix(word) else {
                    let place = items.count == 1 ? "" : "item \(index + 1) is "
                    throw error("\(place)not an address or ADDRESS/LENGTH")
                }
                prefixes.append(QuickFile.Located(line: line, value: prefix))
            }
        }
        return (prefixes, empty)
    }
}
