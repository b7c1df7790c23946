internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Each reading behind a status, with where it was taken.
enum StatusExplanation {
    /// The lines of `status --explain`.
    static func lines(
        _ layout: FileLayout,
        _ subject: TunnelReader.Subject,
        _ readings: StatusReadings,
        _ session: SessionReport?,
        _ kernel: KernelReadings.Reading,
        _ record: SessionRecord?
    ) -> [String] {
        [
            "preferences: \(preferences(readings)) (\(layout.preferences))",
            "lock: \(readings.lockIsHeld ? "held" : "free")"
                + " (\(layout.runtimeDirectory)/\(subject.identifier).lock)",
            "host: \(host(readings, session))"
                + " (\(layout.runtimeDirectory)/\(subject.identifier).sock)",
            "provider: \(provider(readings, session))",
            "kernel: \(self.kernel(readings, kernel.value)) (\(source(kernel)))",
            "record: \(self.record(record))",
        ]
    }

    private static func preferences(_ readings: StatusReadings) -> String {
        switch readings.preferences {
        case .absent: "not saved"
        case .disabled: "saved, disabled"
        case .enabled: "saved, enabled"
        case .unreadable: "cannot be read"
        }
    }

    private static func host(_ readings: StatusReadings, _ session: SessionReport?) -> String {
        switch readings.host {
        case .none: "no socket"
        case .silent: "took the question, gave no answer"
        case .unreachable: "a socket that leads nowhere"
        case .forbidden: "this user may not ask"
        case .answers(let status, _):
            "answers \(status.rawValue), process \(session?.hostPID ?? 0)"
        }
    }

    private static func provider(_ readings: StatusReadings, _ session: SessionReport?) -> String {
        guard case .answers(_, let provider) = readings.host else { return "not asked" }
        let process = session?.providerPID.map { ", process \($0)" } ?? ""
        return switch provider {
        case .notAsked: "not asked\(process)"
        case .answered: "answered its host\(process)"
        case .silent: "did not answer its host\(process)"
        }
    }

    private static func kernel(_ readings: StatusReadings, _ kernel: KernelReading?) -> String {
        guard let link = kernel?.link else {
            return readings.kernel == .unreadable
                ? "cannot be read" : "no interface carries the mark"
        }
        return "\(link.name) (\(link.index)) is \(link.isUp ? "up" : "down"),"
            + " \(link.hasCarrier ? "held by a process" : "held by nobody"),"
            + " \(kernel?.addresses.count ?? 0) addresses, \(kernel?.routes.count ?? 0) routes,"
            + " \(kernel?.rules.count ?? 0) rules"
    }

    private static func source(_ kernel: KernelReadings.Reading) -> String {
        kernel.foreignNamespace.map { "rtnetlink, by the session host in \($0)" } ?? "rtnetlink"
    }

    private static func record(_ record: SessionRecord?) -> String {
        guard let record else { return "none" }
        guard let end = record.end else {
            return "attempt \(record.attempt) began \(record.started.text), no end noted"
        }
        let time = end.time.map { " \($0.text)" } ?? ""
        return "attempt \(record.attempt) ended\(time): \(end.reason.code.rawValue)"
    }
}
