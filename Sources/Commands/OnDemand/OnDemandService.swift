internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
internal import OnDemand
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Follows the network and what is saved, and starts and stops tunnels as their rules say.
///
/// It is told of everything and polls nothing. What it knows it can find anew, or lies in
/// `OnDemandRecord`: it may end at any moment without a tunnel noticing.
final class OnDemandService {
    /// Changes come in flocks: they are looked at when none has come for so long.
    private static let quietMilliseconds: Int64 = 200
    /// Or so long after the first of them, where they do not end.
    private static let longestMilliseconds: Int64 = 1000
    /// How soon the network is looked at again where not all of it could be read; twice as long
    /// each time, and at most 64 times.
    private static let troubleMilliseconds = 1000
    /// How soon a stop that failed is tried again.
    static let stopRetryMilliseconds: Int64 = 10_000

    let context: Context
    let files: OnDemandFiles
    let policy: RetryPolicy
    let loop: EventLoop
    let network: NetworkReader
    private let networkChanges: NetworkChanges
    private let directories: DirectoryWatch
    private let signals: SignalDescriptor
    private let sleepWatch: SleepWatch
    private let lock: FileLock
    /// This program, to be run again.
    let program: String
    private let notifier = ServiceNotifier()

    var record: OnDemandRecord
    /// Whether it could not be written down as it is.
    var isUnwritten = false
    /// The tunnels that have yet to hear that the network has changed.
    var unaware: Set<String> = []
    /// Those that a person wants tried again, and that have yet to hear it.
    var resumed: Set<String> = []
    /// The probes on this network; `nil` where none has been asked for.
    var probes: ProbeQueue?
    /// Commands that run, by the tunnels that they are about.
    var running: [String: HelperRun] = [:]
    /// Starts that wait for their turn, in the order of the configurations.
    var waitingStarts: [OnDemandCommand] = []
    /// The start that runs.
    var startUnderWay: String?
    private var hasWoken = false
    private var firstChange: Deadline?
    private var quiet: EventLoop.Timer?
    var alarm: EventLoop.Timer?
    /// What has gone wrong and was said, so that it is said once.
    private var complaints: Set<String> = []
    /// How often in a row the network could not be read.
    private var troubles = 0
    private var trouble: EventLoop.Timer?

    /// Prepares the service; throws where one runs already.
    init(_ context: Context, _ policy: RetryPolicy, ssidFile: String?) throws(Failure) {
        self.context = context
        self.policy = policy
        files = OnDemandFiles(context.layout)
        do throws(SessionError) { try SessionDirectory.prepare(context.layout) } catch {
            throw Failure(error)
        }
        lock = try Self.lock(files)
        program = try Self.ownPath()
        record = files.record() ?? OnDemandRecord()
        do throws(SystemError) {
            loop = try EventLoop()
            directories = try DirectoryWatch()
            signals = try SignalDescriptor([SIGTERM, SIGINT])
            sleepWatch = try SleepWatch()
        } catch {
            throw Failure(error)
        }
        network = try NetworkReader(context.layout, ssidFile: ssidFile)
        networkChanges = try NetworkChanges(context.layout, ssidFile: ssidFile)
    }

    private static func lock(_ files: OnDemandFiles) throws(Failure) -> FileLock {
        let lock: FileLock?
        do throws(SystemError) { lock = try files.takeLock() } catch { throw Failure(error) }
        guard let lock else {
            throw Failure(
                .conflict, "onDemandRuns", "On Demand is followed by another process already",
                hint: "systemctl status utunctl-ondemand.service")
        }
        return lock
    }

    // By its path and not as an open file: an upgrade puts a new program there.
    private static func ownPath() throws(Failure) -> String {
        guard let path = Directory.linkTarget("/proc/self/exe") else {
            throw Failure(.notPossible, "procMissing", "/proc is not mounted")
        }
        return path
    }

    /// Runs until a signal ends it; the tunnels stay as they are.
    func run() throws(Failure) -> ExitStatus {
        SignalDescriptor.ignoreBrokenPipes()
        do throws(SystemError) {
            try networkChanges.report(on: loop) { [weak self] in self?.changed() }
            try loop.add(directories.descriptor.raw) { [weak self] _ in
                self?.directories.drain()
                self?.changed()
            }
            try loop.add(sleepWatch.raw) { [weak self] _ in
                guard self?.sleepWatch.hasSlept() == true else { return }
                self?.hasWoken = true
                self?.changed()
            }
            try loop.add(signals.descriptor.raw) { [weak self] _ in self?.loop.stop() }
        } catch {
            throw Failure(error)
        }
        lookAround()
        do throws(SystemError) { try loop.run() } catch { throw Failure(error) }
        notifier.send(["STOPPING=1"])
        return .done
    }

    /// Takes notice that something has changed, and looks at it when that has settled.
    func changed() {
        let latest = firstChange ?? .after(milliseconds: Self.longestMilliseconds)
        firstChange = latest
        loop.cancel(quiet)
        let pause = min(Self.quietMilliseconds, Int64(latest.remainingMilliseconds))
        quiet = loop.schedule(milliseconds: pause) { [weak self] in self?.lookAround() }
    }

    /// Looks at everything anew, and does what the rules say.
    private func lookAround() {
        loop.cancel(quiet)
        quiet = nil
        firstChange = nil
        watchDirectories()
        do throws(Failure) {
            try network.read(on: loop) { [weak self] reading in self?.take(reading) }
        } catch {
            complain("the network cannot be read: \(error.text)")
            turn()
        }
    }

    private func take(_ reading: NetworkReader.Reading) {
        var seen = reading.snapshot
        if reading.problems.isEmpty {
            complaints = []
            troubles = 0
        } else {
            for problem in reading.problems { complain(problem) }
            if let known = record.network { seen.fillGaps(from: known) }
            lookAgain()
        }
        note(seen, hasWoken: hasWoken)
        hasWoken = false
        turn()
    }

    // Nothing may tell when whoever could not be asked can be asked again.
    private func lookAgain() {
        troubles += 1
        let pause = Self.troubleMilliseconds << min(troubles, 6)
        loop.cancel(trouble)
        trouble = loop.schedule(milliseconds: Int64(pause)) { [weak self] in self?.changed() }
    }

    /// Does what the rules say on the network that was seen last.
    func turn() {
        guard let document = preferences() else { return ready("the preferences cannot be read") }
        let armed = document.configurations.filter(\.isArmed)
        decide(armed)
        ready(armed.isEmpty ? "no tunnel has On Demand" : "\(armed.count) with On Demand")
    }

    private func ready(_ text: String) {
        notifier.send(["READY=1", "STATUS=\(text)"])
    }

    private func watchDirectories() {
        for path in context.layout.watchedDirectories {
            do throws(SystemError) { try directories.addWithParents(path) } catch {
                complain("\(path) cannot be watched: \(error.text)")
            }
        }
        do throws(SystemError) { try networkChanges.watchDirectories() } catch {
            complain("the resolver cannot be watched: \(error.text)")
        }
    }

    // While they cannot be read everything stays as it is.
    private func preferences() -> PreferencesDocument? {
        do throws(Failure) {
            return try context.preferences()
        } catch {
            complain("nothing is done: \(error.text)")
            return nil
        }
    }

    /// Says once what goes wrong.
    func complain(_ text: String) {
        guard complaints.insert(text).inserted else { return }
        context.output.warn(text)
        if complaints.count > 100 { complaints = [text] }
    }
}
