package import JSON

/// A moment of the wall clock, written as RFC 3339 in UTC with microseconds.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970-01-01T00:00:00Z.
    package let microseconds: Int64

    /// The moment that lies `microseconds` after the start of 1970.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Reads the form that `text` writes: `2026-11-30T01:02:03.000000Z`.
    ///
    /// The fraction may be absent or have one to six digits; the zone must be `Z`.
    package init?(_ text: String) {
        var fields = Fields(text)
        guard let year = fields.number(4), fields.skip("-"),
            let month = fields.number(2), (1...12).contains(month), fields.skip("-"),
            let day = fields.number(2), (1...31).contains(day), fields.skip("T"),
            let hour = fields.number(2), hour < 24, fields.skip(":"),
            let minute = fields.number(2), minute < 60, fields.skip(":"),
            let second = fields.number(2), second < 61
        else { return nil }
        guard let fraction = fields.fraction(), fields.skip("Z"), fields.isAtEnd else { return nil }
        let days = Self.days(year: year, month: month, day: day)
        guard Self.date(days: days) == (year, month, day) else { return nil }
        let seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
        microseconds = seconds * 1_000_000 + fraction
    }

    /// The moment as RFC 3339.
    package var text: String {
        let seconds = microseconds.floorDivided(by: 1_000_000)
        // Wrapping: near the lowest moment the product alone does not fit.
        let fraction = microseconds &- seconds &* 1_000_000
        let days = seconds.floorDivided(by: 86_400)
        let inDay = seconds - days * 86_400
        let date = Self.date(days: days)
        let hour = (inDay / 3600).padded(to: 2)
        let minute = (inDay / 60 % 60).padded(to: 2)
        let second = (inDay % 60).padded(to: 2)
        return "\(date.year.padded(to: 4))-\(date.month.padded(to: 2))-\(date.day.padded(to: 2))"
            + "T\(hour):\(minute):\(second).\(fraction.padded(to: 6))Z"
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    // The proleptic Gregorian calendar counted from March, so that the leap day
    // is the last of its year.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month > 2 ? year : year - 1
        let era = shifted.floorDivided(by: 400)
        let inEra = shifted - era * 400
        let inYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + inEra * 365 + inEra / 4 - inEra / 100 + inYear - 719_468
    }

    private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let inEra = shifted - era * 146_097
        let year = (inEra - inEra / 1460 + inEra / 36_524 - inEra / 146_096) / 365
        let inYear = inEra - (365 * year + year / 4 - year / 100)
        let month = (5 * inYear + 2) / 153
        let day = inYear - (153 * month + 2) / 5 + 1
        return (
            year + era * 400 + (month >= 10 ? 1 : 0), month < 10 ? month + 3 : month - 9, day
        )
    }
}

extension Timestamp: JSONEncodable {
    package func write(to writer: inout JSONWriter) {
        text.write(to: &writer)
    }
}

private struct Fields {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number(_ digits: Int) -> Int64? {
        let part = rest.prefix(digits)
        guard part.count == digits, part.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        rest = rest.dropFirst(digits)
        return part.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, UInt32(first) == character.value else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func fraction() -> Int64? {
        guard skip(".") else { return 0 }
        let digits = rest.prefix { (0x30...0x39).contains($0) }.count
        guard (1...6).contains(digits), let value = number(digits) else { return nil }
        return (digits..<6).reduce(value) { value, _ in value * 10 }
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    fileprivate func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
    }
}
