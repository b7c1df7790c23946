internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// A resolv.conf(5) at its place.
struct ResolverFileOnDisk {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// What it holds; `nil` where there is none.
    var bytes: [UInt8]? {
        get throws(SystemError) {
            do throws(SystemError) {
                let file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
                guard try file.status(path).st_mode & S_IFMT == S_IFREG else {
                    throw SystemError("open", path, errno: EINVAL)
                }
                return try file.readAll(limit: ResolverFile.largest, path)
            } catch {
                if error.errno == ENOENT { return nil }
                throw error
            }
        }
    }

    /// What it is; `nil` where there is none.
    var content: ResolverFile? {
        get throws(SystemError) { try bytes.map(ResolverFile.init) }
    }

    /// The name of a living tunnel that has the file, other than one.
    func holder(otherThan identifier: String, _ layout: FileLayout) throws(SystemError)
        -> String?
    {
        guard let content = try content, let mark = content.mark else { return nil }
        guard let other = layout.identifier(inMark: mark) else {
            // Of another root: nobody here can know whether it lives.
            return "\(content.name) of another root"
        }
        guard other != identifier else { return nil }
        let directory = SessionDirectory(layout, identifier: other)
        // A lock that cannot be looked at may be held.
        guard (try? directory.lockIsHeld()) ?? true else { return nil }
        return directory.record()?.name ?? content.name
    }

    /// Puts back what was there before a tunnel, unless the file is not that tunnel's any more.
    ///
    /// `remembered` is taken where the file itself does not say it any more.
    func restore(from mark: String, remembering remembered: ResolverFile.Former)
        throws(SystemError)
    {
        try AtomicFile.removeTemporaries(of: AtomicFile.farEnd(of: path))
        guard let content = try content, content.mark == mark else { return }
        let former = content.former == .lost ? remembered : content.former
        switch former {
        case .content(let bytes): try AtomicFile.setContent(of: path, to: bytes)
        case .nothing:
            try Directory.removeFile(try AtomicFile.farEnd(of: path))
            // That of a network namespace was made for it; one that holds more stays.
            let directory = AtomicFile.split(path).directory
            let parent = AtomicFile.split(directory).directory
            guard parent.hasSuffix("/etc/netns") else { return }
            rmdir(directory)
            rmdir(parent)
        case .lost: throw SystemError("restoring", path, errno: ENODATA)
        }
    }
}
