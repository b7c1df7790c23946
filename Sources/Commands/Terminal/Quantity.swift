/// Numbers as people read them at a glance.
enum Quantity {
    /// Bytes with three digits: `1.23 MB`.
    static func bytes(_ count: UInt64) -> String {
        var unit = 0
        var scale: UInt64 = 1
        while unit < units.count - 1, count / scale >= 1000 {
            scale *= 1000
            unit += 1
        }
        let whole = count / scale
        guard unit > 0, whole < 100 else { return "\(whole) \(units[unit])" }
        // Cut, not rounded: 999,999 bytes are no megabyte.
        let hundredths = String(100 + count % scale / (scale / 100)).dropFirst()
        return "\(whole).\(hundredths.prefix(whole < 10 ? 2 : 1)) \(units[unit])"
    }

    /// A time that has gone by, in its two largest units: `3 h 12 min`.
    static func duration(seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400)
        if days > 0 { return "\(days) d \(hours % 24) h" }
        if hours > 0 { return "\(hours) h \(minutes % 60) min" }
        return minutes > 0 ? "\(minutes) min" : "\(seconds) s"
    }

    private static let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
}

extension String {
    /// The text with each moment in it to the second, as people read it.
    var withoutFractionsOfSeconds: String {
        let bytes = Array(utf8)
        let length = ".000000Z".utf8.count
        var kept: [UInt8] = []
        var place = 0
        while place < bytes.count {
            let end = place + length
            let isFraction =
                bytes[place] == UInt8(ascii: ".") && end <= bytes.count
                && bytes[end - 1] == UInt8(ascii: "Z")
                && bytes[place + 1..<end - 1].allSatisfy { (0x30...0x39).contains($0) }
            kept.append(isFraction ? UInt8(ascii: "Z") : bytes[place])
            place = isFraction ? end : place + 1
        }
        return String(decoding: kept, as: UTF8.self)
    }
}
