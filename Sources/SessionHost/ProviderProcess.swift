internal import Glibc
internal import JSON
internal import LinuxSystem
internal import TunnelModel

/// The provider of a session: an isolated process, its channel and its standard error.
final class ProviderProcess {
    let pid: Int32
    /// What the provider's sockets belong to.
    let owner: UInt32
    var onMessage: (ProviderMessage) -> Void = { _ in }
    var onViolation: (String) -> Void = { _ in }
    var onExit: (String) -> Void = { _ in }

    private let loop: EventLoop
    private let log: HostLog
    private let child: ChildProcess
    private let channel: LineChannel
    private let errors: FileDescriptor
    private var errorLines = LineBuffer(longest: 4096)
    private var lastErrors: [String] = []
    private var hasExited = false
    private var lastChange: Int64 = 0
    private var errorBudget = ProviderProcess.errorPortion
    private var errorRefill: EventLoop.Timer?

    /// After so many bytes of standard error within a period its reading pauses, so that a
    /// flood costs little; the provider's writes block meanwhile.
    private static let errorPortion = 64 * 1024
    private static let errorPeriod: Int64 = 50

    /// Room for the keys of thousands of peers.
    private static let lockableBytes: UInt64 = 64 << 20

    /// Starts the provider of a preflight with the queues of the TUN and, behind its credentials,
    /// a listening socket.
    init(
        _ preflight: borrowing Preflight,
        queues: [CInt],
        controlSocket: CInt?,
        on loop: EventLoop,
        log: HostLog
    ) throws(DisconnectReason) {
        let user = Sandbox.user
        do throws(SystemError) {
            let pair = try UnixSocket.pair()
            let pipe = try Pipe(nonblockingEnd: true)
            let isolation = ChildProcess.Isolation(
                hasOwnNetwork: preflight.manifest.network == .none, user: user,
                livenessDescriptor: 3, lockableBytes: Self.lockableBytes)
            let path = preflight.manifest.executable
            var descriptors: [CInt?] =
                [nil, pipe.writing.raw, pipe.writing.raw, pair.second.raw] + queues
                + preflight.credentials.map(\.descriptor.raw)
            if let controlSocket { descriptors.append(controlSocket) }
            let child = try Self.launch(preflight, path, descriptors, isolation)
            channel = try LineChannel(
                pair.keepFirst(), on: loop, longestLine: ProviderMessage.longestLine)
            self.child = child
            errors = pipe.keepReading()
        } catch {
            throw DisconnectReason(.providerRefused, error.text)
        }
        pid = child.pid
        owner = user?.uid ?? Account.effectiveUser
        self.loop = loop
        self.log = log
        do throws(SystemError) {
            try loop.add(child.descriptor.raw) { [weak self] _ in self?.handleExit() }
            try loop.add(errors.raw) { [weak self] _ in self?.readErrors() }
        } catch {
            throw DisconnectReason(.internalError, error.text)
        }
        channel.onLine = { [weak self] line in self?.receive(line) }
        channel.onEnd = { [weak self] ending in self?.handleEnd(ending) }
    }

    deinit {
        loop.cancel(errorRefill)
        loop.remove(child.descriptor.raw)
        loop.remove(errors.raw)
    }

    /// Sends a message; a socket rides on its first byte.
    func send(_ message: HostMessage, socket: FileDescriptorBox? = nil) {
        channel.send(JSONWriter.line(message), descriptor: socket)
    }

    /// Sends the first message; false where it is too long for the protocol.
    func send(_ start: ProviderStart) -> Bool {
        let line = JSONWriter.line(HostMessage.start(start))
        guard line.count <= ProviderMessage.longestLine else { return false }
        channel.send(line)
        return true
    }

