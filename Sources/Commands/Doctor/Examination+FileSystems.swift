internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost

extension Examination {
    /// The room that saving takes, and that of a session's record and log.
    private static let leastBytes: UInt64 = 1 << 20
    private static let leastFiles: UInt64 = 16

    /// Whether what is configured, and what runs, can be written.
    func fileSystems() -> [DoctorFinding] {
        let places = [
            (layout.path("/etc/utunctl"), "nothing can be saved"),
            (layout.runtimeDirectory, "no tunnel can start"),
        ]
        return places.compactMap { path, consequence in
            let place = Self.existing(path)
            var status = statvfs()
            guard statvfs(place, &status) == 0 else { return nil }
            if status.f_flag & UInt(ST_RDONLY) != 0 {
                return DoctorFinding(
                    path == layout.runtimeDirectory ? .problem : .advice, "fileSystemReadOnly",
                    "\(place) is on a read-only file system: \(consequence)",
                    fix: "mount -o remount,rw, or give the container a writable \(place)")
            }
            let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
            // Some file systems make files as they need them, and say so by none at all.
            let lacksFiles = status.f_files > 0 && UInt64(status.f_favail) < Self.leastFiles
            guard free < Self.leastBytes || lacksFiles else { return nil }
            let what = lacksFiles ? "no more files" : "\(free / 1024) KiB"
            return DoctorFinding(
                .problem, "fileSystemFull",
                "the file system of \(place) has room for \(what): \(consequence)",
                fix: "make room there: df -h \(place); df -i \(place)")
        }
    }

    private static func existing(_ path: String) -> String {
        var path = path
        while access(path, F_OK) != 0, path != "/", path != "." {
            path = AtomicFile.split(path).directory
        }
        return path
    }

    /// What sessions of units say must have somewhere to go.
    func journal() -> [DoctorFinding] {
        guard Directory.exists(layout.path("/run/systemd/system")) else { return [] }
        let path = layout.path("/run/systemd/journal/socket")
        guard !Directory.holds(path) else { return [] }
        return [
            DoctorFinding(
                .advice, "journalMissing",
                "\(path) is not there: nothing keeps what tunnels of systemd say",
                fix: "systemctl start systemd-journald.socket")
        ]
    }

    /// Files of sessions that say more to everybody than they should.
    func runtimeFiles() -> [DoctorFinding] {
        let directory = layout.runtimeDirectory
        let suffixes = [".log", ".session.json", ".request.json", ".hold"]
        let names = (try? Directory.names(directory)) ?? []
        return names.compactMap { name in
            guard suffixes.contains(where: { name.hasSuffix($0) }) else { return nil }
            var status = stat()
            let path = "\(directory)/\(name)"
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_mode & 0o027 != 0
            else { return nil }
            let mode = String(status.st_mode & 0o777, radix: 8)
            return DoctorFinding(
                .advice, "sessionFileLax", "\(path): mode 0\(mode) is for more than its readers",
                fix: "chmod g-w,o= \(path)")
        }
    }
}
