internal import Glibc
internal import LinuxSystem
internal import TunnelModel

extension RecordedChange {
    /// Makes the change.
    func make() throws(SystemError) {
        switch self {
        case .sysctl(let path, _, let value): try KernelSetting(path).write(value)
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
        }
    }
}

extension SessionRecord {
    /// Takes back all changes, the last first, and keeps those with which that failed.
    ///
    /// Those of another network namespace are not this process's to touch.
    mutating func takeBackChanges() -> SystemError? {
        guard networkNamespace == currentNetworkNamespace else { return nil }
        var failure: SystemError?
        var kept: [RecordedChange] = []
        for change in changes.reversed() {
            do throws(SystemError) { try change.takeBack() } catch {
                kept.insert(change, at: 0)
                failure = failure ?? error
            }
        }
        changes = kept
        return failure
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
