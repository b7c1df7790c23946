internal import LinuxSystem
internal import OnDemand
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// One `utunctl start` or `utunctl stop`, run by the service as a person would run it.
struct OnDemandCommand {
    /// More than either takes at the longest.
    private static let milliseconds: Int64 = 180_000

    let step: OnDemandStep
    let identifier: String
    let name: String
    /// Why, for the log.
    let reason: String

    /// What has come of it, where nothing went wrong.
    var done: String {
        switch step {
        case .start(.traffic): "accepted, to wait for traffic"
        case .start(.now): "accepted"
        case .wake: "woken"
        case .stop: "stopped"
        }
    }

    /// Runs it; `completion` is called with what went wrong.
    ///
    /// `program` is this program's own path.
    func run(
        _ program: String,
        _ layout: FileLayout,
        on loop: EventLoop,
        completion: @escaping (String?) -> Void
    ) -> HelperRun? {
        HelperRun.start(
            program, arguments(layout), milliseconds: Self.milliseconds, on: loop
        ) { outcome in
            switch outcome {
            case .success: completion(nil)
            case .failure(let failure): completion(Self.text(of: failure))
            }
        }
    }

    private func arguments(_ layout: FileLayout) -> [String] {
        var arguments = ["--quiet"]
        if !layout.root.isEmpty { arguments.append("--root=\(layout.root)") }
        switch step {
        case .start(let when):
            arguments += ["start", "--origin=ondemand", "--when=\(when.rawValue)"]
        case .wake: arguments += ["start", "--origin=ondemand"]
        case .stop: arguments += ["stop", "--origin=ondemand", "--reason=\(reason)"]
        }
        return arguments + [identifier]
    }

    /// What the command itself said, without what every message begins with.
    private static func text(of failure: HelperRun.Failure) -> String {
        guard case .failed(_, _, let said) = failure, let line = said.first else {
            return failure.text
        }
        let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == programName else { return line }
        return String(parts[2].drop { $0 == " " })
    }
}