    /// Sends a change with its credentials, and answers its number; `nil` where it is too long for
    /// the protocol, and nothing is sent.
    func send(
        _ change: ProviderChange,
        _ credentials: [(name: String, descriptor: FileDescriptorBox)]
    ) -> Int64? {
        let number = lastChange + 1
        let line = JSONWriter.line(HostMessage.reconfigure(id: number, change))
        guard line.count <= ProviderMessage.longestLine else { return nil }
        lastChange = number
        for (name, descriptor) in credentials {
            send(.credential(name: name), socket: descriptor)
        }
        channel.send(line)
        return number
    }

    /// Sends a signal, if the process still runs.
    func signal(_ signal: SessionEffect.Signal) {
        switch signal {
        case .terminate: child.signal(SIGTERM)
        case .kill: child.signal(SIGKILL)
        }
    }

    private static func launch(
        _ preflight: borrowing Preflight,
        _ path: String,
        _ descriptors: [CInt?],
        _ isolation: ChildProcess.Isolation
    ) throws(SystemError) -> ChildProcess {
        do {
            return try ChildProcess.launch(
                executable: preflight.executable, name: path, arguments: [path],
                environment: Sandbox.environment,
                descriptors: descriptors, isScript: preflight.isScript, isolation: isolation)
        } catch {
            throw error.error
        }
    }

    private func receive(_ line: [UInt8]) {
        do throws(JSONError) { onMessage(try ProviderMessage(line: line)) } catch {
            onViolation("the provider sent no message of the protocol: \(error.text)")
        }
    }

    private func handleEnd(_ ending: LineChannel.Ending) {
        switch ending {
        case .closedByPeer:
            // Usually it is ending, and its exit status says more than the closed channel.
            loop.schedule(milliseconds: 200) { [weak self] in
                guard let self, !self.hasExited else { return }
                self.onViolation("the provider closed its channel and went on")
            }
        case .lineTooLong:
            onViolation(
                "the provider sent a line of more than \(ProviderMessage.longestLine) bytes")
        case .peerDoesNotRead: onViolation("the provider does not read its channel")
        case .failed(let error): onViolation("the provider's channel failed: \(error.text)")
        }
    }

    private func handleExit() {
        guard let exit = try? child.reap() else { return }
        hasExited = true
        loop.remove(child.descriptor.raw)
        // What it said last is still in the channel and may name the reason of its end.
        channel.drain()
        channel.close()
        readErrors()
        if !errorLines.rest.isEmpty { noteError(errorLines.rest) }
        let how = "the provider \(exit.text)"
        let words = lastErrors.joined(separator: " | ").madePrintable(limit: 1024)
        onExit(words.isEmpty ? how : "\(how): \(words)")
    }

    private func readErrors() {
        while true {
            guard let bytes = try? errors.read(atMost: 4096) else { return }
            guard !bytes.isEmpty else { return loop.remove(errors.raw) }
            errorLines.append(bytes)
            do {
                while let line = try errorLines.next() { noteError(line) }
            } catch {
                noteError(errorLines.rest)
                errorLines = LineBuffer(longest: 4096)
            }
            // One portion a turn, so that a flood leaves room for everything else.
            if !hasExited { return spendErrors(bytes.count) }
        }
    }

    private func spendErrors(_ count: Int) {
        errorBudget -= count
        if errorRefill == nil {
            errorRefill = loop.schedule(milliseconds: Self.errorPeriod) { [weak self] in
                guard let self else { return }
                self.errorRefill = nil
                self.errorBudget = Self.errorPortion
                self.listenToErrors(.readable)
            }
        }
        if errorBudget <= 0 { listenToErrors([]) }
    }

    private func listenToErrors(_ interest: EventLoop.Interest) {
        do throws(SystemError) { try loop.change(errors.raw, to: interest) } catch {
            loop.remove(errors.raw)
        }
    }

    private func noteError(_ line: [UInt8]) {
        let text = String(decoding: line, as: UTF8.self)
        log.relay("provider", text)
        lastErrors.append(text)
        if lastErrors.count > 5 { lastErrors.removeFirst() }
    }
}
