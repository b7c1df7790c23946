internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Each reading behind a status, with where it was taken.
enum StatusExplanation {
    /// When each of the readings was begun, in nanoseconds of CLOCK_MONOTONIC.
    struct Moments {
        var preferences: Int64
        var hosts: Int64
        var kernel: Int64
        var firewall: Int64
        var files: Int64
    }

    /// The readings of `status --explain`.
    static func readings(
        _ layout: FileLayout,
        _ subject: TunnelReader.Subject,
        _ readings: StatusReadings,
        _ session: SessionReport?,
        _ kernel: KernelReadings.Reading,
        _ firewall: FirewallReading,
        _ record: SessionRecord?,
        _ moments: Moments
    ) -> [StatusReading] {
        let now = Clock.monotonicNanoseconds
        func reading(_ name: String, _ finding: String, _ source: String?, since moment: Int64)
            -> StatusReading
        {
            StatusReading(
                name, finding, source: source,
                ageMicroseconds: UInt64(max(0, now - moment) / 1000))
        }
        let files = "\(layout.runtimeDirectory)/\(subject.identifier)"
        // What is elsewhere the host has read when it was asked.
        let isForeign = kernel.foreignNamespace != nil
        let tellsHost = session != nil && (isForeign || firewall.mode?.blocks != true)
        let asked: Bool
        if case .answers = readings.host { asked = true } else { asked = false }
        return [
            reading(
                "preferences", preferences(readings), layout.preferences,
                since: moments.preferences),
            reading(
                "lock", readings.lockIsHeld ? "held" : "free", "\(files).lock",
                since: moments.files),
            reading("host", host(readings, session), "\(files).sock", since: moments.hosts),
            asked
                ? reading(
                    "provider", provider(readings, session), "the session host",
                    since: moments.hosts)
                : StatusReading("provider", "not asked", source: nil, ageMicroseconds: nil),
            reading(
                "kernel", self.kernel(readings, kernel.value), source(kernel),
                since: isForeign ? moments.hosts : moments.kernel),
            reading(
                "firewall", self.firewall(firewall), tellsHost ? "the session host" : "nftables",
                since: tellsHost ? moments.hosts : moments.firewall),
            reading("record", self.record(record), "\(files).session.json", since: moments.files),
        ]
    }

    private static func firewall(_ reading: FirewallReading) -> String {
        guard let mode = reading.mode else { return "cannot be read" }
        guard mode != .none else { return "none" }
        let state =
            switch reading.isPresent {
            case true?: "in force"
            case false?: "missing, or not as it was written"
            case nil: "not known to be in force"
            }
        return "\(mode.rawValue), \(state)"
            + (reading.pausedUntil.map { ", lifted until \($0.text)" } ?? "")
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
