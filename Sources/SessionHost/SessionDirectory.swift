internal import Glibc
internal import JSON
package import LinuxSystem
package import Preferences
package import TunnelModel

/// The files of one configuration's sessions in the runtime directory.
package struct SessionDirectory: Sendable {
    package let layout: FileLayout
    package let identifier: String

    package init(_ layout: FileLayout, identifier: String) {
        self.layout = layout
        self.identifier = identifier
    }

    /// The name of the control socket within the runtime directory.
    var socketName: String { "\(identifier).sock" }

    /// The name of the lock file there.
    var lockName: String { "\(identifier).lock" }

    var lockPath: String { path("lock") }
    var recordPath: String { path("session.json") }
    /// What the detached session host wrote on its standard error.
    package var logPath: String { path("log") }

    /// Makes the runtime directory, and looks whether it is safe.
    package static func prepare(_ layout: FileLayout) throws(SessionError) {
        let path = layout.runtimeDirectory
        do { try Directory.create(path, mode: 0o755) } catch {
            throw .runtimeDirectory(path: path, problem: error.reason)
        }
        if let problem = TrustedFile.problem(ofDirectory: path) {
            throw .runtimeDirectory(path: path, problem: problem)
        }
    }

    /// The identifiers that have a socket, a lock or a record.
    package static func identifiers(in layout: FileLayout) -> [String] {
        let names = (try? Directory.names(layout.runtimeDirectory)) ?? []
        let identifiers = names.compactMap { name -> String? in
            let stem = String(name.prefix { $0 != "." })
            let suffix = name.dropFirst(stem.count)
            guard Identifier.isValid(stem), [".sock", ".lock", ".session.json"].contains(suffix)
            else { return nil }
            return stem
        }
        return Array(Set(identifiers)).sorted()
    }

    /// Takes the lock, which its holder keeps for its life; `nil` while another has it.
    package func takeLock() throws(SessionError) -> FileLock? {
        do {
            return try FileLock.take(
                lockPath, mode: 0o640, group: Account.group(named: "utunctl"))
        } catch {
            throw .runtimeDirectory(path: lockPath, problem: error.reason)
        }
    }

    /// Whether a session host lives.
    package func lockIsHeld() throws(SystemError) -> Bool {
        try FileLock.isHeld(lockPath)
    }

    /// The record of the last session; `nil` where there is none or it cannot be read.
    package func record() -> SessionRecord? {
        guard let bytes = try? TrustedFile.read(recordPath, limit: 1 << 20) else { return nil }
        return try? JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
            try SessionRecord(node)
        }
    }

    /// Replaces the record.
    package func write(_ record: SessionRecord) throws(SystemError) {
        try AtomicFile.replace(
            recordPath, with: JSONWriter.line(record, layout: .indented), mode: 0o640,
            group: Account.group(named: "utunctl"), isDurable: false)
    }

    /// Notes how a session ended, unless that is noted already.
    ///
    /// A record that cannot be completed goes: without an end it would tell of a crash.
    package func end(_ record: SessionRecord, _ reason: DisconnectReason) throws(SystemError) {
        guard record.end == nil else { return }
        var record = record
        record.controlSocket = nil
        // Of a crash this is only the moment at which somebody noted it.
        let time = reason.code == .sessionHostCrashed ? nil : Timestamp.now
        record.end = Disconnect(attempt: record.attempt, time: time, reason: reason)
        do throws(SystemError) { try write(record) } catch {
            try Directory.removeFile(recordPath)
            // In a full directory that has made the room that was missing.
            try write(record)
        }
    }

    /// Whether there is a control socket, living or not.
    package var hasSocket: Bool { access(path("sock"), F_OK) == 0 }

    /// Whether there is a lock file, held or not.
    var hasLock: Bool { access(lockPath, F_OK) == 0 }

    /// Removes what a living session has there, but for its record.
    package func removeLivingFiles() throws(SystemError) {
        try Directory.removeFile(path("sock"))
        try Directory.removeFile(lockPath)
    }

    /// Removes the log of a session that came to say nothing; its lock is ours.
    func removeEmptyLog() throws(SystemError) {
        var status = stat()
        guard lstat(logPath, &status) == 0, status.st_size == 0 else { return }
        try Directory.removeFile(logPath)
    }

    /// Removes everything, history included.
    package func removeAll() throws(SystemError) {
        try removeLivingFiles()
        try Directory.removeFile(recordPath)
        try Directory.removeFile(logPath)
        try liftHold()
    }

    func path(_ suffix: String) -> String {
        "\(layout.runtimeDirectory)/\(identifier).\(suffix)"
    }
}

extension Timestamp {
    /// The wall clock's now.
    package static var now: Timestamp { Timestamp(microseconds: Clock.wallMicroseconds) }
}

/// The network namespace of this process, as /proc names it.
package var currentNetworkNamespace: String {
    Directory.linkTarget("/proc/self/ns/net") ?? ""
}
