internal import Glibc
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Starts a detached session host and waits for its one line: accepted or refused.
struct HostLauncher {
    /// How long a host may take to say it.
    private static let answerMilliseconds: Int64 = 20_000
    /// The descriptor of the host's end of the socket pair.
    private static let channel: CInt = 3

    /// What a host is given of the caller's environment: nothing but the place of secrets.
    private static var environment: [String] {
        ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
            + (CredentialStore.systemdDirectory.map { ["\(CredentialStore.systemdVariable)=\($0)"] }
                ?? [])
    }

    private let layout: FileLayout

    init(_ layout: FileLayout) {
        self.layout = layout
    }

    /// Launches the host of a configuration.
    func launch(_ configuration: Configuration, _ request: StartRequest) throws(Failure)
        -> StartReport
    {
        do throws(SessionError) { try SessionDirectory.prepare(layout) } catch {
            throw Failure(error)
        }
        let answer: Result<StartReport, Failure>
        do throws(SystemError) {
            answer = try Self.answer(of: try spawn(configuration), request)
        } catch {
            throw Failure(error)
        }
        return try answer.get()
    }

    private func spawn(_ configuration: Configuration) throws(SystemError) -> LineClient {
        let executable = try TrustedFile.openSelf()
        let pair = try UnixSocket.pair()
        let log = try FileDescriptor.open(
            SessionDirectory(layout, identifier: configuration.identifier).logPath,
            O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        var arguments = [
            programName, "start", "--foreground", "--accept-fd=\(Self.channel)",
        ]
        if !layout.root.isEmpty { arguments.append("--root=\(layout.root)") }
        arguments.append(configuration.identifier)
        do {
            _ = try ChildProcess.launch(
                executable: executable, name: programName, arguments: arguments,
                environment: Self.environment,
                descriptors: [nil, log.raw, log.raw, pair.second.raw], inNewSession: true)
        } catch {
            throw error.error
        }
        return LineClient(pair.keepFirst())
    }

    /// Hands the request to a host, and waits for what it says to it.
    static func answer(of host: LineClient, _ request: StartRequest) throws(SystemError)
        -> Result<StartReport, Failure>
    {
        try host.send(JSONWriter.line(request))
        switch try host.receive(until: .after(milliseconds: answerMilliseconds)) {
        case .line(let line):
            if let failure = Failure(line: line) { return .failure(failure) }
            do { return .success(try StartReport(line: line)) } catch {
                return .failure(Failure(.failure, "internalError", error.text))
            }
        case .closed:
            return .failure(
                Failure(.failure, "sessionHostCrashed", "the session host ended without a word"))
        case .timedOut:
            return .failure(
                Failure(.failure, "sessionHostSilent", "the session host did not answer in time"))
        }
    }
}
