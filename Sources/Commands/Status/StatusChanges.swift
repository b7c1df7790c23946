internal import KernelNetwork
internal import LinuxSystem
internal import Preferences

/// Tells that something has changed from which the status of tunnels follows; nothing is polled.
///
/// The kernel tells of links and addresses, the preferences and the runtime directory of files.
final class StatusChanges {
    private let layout: FileLayout
    private let directories: DirectoryWatch
    private let links: NetworkEventSocket

    init(_ layout: FileLayout) throws(Failure) {
        self.layout = layout
        directories = try Self.openDirectories()
        links = try Self.openLinks()
    }

    /// Calls `body` whenever something has changed; for as long as this lives.
    func report(on loop: EventLoop, to body: @escaping () -> Void) throws(SystemError) {
        try watchDirectories()
        try loop.add(directories.descriptor.raw) { [weak self] _ in
            self?.directories.drain()
            body()
        }
        try loop.add(links.fileDescriptor) { [weak self] _ in
            guard let events = try? self?.links.read(), !events.isEmpty else { return }
            body()
        }
    }

    /// Watches what has come since; to be called before each reading.
    func watchDirectories() throws(SystemError) {
        for path in layout.watchedDirectories { try directories.addWithParents(path) }
        // Whoever may not look at the secrets does without.
        _ = try? directories.add(layout.credentialsDirectory)
    }

    private static func openDirectories() throws(Failure) -> DirectoryWatch {
        do { return try DirectoryWatch() } catch { throw Failure(error) }
    }

    private static func openLinks() throws(Failure) -> NetworkEventSocket {
        do { return try NetworkEventSocket([.links, .v4Addresses, .v6Addresses]) } catch {
            throw Failure(error)
        }
    }
}
