internal import TunnelModel

/// The status of tunnels as a terminal shows it: as much as there is room for.
struct StatusTable {
    let style: TerminalStyle
    let width: Int
    /// For a live view, which shows how fast bytes go.
    var rates: [String: TransferRates.Rate]?

    /// The lines, the headings first.
    func lines(_ reports: [TunnelReport], now: Timestamp) -> [String] {
        var columns = [
            TerminalTable.Column(title: "NAME", rank: 0, leastWidth: 8),
            TerminalTable.Column(title: "STATUS", rank: 1, leastWidth: 9),
            TerminalTable.Column(title: "INTERFACE", rank: 6),
            TerminalTable.Column(title: "UP", rank: 3),
        ]
        if rates != nil {
            columns += [
                TerminalTable.Column(title: "IN/S", rank: 2, isNumber: true),
                TerminalTable.Column(title: "OUT/S", rank: 2, isNumber: true),
            ]
        }
        columns += [
            TerminalTable.Column(title: "RECEIVED", rank: 7, isNumber: true),
            TerminalTable.Column(title: "SENT", rank: 7, isNumber: true),
            TerminalTable.Column(title: "NOTES", rank: 4, leastWidth: 12),
        ]
        let table = TerminalTable(columns: columns, rows: reports.map { row($0, now) })
        return table.lines(width: width, style)
    }

    private func row(_ report: TunnelReport, _ now: Timestamp) -> [TerminalTable.Cell] {
        let up = report.session?.connectedSince.map { since in
            Quantity.duration(seconds: (now.microseconds - since.microseconds) / 1_000_000)
        }
        var row = [
            TerminalTable.Cell(report.name ?? report.identifier),
            TerminalTable.Cell(StatusText.word(report), Self.color(of: report)),
            TerminalTable.Cell(report.kernel?.link?.name ?? ""),
            TerminalTable.Cell(up ?? ""),
        ]
        if let rates {
            let rate = rates[report.identifier]
            row.append(TerminalTable.Cell(rate.map { Quantity.bytes($0.received) } ?? ""))
            row.append(TerminalTable.Cell(rate.map { Quantity.bytes($0.sent) } ?? ""))
        }
        let counters = report.session == nil ? nil : report.kernel?.link?.counters
        row.append(TerminalTable.Cell(counters.map { Quantity.bytes($0.receivedBytes) } ?? ""))
        row.append(TerminalTable.Cell(counters.map { Quantity.bytes($0.sentBytes) } ?? ""))
        row.append(
            TerminalTable.Cell(
                StatusText.notes(report).joined(separator: ", "),
                report.isDegraded ? .yellow : nil))
        return row
    }

    /// The colour of a status: green is good, yellow is not yet, red wants somebody.
    static func color(of report: TunnelReport) -> TerminalStyle.Color? {
        if report.firewall.blocksWithoutTunnel { return .red }
        switch report.status {
        case .connected: return report.isDegraded ? .yellow : .green
        case .connecting, .reasserting, .disconnecting: return .yellow
        // As it should be, and costs nothing until somebody uses it.
        case .waiting: return nil
        case .unknown: return .red
        case .disconnected, .invalid:
            return report.lastDisconnect?.reason.code.wasAskedFor == false ? .red : nil
        }
    }
}
