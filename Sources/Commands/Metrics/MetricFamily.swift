internal import JSON
internal import TunnelModel

/// Metrics of one name, as OpenMetrics has them.
struct MetricFamily: Equatable {
    /// The kinds that the Prometheus text format knows as well: a reader of that one refuses a
    /// whole file for a word that it does not know, such as `stateset`.
    enum Kind: String {
        case gauge, counter
    }

    /// A number, exact to the last digit.
    enum Value: Equatable {
        case count(UInt64)
        case flag(Bool)
        /// Seconds since 1970.
        case time(Timestamp)
    }

    /// One number and what it belongs to.
    struct Sample: Equatable {
        let labels: [(name: String, value: String)]
        let value: Value

        static func == (left: Sample, right: Sample) -> Bool {
            left.value == right.value
                && left.labels.elementsEqual(right.labels) { $0.name == $1.name && $0.1 == $1.1 }
        }
    }

    /// The name, which ends in the unit where there is one, and never in `_total`.
    let name: String
    let kind: Kind
    /// `bytes` or `seconds`; `nil` for what has none.
    let unit: String?
    let help: String
    var samples: [Sample] = []

    /// The name of the samples.
    var sampleName: String { kind == .counter ? "\(name)_total" : name }
}

extension MetricFamily {
    /// The media type of `text(of:)`, for whoever serves it.
    static let mediaType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// Families as OpenMetrics text; those without samples are left out.
    static func text(of families: [MetricFamily]) -> String {
        var text = ""
        for family in families where !family.samples.isEmpty { text += family.text }
        return text + "# EOF\n"
    }

    private var text: String {
        var lines = "# TYPE \(name) \(kind.rawValue)\n"
        if let unit { lines += "# UNIT \(name) \(unit)\n" }
        lines += "# HELP \(name) \(help.escapedForMetrics)\n"
        for sample in samples {
            lines += sampleName
            if !sample.labels.isEmpty {
                let labels = sample.labels.map { "\($0.name)=\"\($0.value.escapedForMetrics)\"" }
                lines += "{\(labels.joined(separator: ","))}"
            }
            lines += " \(sample.value.text)\n"
        }
        return lines
    }
}

extension MetricFamily.Value {
    /// The number as OpenMetrics has it.
    var text: String {
        switch self {
        case .count(let number): String(number)
        case .flag(let isSet): isSet ? "1" : "0"
        case .time(let time): time.secondsText
        }
    }
}

extension Timestamp {
    /// Seconds since 1970, with the microseconds behind the point.
    fileprivate var secondsText: String {
        let (seconds, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let fraction = String(rest)
        let zeros = String(repeating: "0", count: 6 - fraction.count)
        return "\(microseconds < 0 ? "-" : "")\(seconds).\(zeros)\(fraction)"
    }
}

extension String {
    /// The text as it stands in a help line or between the quotes of a label.
    fileprivate var escapedForMetrics: String {
        var escaped = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

extension MetricFamily: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", sampleName)
            writer.member("type", kind.rawValue)
            writer.member("unit", unit)
            writer.member("help", help)
            writer.member("samples", samples)
        }
    }
}

extension MetricFamily.Sample: JSONEncodable {
    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.objectMember("labels") { writer in
                for label in labels { writer.member(label.name, label.value) }
            }
            switch value {
            case .count(let number): writer.member("value", number)
            case .flag(let isSet): writer.member("value", isSet ? 1 : 0)
            case .time(let time):
                writer.member("value", JSONValue.real(Double(time.microseconds) / 1_000_000))
            }
        }
    }
}
