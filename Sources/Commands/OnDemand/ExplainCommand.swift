internal import Glibc
internal import JSON
internal import LinuxSystem
internal import OnDemand
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Says why the rules of On Demand come to what they come to.
struct ExplainCommand {
    /// No snapshot, with all that was said of it, comes near this.
    private static let largestDocument = 16 << 20

    let context: Context
    let names: [String]

    func run() throws(Failure) -> ExitStatus {
        if context.invocation.has("snapshot"), context.invocation.has("ssid-file") {
            throw Failure(UsageError("--snapshot and --ssid-file given"))
        }
        let configurations = try configurations()
        let snapshot: NetworkSnapshot
        let explained: [ExplainedConfiguration]
        if let file = context.invocation.value("snapshot") {
            snapshot = try Self.read(file)
            explained = Self.replay(configurations, on: snapshot)
        } else {
            let look = try ExplainingLook(
                configurations, context.layout,
                ssidFile: context.invocation.value("ssid-file"))
            let reading = try look.finish()
            for problem in reading.problems { context.output.warn("ondemand explain: \(problem)") }
            snapshot = reading.snapshot
            explained = configurations.map { ExplainedConfiguration($0, on: snapshot) }
            noteWhatStands(inTheWayOf: configurations)
        }
        if names.isEmpty, configurations.isEmpty {
            context.output.note("no configuration has rules")
        }
        let answer = Explanation(snapshot: snapshot, configurations: explained)
        try context.output.answer(answer, text: answer.text)
        return .done
    }

    /// Says why what the rules come to is not done.
    private func noteWhatStands(inTheWayOf configurations: [Configuration]) {
        let readings = OnDemandReadings(context.layout)
        for configuration in configurations where configuration.isArmed {
            let name = configuration.name
            let isHeld = context.directory(of: configuration.identifier).hold() != nil
            let report = readings.report(configuration.identifier, isHeld: isHeld)
            switch report.state {
            case .held:
                context.output.note("\(name): held by hand: utunctl ondemand resume \(name)")
            case .following, .probing, .noNetwork: break
            default: context.output.note("\(name): \(report.text(name: name))")
            }
        }
    }

    private func configurations() throws(Failure) -> [Configuration] {
        if let name = names.first { return [try context.configuration(name)] }
        return try context.preferences().configurations.filter { !$0.onDemand.rules.isEmpty }
    }

    /// What the file says of no probe counts as one without an answer.
    private static func replay(_ configurations: [Configuration], on snapshot: NetworkSnapshot)
        -> [ExplainedConfiguration]
    {
        configurations.map { configuration in
            var network = snapshot
            while true {
                let explained = ExplainedConfiguration(configuration, on: network)
                guard case .needsProbe(let url, _) = explained.evaluation.outcome else {
                    return explained
                }
                network.probes[url] = .failed("not in the snapshot")
            }
        }
    }

    private static func read(_ file: String) throws(Failure) -> NetworkSnapshot {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes =
                file == "-"
                ? try readStandardInput(limit: largestDocument)
                : try FileDescriptor.open(file, O_RDONLY).readAll(limit: largestDocument, file)
        } catch {
            throw Failure(error)
        }
        do throws(JSONError) {
            return try JSONDocument(parsing: bytes).withRoot { node throws(JSONError) in
                var reader = try JSONObjectReader(node)
                try reader.formatVersion(atMost: Explanation.formatVersion)
                guard let snapshot = reader.node("snapshot") else {
                    throw reader.mismatch("snapshot", "missing")
                }
                return try NetworkSnapshot(snapshot)
            }
        } catch {
            let failure = Failure(PreferencesError.invalidDocument(error))
            let place = file == "-" ? "standard input" : file
            throw Failure(
                failure.exitStatus, failure.code, "\(place): \(failure.text)",
                hint: failure.hint)
        }
    }
}

/// One look at the network, with the probes that some configurations need.
private final class ExplainingLook {
    private let configurations: [Configuration]
    private let layout: FileLayout
    private let reader: NetworkReader
    private let loop: EventLoop
    private var reading: NetworkReader.Reading?
    private var probes: ProbeQueue?

    init(_ configurations: [Configuration], _ layout: FileLayout, ssidFile: String?)
        throws(Failure)
    {
        self.configurations = configurations
        self.layout = layout
        reader = try NetworkReader(layout, ssidFile: ssidFile)
        do { loop = try EventLoop() } catch { throw Failure(error) }
    }

    func finish() throws(Failure) -> NetworkReader.Reading {
        try reader.read(on: loop) { [self] reading in
            self.reading = reading
            probe()
        }
        do throws(SystemError) { try loop.run() } catch { throw Failure(error) }
        guard let reading else {
            throw Failure(.failure, "internalError", "the network was not read")
        }
        return reading
    }

    /// Makes the probes that are next, until none is needed any more.
    private func probe() {
        guard let snapshot = reading?.snapshot, let link = snapshot.underlying else {
            return loop.stop()
        }
        let urls = configurations.compactMap { configuration -> String? in
            let outcome = configuration.onDemand.evaluate(on: snapshot).outcome
            guard case .needsProbe(let url, _) = outcome else { return nil }
            return url
        }
        guard !urls.isEmpty else { return loop.stop() }
        let queue =
            probes
            ?? ProbeQueue(by: link.interface, layout, on: loop) { [self] url, outcome in
                reading?.snapshot.probes[url] = outcome
                if probes?.isIdle == true { probe() }
            }
        probes = queue
        urls.forEach(queue.ask)
    }
}
