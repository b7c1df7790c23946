internal import KernelNetwork
internal import LinuxSystem
internal import Preferences

/// Tells that something has changed from which a snapshot of the network follows; nothing is
/// polled.
///
/// The kernel tells of links, addresses, routes and wireless networks, and of files those of the
/// resolver.
final class NetworkChanges {
    private let layout: FileLayout
    private let ssidFile: String?
    private let directories: DirectoryWatch
    private let network: NetworkEventSocket
    private let wireless: WirelessEvents

    init(_ layout: FileLayout, ssidFile: String? = nil) throws(Failure) {
        self.layout = layout
        self.ssidFile = ssidFile
        directories = try Self.openDirectories()
        network = try Self.openNetwork()
        wireless = WirelessEvents(isWanted: ssidFile == nil)
    }

    /// Calls `body` whenever something has changed; for as long as this lives.
    func report(on loop: EventLoop, to body: @escaping () -> Void) throws(SystemError) {
        try watchDirectories()
        try loop.add(directories.descriptor.raw) { [weak self] _ in
            self?.directories.drain()
            body()
        }
        try loop.add(network.fileDescriptor) { [weak self] _ in
            guard let events = try? self?.network.read(), !events.isEmpty else { return }
            body()
        }
        guard let descriptor = wireless.fileDescriptor else { return }
        try loop.add(descriptor) { [weak self] _ in
            self?.wireless.drain()
            body()
        }
    }

    /// Watches what has come since; to be called before each reading.
    func watchDirectories() throws(SystemError) {
        var files = [layout.path("/etc/resolv.conf")]
        // Below another root programs still read the system's, unless there is one.
        if !layout.root.isEmpty { files.append("/etc/resolv.conf") }
        if let ssidFile { files.append(ssidFile) }
        for file in files {
            let target = (try? AtomicFile.farEnd(of: file)) ?? file
            for path in Set([file, target].map { AtomicFile.split($0).directory }) {
                try directories.addWithParents(path)
            }
            directories.addFile(target)
        }
        let resolved = layout.path("/run/systemd/resolve")
        try directories.addWithParents(resolved)
        _ = try? directories.add("\(resolved)/netif")
    }

    private static func openDirectories() throws(Failure) -> DirectoryWatch {
        do { return try DirectoryWatch() } catch { throw Failure(error) }
    }

    private static func openNetwork() throws(Failure) -> NetworkEventSocket {
        do {
            return try NetworkEventSocket([
                .links, .v4Addresses, .v6Addresses, .v4Routes, .v6Routes,
            ])
        } catch {
            throw Failure(error)
        }
    }
}

/// What the kernel tells of wireless networks, where it knows of any.
private final class WirelessEvents {
    private let socket: WirelessEventSocket?
    let fileDescriptor: CInt?

    init(isWanted: Bool) {
        guard isWanted, let socket = try? WirelessEventSocket.open() else {
            socket = nil
            fileDescriptor = nil
            return
        }
        fileDescriptor = socket.fileDescriptor
        self.socket = consume socket
    }

    func drain() { socket?.drain() }
}
