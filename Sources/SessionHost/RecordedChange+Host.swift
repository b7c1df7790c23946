internal import Glibc
internal import LinuxSystem
internal import TunnelModel

extension RecordedChange {
    /// Whether a host forwards IPv4: writing it writes the setting of each link as well.
    static let forwardingOfHost = "net/ipv4/conf/all/forwarding"

    fileprivate var isForwardingOfIPv4: Bool {
        guard case .sysctl(let path, _, _) = self else { return false }
        return path.hasPrefix("net/ipv4/") && path.hasSuffix("/forwarding")
    }

    /// Makes the change.
    func make() throws(SystemError) {
        switch self {
        case .sysctl(let path, _, let value): try KernelSetting(path).write(value)
        // It is written by its owner, who goes on to look after it.
        case .resolverFile: break
        }
    }

    /// Takes the change back, unless others have changed the same since, or it is gone.
    func takeBack() throws(SystemError) {
        switch self {
        case .sysctl(let path, let former, let value):
            do throws(SystemError) {
                let setting = KernelSetting(path)
                guard try setting.read() == value else { return }
                try setting.write(former)
            } catch {
                guard error.errno != ENOENT else { return }
                throw error
            }
        case .resolverFile(let path, let mark, let former):
            try ResolverFileOnDisk(path).restore(
                from: mark, remembering: former.map { .content(Array($0.utf8)) } ?? .lost)
        }
    }
}

extension SessionRecord {
    /// The settings of the kernel that are as the session set them, by their paths.
    package var settingsOfKernel: [String] {
        changes.compactMap { change in
            guard case .sysctl(let path, _, let value) = change,
                (try? KernelSetting(path).read()) == value
            else { return nil }
            return path
        }
    }

    /// Whether changes are noted that this process could take back.
    var hasOwnChanges: Bool {
        !changes.isEmpty && networkNamespace == currentNetworkNamespace
    }

    /// Whether somebody else has had this host as a whole forward IPv4 since the session made
    /// links of it do so.
    var hasBecomeRouter: Bool {
        hasMadeRouter && (try? KernelSetting(RecordedChange.forwardingOfHost).read()) == "1"
    }

    /// Takes back all changes, the last first, and keeps those with which that failed.
    ///
    /// Those of another network namespace are not this process's to touch.
    mutating func takeBackChanges() -> SystemError? {
        guard networkNamespace == currentNetworkNamespace else { return nil }
        var failure: SystemError?
        var kept: [RecordedChange] = []
        let isRouter = hasBecomeRouter
        for change in changes.reversed() {
            // Whoever had the host forward meanwhile had all of its links do so.
            if isRouter, change.isForwardingOfIPv4 { continue }
            do throws(SystemError) { try change.takeBack() } catch {
                kept.insert(change, at: 0)
                failure = failure ?? error
            }
        }
        changes = kept
        return failure
    }
}

extension Leftovers {
    /// Takes back what a session that has ended could not.
    package func retakeChanges(of identifier: String) throws(SessionError) {
        try within(identifier) { () throws(SessionError) in
            try retakeChangesHere(of: identifier)
        }
    }

    private func retakeChangesHere(of identifier: String) throws(SessionError) {
        let directory = SessionDirectory(layout, identifier: identifier)
        guard directory.record()?.hasOwnChanges == true, let lock = try directory.takeLock(),
            var record = directory.record()
        else { return }
        let failure = record.takeBackChanges()
        do throws(SystemError) {
            try directory.write(record)
            try Directory.removeFile(directory.lockPath)
        } catch {
            throw .system(error)
        }
        _ = consume lock
        if let failure { throw .notTakenBack(failure) }
    }
}

extension SessionHost {
    /// Makes a change that carries no mark, noted before it is made.
    func make(_ change: RecordedChange) throws(SystemError) {
        record.changes.append(change)
        try directory.write(record)
        try change.make()
    }

    /// Sets a setting of the kernel for as long as the session lasts, unless it is so already.
    func set(_ path: String, to value: String) throws(SystemError) {
        let former = try KernelSetting(path).read()
        guard former != value else { return }
        try make(.sysctl(path: path, former: former, value: value))
    }
}
