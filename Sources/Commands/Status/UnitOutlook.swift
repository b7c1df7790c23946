internal import Preferences
internal import TunnelModel

/// What systemd is about to do with tunnels that have failed.
enum UnitOutlook {
    /// A status does not wait for a manager that hangs.
    private static let milliseconds: Int64 = 500

    /// Adds it to the reports of those tunnels; asks nobody where there are none.
    static func add(to reports: inout [TunnelReport], _ layout: FileLayout) {
        func mayComeBack(_ report: TunnelReport) -> Bool {
            guard report.session == nil, let last = report.lastDisconnect else { return false }
            return !last.reason.code.wasAskedFor
        }
        guard reports.contains(where: mayComeBack), let manager = ServiceManager.find(layout),
            let names = try? manager.startingAgain(milliseconds: milliseconds)
        else { return }
        for index in reports.indices where mayComeBack(reports[index]) {
            guard let name = reports[index].name, names.contains(name) else { continue }
            reports[index].outlook = "systemd starts it again in some seconds"
        }
    }
}
