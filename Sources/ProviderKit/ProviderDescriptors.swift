package import LinuxSystem
package import TunnelModel

/// The descriptors that a provider inherits beside its channel; those that it does not take
/// are closed.
package final class ProviderDescriptors {
    private var queues: [FileDescriptorBox] = []
    private var credentials: [String: FileDescriptorBox] = [:]
    private var controlSocket: FileDescriptorBox?

    /// Takes over the descriptors that a start message names, each number once.
    package init(of start: ProviderStart) {
        var taken: Set<Int> = [0, 1, 2, Int(ProviderSession.channelNumber)]
        func take(_ number: Int) -> FileDescriptorBox? {
            guard let raw = CInt(exactly: number), raw >= 0, taken.insert(number).inserted else {
                return nil
            }
            return FileDescriptorBox(FileDescriptor(taking: raw))
        }
        queues = start.tun.compactMap(take)
        credentials = start.credentials.compactMapValues(take)
        controlSocket = start.controlSocket.flatMap(take)
    }

    /// Takes over credentials that came by themselves.
    init(credentials: [String: FileDescriptorBox]) {
        self.credentials = credentials
    }

    /// The next queue of the TUN; non-blocking, one packet a read.
    package func takeQueue() -> FileDescriptor? {
        queues.isEmpty ? nil : queues.removeFirst().take()
    }

    /// The listening socket at which programs of the protocol look for the provider; `nil`
    /// where there is none.
    package func takeControlSocket() -> FileDescriptor? { controlSocket?.take() }

    /// The file with a secret, open for reading.
    package func takeCredential(named name: String) -> FileDescriptor? {
        credentials.removeValue(forKey: name)?.take()
    }
}
