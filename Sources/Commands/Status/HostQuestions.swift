internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Asks many session hosts at once, under one deadline.
struct HostQuestions {
    /// What one host answered, or why it did not.
    enum Answer {
        case report(SessionReport)
        case failed(SessionClient.Failure)

        var report: SessionReport? {
            if case .report(let report) = self { report } else { nil }
        }

        /// Whether there was nothing that could be asked.
        var isUnreached: Bool {
            switch self {
            case .failed(.none), .failed(.unreachable): true
            case .failed(.forbidden), .failed(.silent), .report: false
            }
        }

        var reading: StatusReadings.Host {
            switch self {
            case .report(let report):
                switch report.providerAnswered {
                case true?: .answers(report.status, .answered)
                case false?: .answers(report.status, .silent)
                case nil: .answers(report.status, .notAsked)
                }
            case .failed(.none): .none
            case .failed(.unreachable): .unreachable
            case .failed(.forbidden): .forbidden
            case .failed(.silent): .silent
            }
        }
    }

    private(set) var answers: [String: Answer] = [:]
    private var waiting: [String: SessionClient] = [:]
    private let layout: FileLayout
    private let networkNamespace = currentNetworkNamespace

    init(_ layout: FileLayout) {
        self.layout = layout
    }

    /// Sends the question to a host.
    mutating func ask(_ identifier: String) {
        do throws(SessionClient.Failure) {
            let client = try SessionClient(SessionDirectory(layout, identifier: identifier))
            try client.send(.status(networkNamespace: networkNamespace))
            waiting[identifier] = client
        } catch {
            answers[identifier] = .failed(error)
        }
    }

    /// Waits for the answers; whoever gave none by the deadline is silent.
    mutating func collect(until deadline: Deadline) {
        while !waiting.isEmpty {
            let ready = try? LineClient.wait(
                for: waiting.values.map { ($0.raw, .readable) }, until: deadline)
            guard let ready, !ready.isEmpty else { break }
            for (identifier, client) in waiting where ready.contains(client.raw) {
                switch client.receiveIfReady() {
                case nil, .timedOut?: continue
                case .closed?: answers[identifier] = .failed(.unreachable)
                case .reply(.status(let report))?: answers[identifier] = .report(report)
                case .reply?: continue
                }
                waiting[identifier] = nil
            }
        }
        for identifier in waiting.keys { answers[identifier] = .failed(.silent) }
        waiting = [:]
    }

    /// Asks hosts again that live and could not be reached.
    ///
    /// Between taking its lock and listening, and once more at its end, a host is there for a
    /// moment and has no socket.
    mutating func askAgain(until deadline: Deadline) {
        while !deadline.hasPassed {
            let living = answers.filter { identifier, answer in
                guard answer.isUnreached else { return false }
                return (try? SessionDirectory(layout, identifier: identifier).lockIsHeld()) ?? false
            }
            guard !living.isEmpty else { return }
            RunningSession.pause()
            for identifier in living.keys {
                answers[identifier] = nil
                ask(identifier)
            }
            collect(until: deadline)
        }
    }
}
