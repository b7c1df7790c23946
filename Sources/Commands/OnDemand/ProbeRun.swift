internal import Glibc
internal import LinuxSystem
internal import OnDemand
internal import Preferences
internal import SessionHost

/// One request to the URL of a probe by curl(1), which leaves by one link and by no tunnel.
final class ProbeRun {
    private static let places = ["/usr/bin/curl", "/usr/local/bin/curl"]
    /// How long curl takes at most, in seconds; it is ended when it takes longer.
    static let seconds: Int64 = 5

    private var run: HelperRun?
    private var timer: EventLoop.Timer?
    private let loop: EventLoop

    /// Begins; `completion` is called once, on the loop and never at once, unless the probe goes
    /// before.
    init(
        _ url: String,
        by interface: String,
        _ layout: FileLayout,
        on loop: EventLoop,
        completion: @escaping (ProbeOutcome) -> Void
    ) {
        self.loop = loop
        // It speaks with whoever answers: with no rights, and no more of the system than it needs.
        // Its standard output hangs up when nobody reads it any more.
        let isolation = ChildProcess.Isolation(
            hasOwnNetwork: false, user: Sandbox.user, livenessDescriptor: 1)
        do throws(HelperRun.Failure) {
            run = try HelperRun(
                Self.program(layout), Self.arguments(url, by: interface), isolation: isolation,
                milliseconds: (Self.seconds + 1) * 1000, on: loop
            ) { completion(Self.outcome($0)) }
        } catch {
            timer = loop.schedule(milliseconds: 0) { completion(Self.outcome(.failure(error))) }
        }
    }

    deinit {
        loop.cancel(timer)
    }

    /// What curl is told: nothing of a caller's settings counts, no redirection is followed, no
    /// proxy asked, and what is answered is thrown away.
    static func arguments(_ url: String, by interface: String) -> [String] {
        [
            // Before all others, or it would come too late.
            "--disable", "--silent", "--show-error", "--globoff", "--noproxy", "*",
            "--proto", "=http,https", "--max-redirs", "0", "--max-time", "\(seconds)",
            "--interface", "if!\(interface)", "--output", "/dev/null",
            "--write-out", "%{http_code}", "--url", url,
        ]
    }

    /// The program that makes them.
    static func program(_ layout: FileLayout) -> String {
        let places = [layout.path(places[0])] + places
        return places.first { access($0, F_OK) == 0 } ?? places[0]
    }

    private static func outcome(_ outcome: HelperRun.Outcome) -> ProbeOutcome {
        switch outcome {
        case .success(let printed):
            let text = String(decoding: printed, as: UTF8.self)
            return Int(text).map { .status($0) } ?? .failed("no HTTP status")
        case .failure(.failed(_, _, let said)) where !said.isEmpty:
            return .failed(withoutPrefix(said[0]))
        case .failure(.silent): return .failed("no answer in \(seconds) seconds")
        case .failure(.unusable(let path, let problem)): return .failed("\(path): \(problem)")
        case .failure(.failed(_, let ending, _)): return .failed("curl \(ending)")
        case .failure(let failure): return .failed(failure.text)
        }
    }

    /// What curl says without its name and number: `curl: (7) `.
    private static func withoutPrefix(_ text: String) -> String {
        guard text.hasPrefix("curl: ("), let end = text.firstIndex(of: ")") else { return text }
        return String(text[end...].dropFirst().drop { $0 == " " })
    }
}
