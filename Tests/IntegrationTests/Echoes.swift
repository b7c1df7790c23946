import Glibc
import TestSupport

/// What ping counted.
struct EchoCount: Equatable {
    let sent: Int
    let received: Int
    let doubled: Int

    /// Reads the summary that ping ends with.
    init(_ output: String) throws {
        let summary = output.split(separator: "\n").first { $0.contains("packets transmitted") }
        guard let summary else { throw Unexpected("no summary of ping: \(output)") }
        func number(before word: String) -> Int? {
            let part = summary.split(separator: ",").first { $0.contains(word) }
            let digits = part?.drop { !$0.isNumber }.prefix { $0.isNumber }
            return digits.flatMap { Int($0) }
        }
        guard let sent = number(before: "transmitted"), let received = number(before: "received")
        else { throw Unexpected("ping: \(summary)") }
        self.sent = sent
        self.received = received
        doubled = number(before: "duplicates") ?? 0
    }

    var lost: Int { sent - received }
}

/// Echoes that are asked for while something else happens.
final class Echoes {
    private let process: Command

    /// Begins to ask an address so many times, in an interval of seconds.
    ///
    /// The number is told before, as a ping that is ended does not wait for its last answer.
    init(
        to address: String,
        count: Int,
        every interval: Double,
        from place: Place = .here
    ) throws {
        process = try place.daemon([
            "ping", "-n", "-q", "-i", "\(interval)", "-c", "\(count)", "-W", "1", address,
        ])
    }

    deinit {
        process.signal(SIGKILL)
    }

    /// Whether all have been asked for, and answered or waited for.
    var isDone: Bool {
        get throws {
            try process.output(until: "packets transmitted", seconds: 0)
                .contains("packets transmitted")
        }
    }

    /// Waits for the last answer and counts.
    func finish() throws -> EchoCount {
        try EchoCount(try process.finish().output)
    }

    /// Asks so many times, to the end.
    static func run(
        to address: String,
        count: Int,
        every interval: Double = 0.01,
        wait seconds: Int = 1,
        options: [String] = [],
        from place: Place = .here
    ) throws -> EchoCount {
        let result = try Command.run(
            place.command(
                ["/usr/bin/ping", "-n", "-q", "-i", "\(interval)", "-c", "\(count)"]
                    + ["-W", "\(seconds)"] + options + [address]))
        return try EchoCount(result.output)
    }

    /// Whether an address answers within so many seconds.
    static func arrive(
        at address: String,
        from place: Place = .here,
        within seconds: Double = 5
    ) throws -> Bool {
        // While nothing leads there, ping has no summary.
        eventually(seconds: seconds) {
            (try? run(to: address, count: 1, from: place).received) == 1
        }
    }
}
