internal import Glibc
internal import JSON
internal import LinuxSystem
internal import TunnelModel

extension SessionHost {
    /// More sockets than any protocol needs.
    private static let mostSockets = 4
    private static let socketBufferBytes: CInt = 4 << 20

    /// Starts the provider, with everything that it inherits.
    func launchProvider() {
        do throws(DisconnectReason) {
            let preflight = try takePreflight()
            makeControlSocket(preflight.manifest.controlSocketPath(interface: interface.name))
            let queues = interface.queues
            let provider = try outsideTunnel { () throws(DisconnectReason) in
                try ProviderProcess(
                    preflight, queues: queues, controlSocket: controlSocket?.raw, on: loop,
                    log: log)
            }
            provider.onMessage = { [weak self] message in self?.receive(message) }
            provider.onViolation = { [weak self] text in self?.handle(.protocolViolated(text)) }
            provider.onExit = { [weak self] text in self?.handle(.providerExited(text)) }
            self.provider = provider
            controlSocket?.handOver()
            handle(.providerLaunched)
        } catch {
            handle(.launchFailed(error))
        }
    }

    /// Tells the provider all that it is given.
    func sendStart() {
        var start = ProviderStart(
            attempt: request.attempt, configuration: configuration,
            interface: ProviderStart.Interface(
                name: interface.name, index: Int(interface.index), mtu: interface.mtu))
        toldMTU = interface.mtu
        start.options = request.options
        let queues = interface.queues.count
        start.tun = (0..<queues).map { 4 + $0 }
        for (position, name) in configuration.credentials.keys.sorted().enumerated() {
            start.credentials[name] = 4 + queues + position
        }
        if controlSocket != nil {
            start.controlSocket = 4 + queues + configuration.credentials.count
        }
        start.resolved = resolved
        start.trust = running.trust
        start.systemTrust = running.systemTrust
        guard let provider, !provider.send(start) else { return }
        let text = "all that it is to be told is longer than the protocol allows"
        handle(.providerFailed(DisconnectReason(.providerRefused, text)))
    }

    /// Takes one message of the provider.
    func receive(_ message: ProviderMessage) {
        switch message {
        case .settings(let id, let settings): handleSettings(id: id, settings)
        case .connected: handle(.providerConnected)
        case .reasserting(let reason):
            handle(.providerReasserting(reason.madePrintable(limit: 1024)))
        case .failed(let reason):
            let text = reason.text.madePrintable(limit: 1024)
            handle(.providerFailed(DisconnectReason(reason.code, text)))
        case .stopped: handle(.providerStopped)
        case .openSocket(let id, let request): openSocket(id, request)
        case .resolve(let id, let name): resolveAgain(id, name)
        case .remoteAddresses(let addresses): noteAnnounced(addresses)
        case .report(let id, let report): receiveReport(id: id, report)
        case .reconfigured(let id): endReconfiguration(id, nil)
        case .reconfigureRefused(let id, let keys, let text):
            endReconfiguration(id, keys.isEmpty ? .refused(text) : .restartNeeded(keys))
        case .log(let level, let text): log.relay(level.madePrintable(limit: 16), text)
        case .reply, .unknown: break
        }
    }

    private func openSocket(_ id: Int64, _ request: ProviderMessage.SocketRequest) {
        guard let provider else { return }
        do throws(SocketRefusal) {
            let socket = try outsideTunnel { () throws(SocketRefusal) in
                FileDescriptorBox(try makeSocket(request, owner: provider.owner))
            }
            provider.send(.socket(id: id, refusal: nil), socket: socket)
            openedSockets += 1
        } catch {
            log.note("no socket for the provider: \(error.text)")
            provider.send(.socket(id: id, refusal: error))
        }
    }

    private func makeSocket(_ request: ProviderMessage.SocketRequest, owner: UInt32)
        throws(SocketRefusal) -> FileDescriptor
    {
        guard openedSockets < Self.mostSockets else {
            throw SocketRefusal(.refused, "more than \(Self.mostSockets) sockets")
        }
        guard request.port == 0 || request.port == configuredPort else {
            throw SocketRefusal(
                .refused, "port \(request.port) is not providerConfiguration.listenPort")
        }
        do {
            return try OutsideSocket.open(
                isIPv6: request.family == .inet6,
                request.transport == .datagram ? .datagram : .stream, owner: owner,
                port: request.port, bufferBytes: Self.socketBufferBytes)
        } catch {
            throw Self.refusal(error, request)
        }
    }

    /// Why there is no socket, in words that can be acted upon.
    private static func refusal(_ error: SystemError, _ request: ProviderMessage.SocketRequest)
        -> SocketRefusal
    {
        let family = request.family == .inet6 ? "IPv6" : "IPv4"
        switch error.errno {
        case EADDRINUSE:
            let transport = request.transport == .datagram ? "UDP" : "TCP"
            return SocketRefusal(
                .portTaken, "another program has \(transport) port \(request.port) of \(family)")
        case EAFNOSUPPORT: return SocketRefusal(.familyUnavailable, "this host has no \(family)")
        default: return SocketRefusal(.refused, error.text)
        }
    }

    private var configuredPort: UInt16? {
        guard case .integer(let port) = configuration.providerConfiguration["listenPort"] else {
            return nil
        }
        return UInt16(exactly: port)
    }
}
