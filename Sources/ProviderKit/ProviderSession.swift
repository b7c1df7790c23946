internal import JSON
package import LinuxSystem
package import TunnelModel

/// The provider's end of the channel to the session host: one session, one thread.
package final class ProviderSession {
    /// What the host made of the settings that were asked for.
    package enum SettingsAnswer: Equatable, Sendable {
        /// They are in force, as read back from the kernel.
        case applied
        case rejected([SettingsRejection])
    }

    /// How serious a line of the log is.
    package enum LogLevel: String, Sendable {
        case info, warning, error
    }

    /// Where a provider finds its channel.
    package static let channelNumber: CInt = 3

    /// The loop that runs the session; a provider adds its own descriptors and timers.
    package let loop: EventLoop

    private let channel: LineChannel
    private var provider: (any PacketTunnelProvider)?
    private var hasStarted = false
    private var hasConnected = false
    private var lastID: Int64 = 0
    private var awaitedSettings: [Int64: (SettingsAnswer) -> Void] = [:]
    private var awaitedSockets: [Int64: (consuming Result<FileDescriptor, SocketRefusal>) -> Void] =
        [:]
    private var awaitedAddresses: [Int64: ([IPAddress]) -> Void] = [:]
    /// The credentials of a change that is still to come.
    private var handedOver: [String: FileDescriptorBox] = [:]
    private var exitStatus: CInt?

    /// Takes over the channel.
    package init(channel: consuming FileDescriptor, on loop: EventLoop) throws(SystemError) {
        self.loop = loop
        self.channel = try LineChannel(
            channel, on: loop, longestLine: ProviderMessage.longestLine,
            takesDescriptors: true)
    }

    /// Serves the channel until the session has ended or the host is gone; answers the exit
    /// status of the process.
    package func run(_ provider: any PacketTunnelProvider) throws(SystemError) -> CInt {
        self.provider = provider
        channel.onLine = { [unowned self] in receive($0) }
        channel.onEnd = { [unowned self] ending in
            // A host that is gone takes the tunnel with it: nothing is left to be served.
            exitStatus = exitStatus ?? (ending == .closedByPeer ? 0 : 1)
            loop.stop()
        }
        defer { self.provider = nil }
        try loop.run()
        return exitStatus ?? 1
    }

    // MARK: To the host

    /// Asks for addresses, routes and DNS; the answer comes once.
    package func apply(
        _ settings: NetworkSettings,
        _ completion: @escaping (SettingsAnswer) -> Void
    ) {
        let id = nextID()
        awaitedSettings[id] = completion
        send(.settings(id: id, settings))
    }

    /// Asks for a socket to the network outside of every tunnel.
    package func openSocket(
        _ request: ProviderMessage.SocketRequest,
        _ completion: @escaping (consuming Result<FileDescriptor, SocketRefusal>) -> Void
    ) {
        let id = nextID()
        awaitedSockets[id] = completion
        send(.openSocket(id: id, request))
    }

    /// Asks anew for the addresses of a name of the configuration; none when it has none.
    package func resolve(_ name: String, _ completion: @escaping ([IPAddress]) -> Void) {
        let id = nextID()
        awaitedAddresses[id] = completion
        send(.resolve(id: id, name: name))
    }

    /// Says where this provider sends to beside the addresses of names: such packets never
    /// enter the tunnel then, whatever its routes hold.
    package func sends(to addresses: [IPAddress]) {
        send(.remoteAddresses(addresses))
    }

    /// The tunnel carries traffic, for the first time or again.
    package func connected() {
        send(.connected)
        if !hasConnected { loop.releaseStart() }
        hasConnected = true
    }

    /// The tunnel is interrupted and the provider works on it.
    package func reasserting(reason: String) {
        send(.reasserting(reason: reason))
    }

    /// Writes to the log of the session.
    package func log(_ level: LogLevel, _ text: String) {
        send(.log(level: level.rawValue, text: text))
    }

    /// Ends the process: the tunnel was stopped as asked.
    package func stopped() {
        send(.stopped)
        finish(0)
    }

    /// Ends the process: the tunnel has failed.
    package func failed(_ reason: DisconnectReason) {
        send(.failed(reason))
        finish(1)
    }

    private func nextID() -> Int64 {
        lastID += 1
        return lastID
    }

    private func send(_ message: ProviderMessage) {
        guard exitStatus == nil else { return }
        channel.send(JSONWriter.line(message))
    }

    private func finish(_ status: CInt) {
        guard exitStatus == nil else { return }
        exitStatus = status
        stopWhenSent(attempts: 100)
    }

    /// Lets a host that is slow to read have the last word, but not for ever.
    private func stopWhenSent(attempts: Int) {
        guard channel.isBacklogged, attempts > 0 else { return loop.stop() }
        loop.schedule(milliseconds: 10) { [weak self] in
            self?.stopWhenSent(attempts: attempts - 1)
        }
    }

    // MARK: From the host

    private func receive(_ line: [UInt8]) {
        guard exitStatus == nil else { return }
        do throws(JSONError) {
            handle(try HostMessage(line: line))
        } catch {
            // Before the start nothing can go on without the message; later a newer host may
            // say what this version does not read.
            guard hasStarted else {
                return failed(DisconnectReason(.providerRefused, error.text))
            }
            log(.warning, "a message that cannot be read: \(error.text)")
        }
    }

    private func handle(_ message: HostMessage) {
        switch message {
        case .start(let start):
            guard !hasStarted else { return log(.warning, "a second start") }
            hasStarted = true
            provider?.start(start, ProviderDescriptors(of: start))
        case .settingsApplied(let id): awaitedSettings.removeValue(forKey: id)?(.applied)
        case .settingsRejected(let id, let errors):
            awaitedSettings.removeValue(forKey: id)?(.rejected(errors))
        case .socket(let id, let refusal): receiveSocket(id, refusal)
        case .resolved(let id, _, let addresses):
            awaitedAddresses.removeValue(forKey: id)?(addresses)
        case .query(let id):
            if let report = provider?.report() { send(.report(id: id, report)) }
        case .message(let id, let data):
            if let provider { send(.reply(id: id, data: provider.reply(to: data))) }
        case .pathChanged(let path): provider?.pathChanged(path)
        case .interfaceChanged(let mtu): provider?.interfaceChanged(mtu: mtu)
        case .sleep: provider?.sleep()
        case .wake: provider?.wake()
        case .credential(let name):
            if let file = channel.takeDescriptor() { handedOver[name] = FileDescriptorBox(file) }
        case .reconfigure(let id, let change): reconfigure(id, change)
        case .stop(let reason): provider?.stop(reason: reason)
        case .unknown: break
        }
    }

    private func reconfigure(_ id: Int64, _ change: ProviderChange) {
        let descriptors = ProviderDescriptors(credentials: handedOver)
        handedOver = [:]
        do throws(ReconfigurationRefusal) {
            guard hasConnected, let provider else {
                throw ReconfigurationRefusal("it is not connected yet")
            }
            try provider.reconfigure(change, descriptors)
            send(.reconfigured(id: id))
        } catch {
            send(.reconfigureRefused(id: id, keys: error.keys, text: error.text))
        }
    }

    private func receiveSocket(_ id: Int64, _ refusal: SocketRefusal?) {
        // Taken even when nobody waits, so that it is closed and not given to the next.
        let socket = refusal == nil ? channel.takeDescriptor() : nil
        guard let completion = awaitedSockets.removeValue(forKey: id) else { return }
        if let socket {
            completion(.success(socket))
        } else {
            completion(.failure(refusal ?? SocketRefusal(.refused, "no socket came")))
        }
    }
}
