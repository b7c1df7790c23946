internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// systemd as the supervisor of tunnels, by systemctl(1).
struct ServiceManager {
    /// What systemd says of a unit.
    struct UnitState: Equatable {
        /// Such as `active`, `activating` or `failed`.
        var active: String
        /// Such as `running` or `auto-restart`.
        var sub: String
        /// How its last run ended: `success`, or what went wrong.
        var result: String
        var hasJob: Bool
        /// The exit status of its main process, as systemd.exec(5) has it; empty where none ran.
        var mainStatus = ""
        /// Whether its files are others than those that systemd has read.
        var needsDaemonReload = false

        /// Whether nothing of it runs, and nothing is about to.
        var isAtRest: Bool { ["inactive", "failed"].contains(active) && !hasJob }

        /// Whether it has failed, and is to be started again in a moment.
        var isAboutToStartAgain: Bool { sub == "auto-restart" }

        /// The state as systemctl(1) shows it.
        var text: String { "\(active) (\(sub))" }
    }

    private static let program = "/usr/bin/systemctl"
    private static let template = "utunctl@.service"
    /// Where units lie: systemd.unit(5).
    private static let unitDirectories = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system", "/lib/systemd/system",
    ]
    private static let answerMilliseconds: Int64 = 10_000

    /// The manager, where it supervises the tunnels of a layout: it runs this system, has the unit,
    /// and is on the same network, on which a tunnel of its own would come up.
    static func find(_ layout: FileLayout) -> ServiceManager? {
        guard layout.root.isEmpty, Directory.exists("/run/systemd/system"),
            unitDirectories.contains(where: { Directory.holds("\($0)/\(template)") }),
            sharesNetworkOfInit
        else { return nil }
        return ServiceManager()
    }

    // Each network has files of its own in /proc. The name of a process's namespace says the same
    // only to whoever may trace that process, which the service of On Demand may not.
    private static var sharesNetworkOfInit: Bool {
        var own = stat()
        var other = stat()
        return stat("/proc/self/net/dev", &own) == 0 && stat("/proc/1/net/dev", &other) == 0
            && own.st_ino == other.st_ino && own.st_dev == other.st_dev
    }

    /// The unit of a tunnel.
    static func unit(of name: String) -> String { "utunctl@\(name).service" }

    /// The name of the tunnel that a unit is of.
    static func name(ofUnit unit: some StringProtocol) -> String {
        String(unit.dropFirst("utunctl@".count).dropLast(".service".count))
    }

    /// The unit that a process belongs to, by its control group; `nil` where that is no tunnel's.
    static func unit(ofProcess pid: String) -> String? {
        guard let file = try? FileDescriptor.open("/proc/\(pid)/cgroup", O_RDONLY),
            let bytes = try? file.readAll(limit: 1 << 16)
        else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self).split {
            $0 == "/" || $0.isNewline
        }
        return parts.first { $0.hasPrefix("utunctl@") && $0.hasSuffix(".service") }.map {
            String($0)
        }
    }

    /// The unit of a session that lives, whatever its configuration is called by now.
    static func unit(of directory: SessionDirectory) -> String? {
        guard let pid = try? SessionClient(directory).hostPID() else { return nil }
        return unit(ofProcess: String(pid))
    }

    /// Has a unit started, and waits for nothing.
    func start(_ unit: String) throws(Failure) {
        try run(["--no-block", "start", unit])
    }

    /// Has a unit stopped; with `waits` it is at rest afterwards.
    func stop(_ unit: String, waits: Bool, milliseconds: Int64) throws(Failure) {
        try run((waits ? [] : ["--no-block"]) + ["stop", unit], milliseconds: milliseconds)
    }

    /// Has the unit of a session that has ended come to rest, also where it was about to start
    /// another; answers whether it was.
    func settle(_ unit: String, waits: Bool, milliseconds: Int64) throws(Failure) -> Bool {
        // It would wait for itself.
        guard Self.unit(ofProcess: "self") != unit else { return false }
        let before = try state(of: unit)
        var after = before
        if !before.isAtRest {
            try stop(unit, waits: waits, milliseconds: milliseconds + 10_000)
            if waits { after = try state(of: unit) }
        }
        // Whoever wants a tunnel down does not want a unit left that counts as failed.
        if waits, after.active == "failed" { try run(["reset-failed", unit]) }
        return before.isAboutToStartAgain
    }

    /// Ends what a unit that has failed is about to do: to start once more.
    func endTrying(_ unit: String) throws(Failure) {
        guard try state(of: unit).isAboutToStartAgain else { return }
        try stop(unit, waits: true, milliseconds: Self.answerMilliseconds)
    }

    /// Refuses what would be done to a unit that by now is another tunnel's, which was renamed.
    func refuseUnit(_ unit: String, ofOtherThan directory: SessionDirectory) throws(Failure) {
        guard let other = Self.identifier(ofUnit: unit, directory.layout),
            other != directory.identifier
        else { return }
        let record = SessionDirectory(directory.layout, identifier: other).record()
        throw Failure(
            .conflict, "unitRuns", "\(unit) runs another tunnel, \(record?.name ?? other)",
            hint: "utunctl stop \(other), and start that by the name that it has now")
    }

    /// The tunnel whose session host is a unit's.
    static func identifier(ofUnit unit: String, _ layout: FileLayout) -> String? {
        SessionDirectory.identifiers(in: layout).first {
            Self.unit(of: SessionDirectory(layout, identifier: $0)) == unit
        }
    }

    /// Asks how a unit is.
    func state(of unit: String) throws(Failure) -> UnitState {
        let printed = try run([
            "show",
            "--property=ActiveState,SubState,Result,Job,ExecMainStatus,NeedDaemonReload", unit,
        ])
        var values: [Substring: Substring] = [:]
        for line in printed.split(whereSeparator: \.isNewline) {
            guard let equals = line.firstIndex(of: "=") else { continue }
            values[line[..<equals]] = line[line.index(after: equals)...]
        }
        guard let active = values["ActiveState"] else {
            throw Failure(.failure, "serviceManagerFailed", "systemctl show \(unit): no answer")
        }
        return UnitState(
            active: String(active), sub: String(values["SubState"] ?? ""),
            result: String(values["Result"] ?? ""),
            hasJob: values["Job"].map { !$0.isEmpty && $0 != "0" } ?? false,
            mainStatus: String(values["ExecMainStatus"] ?? ""),
            needsDaemonReload: values["NeedDaemonReload"] == "yes")
    }

    /// How often systemd by itself has started a unit again since somebody has.
    func restarts(of unit: String) throws(Failure) -> Int? {
        let printed = try run(["show", "--property=NRestarts", "--value", unit])
        return printed.split(whereSeparator: \.isNewline).first.flatMap { Int($0) }
    }

    /// The tunnels whose units failed and are about to be started again.
    func startingAgain(milliseconds: Int64) throws(Failure) -> Set<String> {
        let printed = try run(
            [
                "list-units", "--plain", "--no-legend", "--full", "--state=auto-restart",
                Self.unit(of: "*"),
            ], milliseconds: milliseconds)
        return Set(
            printed.split(whereSeparator: \.isNewline).compactMap { line in
                line.split(separator: " ").first.map { Self.name(ofUnit: $0) }
            })
    }

    /// The jobs that are to be done, by unit: `start`, `stop`, `restart` and so on.
    func jobs() throws(Failure) -> [String: String] {
        let printed = try run(["list-jobs", "--plain", "--no-legend", "--full"])
        var jobs: [String: String] = [:]
        for line in printed.split(whereSeparator: \.isNewline) {
            // JOB UNIT TYPE STATE
            let words = line.split(separator: " ")
            guard words.count >= 3 else { continue }
            jobs[String(words[1])] = String(words[2])
        }
        return jobs
    }

    /// Runs systemctl(1), and answers what it printed.
    @discardableResult
    func run(_ arguments: [String], milliseconds: Int64 = answerMilliseconds) throws(Failure)
        -> String
    {
        do throws(HelperRun.Failure) {
            let printed = try HelperRun.finish(
                Self.program, ["--no-pager", "--no-ask-password"] + arguments,
                milliseconds: milliseconds)
            return String(decoding: printed, as: UTF8.self)
        } catch {
            if case .failed(_, _, let said) = error, let last = said.first {
                throw Failure(
                    .failure, "serviceManagerFailed", "systemd: \(last)",
                    hint: "see to that, or use --direct, without systemd")
            }
            throw Failure(.failure, "serviceManagerFailed", error.text)
        }
    }
}
