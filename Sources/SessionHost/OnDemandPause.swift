internal import Glibc
internal import JSON
package import LinuxSystem
package import Preferences
package import TunnelModel

/// The pause of On Demand as a whole: while it is set, On Demand starts no tunnel.
///
/// Like a hold it lies in the runtime directory, and a reboot ends it.
package struct OnDemandPause: Sendable {
    private let path: String

    package init(_ layout: FileLayout) {
        path = "\(layout.runtimeDirectory)/ondemand.pause"
    }

    /// The pause; one that cannot be read is a pause all the same.
    package func read() -> Hold? {
        Hold.read(at: path)
    }

    /// Sets the pause, or renews it.
    package func set(by origin: SessionOrigin) throws(SystemError) {
        try Hold(since: .now, origin: origin).write(at: path)
    }

    /// Ends the pause; none is success.
    package func lift() throws(SystemError) {
        try Directory.removeFile(path)
    }
}

extension Hold {
    /// What lies at a path; `nil` where nothing does.
    static func read(at path: String) -> Hold? {
        guard access(path, F_OK) == 0 else { return nil }
        let unreadable = Hold(since: nil, origin: nil)
        guard let bytes = try? TrustedFile.read(path, limit: 4096) else { return unreadable }
        let read = try? JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
            try Hold(node)
        }
        return read ?? unreadable
    }

    /// Writes it, for the group to read.
    ///
    /// In a full directory it is an empty file: one that cannot be read counts as well.
    func write(at path: String) throws(SystemError) {
        do throws(SystemError) {
            try AtomicFile.replace(
                path, with: JSONWriter.line(self, layout: .indented), mode: 0o640,
                group: Account.group(named: "utunctl"), isDurable: false)
        } catch {
            guard error.errno == ENOSPC else { throw error }
            _ = try FileDescriptor.open(
                path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o640)
        }
    }
}
