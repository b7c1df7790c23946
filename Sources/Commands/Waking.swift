internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// Has a session that waits for traffic connect without any.
struct Waking {
    private static let answerMilliseconds: Int64 = 2000

    private let directory: SessionDirectory

    init(_ directory: SessionDirectory) {
        self.directory = directory
    }

    /// Asks the session host; a session that has connected meanwhile is none the worse for it.
    func wake(for origin: SessionOrigin) throws(Failure) {
        let reply: SessionClient.Reply
        do throws(SessionClient.Failure) {
            let client = try SessionClient(directory)
            try client.send(.connect(origin))
            reply = client.receive(until: .after(milliseconds: Self.answerMilliseconds))
        } catch {
            reply = .closed
        }
        switch reply {
        case .reply(.told): return
        case .reply(.refused(let text)):
            // By one of another version as well, which does not know what is asked.
            throw Failure(
                .conflict, "sessionChanges", "its session does not connect: \(text)",
                hint: "utunctl status NAME")
        case .reply, .closed:
            throw Failure(
                .conflict, "sessionChanges", "its session has come to an end",
                hint: "utunctl status NAME")
        case .timedOut:
            throw Failure(
                .conflict, "sessionHostSilent", "the session host does not answer",
                hint: "utunctl stop NAME")
        }
    }
}
