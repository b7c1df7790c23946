internal import Glibc
internal import JSON
package import LinuxSystem
package import Preferences
package import TunnelModel

// The hold of On Demand lies in the runtime directory: a reboot lifts it.

extension SessionDirectory {
    private var holdPath: String { path(holdSuffix) }

    /// The identifiers that have a hold.
    package static func heldIdentifiers(in layout: FileLayout) -> Set<String> {
        let names = (try? Directory.names(layout.runtimeDirectory)) ?? []
        return Set(
            names.compactMap { name in
                name.hasSuffix(".\(holdSuffix)") ? String(name.dropLast(holdSuffix.count + 1)) : nil
            })
    }

    /// The hold; one that cannot be read is a hold all the same.
    package func hold() -> Hold? {
        guard access(holdPath, F_OK) == 0 else { return nil }
        let unreadable = Hold(since: nil, origin: nil)
        guard let bytes = try? TrustedFile.read(holdPath, limit: 4096) else { return unreadable }
        let read = try? JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
            try Hold(node)
        }
        return read ?? unreadable
    }

    /// Sets the hold, or renews it.
    package func setHold(by origin: SessionOrigin) throws(SystemError) {
        try AtomicFile.replace(
            holdPath,
            with: JSONWriter.line(Hold(since: .now, origin: origin), layout: .indented),
            mode: 0o640, group: Account.group(named: "utunctl"), isDurable: false)
    }

    /// Lifts the hold; none is success.
    package func liftHold() throws(SystemError) {
        try Directory.removeFile(holdPath)
    }
}

private let holdSuffix = "hold"
