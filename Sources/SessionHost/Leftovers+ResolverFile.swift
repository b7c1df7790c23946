internal import LinuxSystem
internal import Preferences
internal import TunnelModel

// A resolv.conf(5) that a tunnel has left: it says itself whose it is and what was there before,
// so that it can be put back after a power cut, which leaves no record.

extension Leftovers {
    /// The identifier and the file of a tunnel that is gone, if resolv.conf is still its own.
    package func orphanedResolverFile() -> (identifier: String, path: String)? {
        guard let (file, content) = markedFile(), let mark = content.mark,
            let identifier = layout.identifier(inMark: mark),
            // A lock that cannot be looked at may be held.
            (try? SessionDirectory(layout, identifier: identifier).lockIsHeld()) == false
        else { return nil }
        return (identifier, file.path)
    }

    /// Puts back what resolv.conf held before a tunnel that is gone, whichever it was.
    ///
    /// The lock of `identifier` is held already.
    package func clearResolverFile(holding identifier: String? = nil) throws(SessionError)
        -> [Finding]
    {
        guard let (file, content) = markedFile(), let mark = content.mark,
            let owner = layout.identifier(inMark: mark)
        else { return [] }
        let directory = SessionDirectory(layout, identifier: owner)
        guard owner != identifier else { return try restore(file, mark, directory) }
        let hadLock = directory.hasLock
        try SessionDirectory.prepare(layout)
        // With its lock in our hand it cannot begin to live meanwhile.
        guard let lock = try directory.takeLock() else { return [] }
        let findings = try restore(file, mark, directory)
        if !hadLock { try? Directory.removeFile(directory.lockPath) }
        _ = consume lock
        return findings
    }

    private func restore(
        _ file: ResolverFileOnDisk,
        _ mark: String,
        _ directory: SessionDirectory
    ) throws(SessionError) -> [Finding] {
        let former = directory.record()?.changes.lazy.compactMap { change in
            if case .resolverFile(_, _, let former) = change { former } else { nil }
        }.first
        do throws(SystemError) {
            try file.restore(
                from: mark, remembering: former.map { .content(Array($0.utf8)) } ?? .lost)
        } catch {
            throw .notTakenBack(error)
        }
        return [
            Finding(identifier: directory.identifier, kind: .resolverFile, subject: file.path)
        ]
    }

    private func markedFile() -> (ResolverFileOnDisk, ResolverFile)? {
        let path = layout.path("/etc/resolv.conf")
        let file = ResolverFileOnDisk(path)
        // What lies outside the root is never written.
        guard let target = try? AtomicFile.farEnd(of: path), target.hasPrefix("\(layout.root)/"),
            let content = try? file.content, content.mark != nil
        else { return nil }
        return (file, content)
    }
}
