internal import JSON
internal import LinuxSystem
internal import OnDemand
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// The files of the service in the runtime directory, beside those of sessions.
///
/// A reboot takes all of them along, as it does the sessions.
struct OnDemandFiles {
    private static let resumeSuffix = ".resume"
    private static let mostBytes = 16 << 20

    let layout: FileLayout

    init(_ layout: FileLayout) {
        self.layout = layout
    }

    private var lockPath: String { "\(layout.runtimeDirectory)/ondemand.lock" }
    private var recordPath: String { "\(layout.runtimeDirectory)/ondemand.json" }

    // MARK: The service

    /// Whether the service runs; one that cannot be looked at may.
    var isServiceRunning: Bool { (try? FileLock.isHeld(lockPath)) ?? true }

    /// Takes the lock of the service, which it keeps for its life; `nil` while another runs.
    func takeLock() throws(SystemError) -> FileLock? {
        try FileLock.take(lockPath, mode: 0o640, group: Account.group(named: "utunctl"))
    }

    // MARK: What it knows

    /// What the service wrote last; `nil` where there is nothing or it cannot be read.
    func record() -> OnDemandRecord? {
        guard let bytes = try? TrustedFile.read(recordPath, limit: Self.mostBytes) else {
            return nil
        }
        return try? JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
            try OnDemandRecord(node)
        }
    }

    /// Replaces what is written down.
    func write(_ record: OnDemandRecord) throws(SystemError) {
        try AtomicFile.replace(
            recordPath, with: JSONWriter.line(record, layout: .indented), mode: 0o640,
            group: Account.group(named: "utunctl"), isDurable: false)
    }

    // MARK: What a person asks of it

    /// Asks for another try of what has failed; the service takes notice, now or when it starts.
    func requestTry(_ identifier: String) throws(SystemError) {
        try AtomicFile.replace(path(ofRequest: identifier), with: [], mode: 0o600, isDurable: false)
    }

    /// The identifiers of tunnels that are to be tried again: each is told once.
    func takeRequestedTries() -> Set<String> {
        let names = (try? Directory.names(layout.runtimeDirectory)) ?? []
        let identifiers = names.filter { $0.hasSuffix(Self.resumeSuffix) }
            .map { String($0.dropLast(Self.resumeSuffix.count)) }
        return Set(
            identifiers.filter { identifier in
                do throws(SystemError) {
                    try Directory.removeFile(path(ofRequest: identifier))
                    return true
                } catch {
                    // What cannot be taken back would be asked for again and again.
                    return false
                }
            })
    }

    private func path(ofRequest identifier: String) -> String {
        "\(layout.runtimeDirectory)/\(identifier)\(Self.resumeSuffix)"
    }
}
