internal import JSON
internal import SessionHost
internal import TunnelModel

/// The lines of a watch: one JSON object each, or words.
struct WatchLines {
    private let output: Output
    private var sequence: UInt64 = 0

    init(_ output: Output) {
        self.output = output
    }

    /// The tunnels as they are when the watch begins.
    mutating func snapshot(_ reports: [TunnelReport]) throws(Failure) {
        try line("snapshot", .now, text: StatusText.table(reports)) { writer in
            writer.member("tunnels", reports)
        }
    }

    /// A tunnel whose status or anything else about it has changed.
    mutating func tunnel(_ report: TunnelReport, at time: Timestamp) throws(Failure) {
        var notes = report.warnings.map(\.code.rawValue)
        if let last = report.lastDisconnect, report.session == nil {
            notes.append(last.reason.summary)
            if let remedy = report.lastRemedy { notes.append(remedy) }
        }
        let words = ([StatusText.headline(report)] + notes).map(\.shownOnTerminal)
            .joined(separator: " | ")
        try line("tunnel", time, text: "\(time.text) \(words)") { writer in
            report.writeMembers(to: &writer)
        }
    }

    /// A tunnel that is no longer saved and no longer runs.
    mutating func removed(_ report: TunnelReport) throws(Failure) {
        try identity("removed", report, "removed")
    }

    /// A configuration that was saved.
    mutating func configuration(_ report: TunnelReport) throws(Failure) {
        try identity("configuration", report, "saved, generation \(report.savedGeneration ?? 0)")
    }

    private mutating func identity(_ type: String, _ report: TunnelReport, _ words: String)
        throws(Failure)
    {
        let time = Timestamp.now
        let name = report.name ?? report.identifier
        try line(type, time, text: "\(time.text) \(name): \(words)") { writer in
            writer.member("name", report.name)
            writer.member("identifier", report.identifier)
            writer.member("savedGeneration", report.savedGeneration)
        }
    }

    private mutating func line(
        _ type: String,
        _ time: Timestamp,
        text: String,
        _ members: (inout JSONWriter) -> Void
    ) throws(Failure) {
        sequence += 1
        guard output.isJSON else { return try output.answer(text: text) }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("type", type)
            writer.member("sequence", sequence)
            writer.member("time", time)
            members(&writer)
        }
        try output.print(writer.bytes + [UInt8(ascii: "\n")])
    }
}

extension TunnelReport {
    /// What is shown of the report, without what changes all the time by itself.
    var comparable: [UInt8] {
        var report = self
        report.kernel?.link?.counters = InterfaceCounters()
        report.underlying = nil
        report.readings = nil
        report.session?.providerReport = nil
        report.session?.kernel = nil
        return JSONWriter.line(report)
    }
}
