internal import Glibc
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// What a verb finds of a configuration's session before it acts.
enum RunningSession {
    /// It runs, or is on the way to.
    case running(SessionReport)
    /// It is on its way out; the client hears of its end.
    case ending(SessionClient)
    /// It holds its lock and has no socket yet, or no longer.
    case beginning
    case none

    private static let answerMilliseconds: Int64 = 500

    /// Looks for a session and asks it.
    static func find(_ directory: SessionDirectory) throws(Failure) -> RunningSession {
        let client: SessionClient
        do throws(SessionClient.Failure) {
            client = try SessionClient(directory)
            try client.send(.status(networkNamespace: currentNetworkNamespace))
        } catch {
            return try findWithoutAnswer(directory, error)
        }
        switch client.receive(until: .after(milliseconds: answerMilliseconds)) {
        case .reply(.status(let report)):
            return report.status == .disconnecting || report.status == .disconnected
                ? .ending(client) : .running(report)
        case .reply, .timedOut: throw silent
        case .closed: return .beginning
        }
    }

    /// Waits until a session that ends has ended.
    static func awaitEnd(_ client: SessionClient, until deadline: Deadline) {
        guard (try? client.send(.subscribe)) != nil else { return }
        while true {
            switch client.receive(until: deadline) {
            case .reply(.ended), .closed, .timedOut: return
            case .reply: continue
            }
        }
    }

    /// Lets a little time pass where there is nothing that could be waited for.
    static func pause() {
        usleep(2000)
    }

    private static func findWithoutAnswer(
        _ directory: SessionDirectory,
        _ failure: SessionClient.Failure
    ) throws(Failure) -> RunningSession {
        switch failure {
        case .forbidden:
            throw Failure(
                .notPossible, "sessionHostForbidden", "this user may not ask the session host",
                hint: "run as root")
        case .silent: throw silent
        case .none, .unreachable:
            do { return try directory.lockIsHeld() ? .beginning : .none } catch {
                throw Failure(error)
            }
        }
    }

    private static var silent: Failure {
        Failure(
            .conflict, "sessionHostSilent", "the session host does not answer",
            hint: "utunctl stop NAME")
    }
}
