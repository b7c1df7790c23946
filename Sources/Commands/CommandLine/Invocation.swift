/// A command line that was understood: the verb, its operands and the options given.
///
/// Options are asked for by their long names. A name that neither the verb nor the global options
/// declare stops a debug build.
package struct Invocation: Equatable, Sendable {
    /// One option as it was given.
    struct Occurrence: Equatable, Sendable {
        let name: String
        let value: String?
    }

    /// The verb, or nil where only global options were given.
    package let verb: String?
    /// The operands in their order.
    package let operands: [String]
    let occurrences: [Occurrence]
    let declared: [Option]

    /// Says whether an option was given, with or without a value.
    package func has(_ name: String) -> Bool {
        !occurrences(of: name).isEmpty
    }

    /// Returns the value of an option, or nil if it was not given; of several, the last.
    package func value(_ name: String) -> String? {
        occurrences(of: name).last?.value
    }

    /// Returns all values of a repeating option in their order.
    package func values(_ name: String) -> [String] {
        occurrences(of: name).compactMap(\.value)
    }

    /// Returns the value of an option as a time span, or nil if it was not given.
    ///
    /// Accepted are `3`, `2.5` (seconds), `250ms`, `3s`, `5m` and `1h`, up to 366 days; decimals
    /// beyond the sixth are ignored.
    package func duration(_ name: String) throws(UsageError) -> Duration? {
        guard let text = value(name) else { return nil }
        guard let nanoseconds = nanoseconds(from: text) else {
            throw UsageError(
                "--\(name): \(text.shownInMessage) is not a time span",
                hint: "write it like 3, 2.5, 250ms, 3s, 5m or 1h; a plain number means seconds"
            )
        }
        guard nanoseconds <= longestNanoseconds else {
            throw UsageError("--\(name): \(text.shownInMessage) is more than 366 days")
        }
        return .nanoseconds(nanoseconds)
    }

    /// Returns the value of an option as an unsigned integer, or nil if it was not given.
    package func unsigned(
        _ name: String,
        in range: ClosedRange<UInt64> = 0...UInt64.max
    ) throws(UsageError) -> UInt64? {
        guard let text = value(name) else { return nil }
        guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else {
            throw UsageError("--\(name): \(text.shownInMessage) is not an unsigned integer")
        }
        guard let number = UInt64(text), range.contains(number) else {
            throw UsageError(
                "--\(name): \(text.shownInMessage) is out of range",
                hint: "it lies between \(range.lowerBound) and \(range.upperBound)"
            )
        }
        return number
    }

    private func occurrences(of name: String) -> [Occurrence] {
        // Asking for an option that the verb does not declare is a slip of ours, never the user's.
        assert(declared.contains { $0.name == name }, "option \(name) is not declared")
        return occurrences.filter { $0.name == name }
    }
}

private let longestNanoseconds: UInt64 = 366 * 86_400 * 1_000_000_000

private let nanosecondsOfUnit: [(unit: String, nanoseconds: UInt64)] = [
    ("", 1_000_000_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
]

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

/// Reads `digits[.digits][unit]`, and returns a value over the limit for what has no room.
private func nanoseconds(from text: String) -> UInt64? {
    let bytes = text.utf8
    let whole = bytes.prefix(while: isDigit)
    var rest = bytes[whole.endIndex...]
    var decimals = rest.prefix(0)
    if rest.first == UInt8(ascii: ".") {
        decimals = rest.dropFirst().prefix(while: isDigit)
        guard !decimals.isEmpty else { return nil }
        rest = bytes[decimals.endIndex...]
    }
    let found = nanosecondsOfUnit.first { rest.elementsEqual($0.unit.utf8) }
    guard !whole.isEmpty, let unit = found?.nanoseconds else { return nil }

    var total: UInt64 = 0
    for digit in whole {
        total = total * 10 + UInt64(digit - UInt8(ascii: "0")) * unit
        // Checked at each digit: the limit times ten still has room.
        guard total <= longestNanoseconds else { return total }
    }
    var place = unit
    var fraction: UInt64 = 0
    for digit in decimals.prefix(6) {
        place /= 10
        fraction += UInt64(digit - UInt8(ascii: "0")) * place
    }
    return total + fraction
}
