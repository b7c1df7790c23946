internal import LinuxSystem
internal import Preferences
internal import TunnelModel

// A resolv.conf(5) that a tunnel has left: it says itself whose it is and what was there before,
// so that it can be put back after a power cut, which leaves no record.

extension Leftovers {
    /// The identifiers and the files of tunnels that are gone and still have a resolv.conf.
    package func orphanedResolverFiles() -> [(identifier: String, path: String)] {
        markedFiles().compactMap { file, mark in
            guard let identifier = layout.identifier(inMark: mark),
                // A lock that cannot be looked at may be held.
                (try? SessionDirectory(layout, identifier: identifier).lockIsHeld()) == false
            else { return nil }
            return (identifier, file.path)
        }
    }

    /// Puts back what each resolv.conf held before a tunnel that is gone, whichever it was.
    ///
    /// The lock of `identifier` is held already.
    package func clearResolverFiles(holding identifier: String? = nil) throws(SessionError)
        -> [Finding]
    {
        var findings: [Finding] = []
        for (file, mark) in markedFiles() {
            guard let owner = layout.identifier(inMark: mark) else { continue }
            let directory = SessionDirectory(layout, identifier: owner)
            if owner == identifier {
                findings.append(try restore(file, mark, directory))
                continue
            }
            let hadLock = directory.hasLock
            try SessionDirectory.prepare(layout)
            // With its lock in our hand it cannot begin to live meanwhile.
            guard let lock = try directory.takeLock() else { continue }
            findings.append(try restore(file, mark, directory))
            if !hadLock { try? Directory.removeFile(directory.lockPath) }
            _ = consume lock
        }
        return findings
    }

    private func restore(
        _ file: ResolverFileOnDisk,
        _ mark: String,
        _ directory: SessionDirectory
    ) throws(SessionError) -> Finding {
        let former = directory.record()?.changes.lazy.compactMap { change in
            if case .resolverFile(_, _, let former) = change { former } else { nil }
        }.first
        do throws(SystemError) {
            try file.restore(
                from: mark, remembering: former.map { .content(Array($0.utf8)) } ?? .lost)
        } catch {
            throw .notTakenBack(error)
        }
        return Finding(
            identifier: directory.identifier, kind: .resolverFile, subject: file.path)
    }

    private func markedFiles() -> [(file: ResolverFileOnDisk, mark: String)] {
        let directory = layout.path("/etc/netns")
        let namespaces = (try? Directory.names(directory)) ?? []
        let paths =
            [layout.path("/etc/resolv.conf")]
            + namespaces.map { "\(directory)/\($0)/resolv.conf" }
        return paths.compactMap { path in
            let file = ResolverFileOnDisk(path)
            // What lies outside the root is never written.
            guard let target = try? AtomicFile.farEnd(of: path),
                target.hasPrefix("\(layout.root)/"), let mark = try? file.content?.mark
            else { return nil }
            return (file, mark)
        }
    }
}
