internal import LinuxSystem
internal import TunnelModel

/// The resolver of a tunnel with systemd-resolved, by resolvectl(1).
///
/// What is set belongs to the link, and goes with it whatever becomes of the session.
final class LinkResolver: TunnelResolver {
    let backend = DNSReport.Backend.resolved
    private(set) var settings = DNSSettings()
    private(set) var restored: UInt64 = 0

    private static let milliseconds: Int64 = 5000
    private static let removalMilliseconds: Int64 = 1000
    private static let lookMilliseconds: Int64 = 200

    private let program: String
    private let index: UInt32
    private let loop: EventLoop
    private let log: HostLog
    private let watch: DirectoryWatch
    private let places: [String]
    private var run: HelperRun?
    private var look: EventLoop.Timer?
    private var isBusy = false
    private var isLookDue = false
    private var isSet = false
    private var found: String?
    private var quarrel = Quarrel()
    private var hasGivenUp = false

    /// Prepares to set what `program` sets for a link; `places` change when that does.
    init(
        _ program: String,
        link index: UInt32,
        watching places: [String],
        on loop: EventLoop,
        log: HostLog
    ) throws(SystemError) {
        self.program = program
        self.index = index
        self.places = places
        self.loop = loop
        self.log = log
        watch = try DirectoryWatch()
        try loop.add(watch.descriptor.raw) { [weak self] _ in self?.readEvents() }
    }

    deinit {
        stop()
    }

    var warnings: [TunnelWarning] {
        guard let found else { return [] }
        let end = hasGivenUp ? ", again and again; it is left alone" : ""
        return [TunnelWarning(.dnsChanged, found + end)]
    }

    func difference() -> String? { found }

    func apply(_ settings: DNSSettings, completion: @escaping (String?) -> Void) {
        hasGivenUp = false
        set(settings) { [weak self] failure in
            if failure == nil, let self {
                self.isSet = true
                for place in self.places { _ = try? self.watch.add(place) }
            }
            completion(failure)
        }
    }

    func remove(completion: @escaping () -> Void) {
        stop()
        guard isSet else { return completion() }
        isSet = false
        // The link takes it away as well: this is for what still asks in between.
        run = HelperRun.start(
            program, ["revert", "\(index)"], milliseconds: Self.removalMilliseconds, on: loop
        ) { [log] outcome in
            if case .failure(let failure) = outcome { log.note(failure.text) }
            completion()
        }
    }

    private func set(_ settings: DNSSettings, completion: @escaping (String?) -> Void) {
        let link = ResolvedLink(settings)
        let needsPlain = self.settings.tls && !settings.tls
        isBusy = true
        perform(link.commands(index, resettingTLS: needsPlain)) { [weak self] failure in
            guard let self else { return }
            guard failure == nil else {
                self.isBusy = false
                return completion(failure)
            }
            self.settings = settings
            self.verify { difference in
                self.isBusy = false
                self.found = difference
                completion(difference)
                self.lookAgainIfDue()
            }
        }
    }

    /// Runs commands one after the other; why one failed, where it did.
    private func perform(_ commands: [[String]], completion: @escaping (String?) -> Void) {
        guard let command = commands.first else { return completion(nil) }
        start(command) { [weak self] outcome in
            switch outcome {
            case .success:
                self?.perform(Array(commands.dropFirst()), completion: completion)
            case .failure(let failure): completion(failure.text)
            }
        }
    }

    private func start(_ arguments: [String], _ completion: @escaping (HelperRun.Outcome) -> Void) {
        run = HelperRun.start(
            program, arguments, milliseconds: Self.milliseconds, on: loop, completion: completion)
    }

    /// Reads back what is in force; how it differs, where it does.
    private func verify(completion: @escaping (String?) -> Void) {
        verify(ResolvedLink(settings).expectations, completion)
    }

    private func verify(
        _ expectations: [ResolvedLink.Expectation],
        _ completion: @escaping (String?) -> Void
    ) {
        guard let expectation = expectations.first else { return completion(nil) }
        start([expectation.verb, "\(index)"]) { [weak self] outcome in
            switch outcome {
            case .success(let answer):
                let text = String(decoding: answer, as: UTF8.self)
                if let difference = expectation.difference(from: text) {
                    return completion("systemd-resolved has \(difference)")
                }
                self?.verify(Array(expectations.dropFirst()), completion)
            case .failure(let failure): completion(failure.text)
            }
        }
    }

    private func readEvents() {
        watch.drain()
        scheduleLook()
    }

    func reconsider() { scheduleLook() }

    private func scheduleLook() {
        guard isSet, look == nil, !hasGivenUp else { return }
        look = loop.schedule(milliseconds: Self.lookMilliseconds) { [weak self] in
            self?.look = nil
            self?.lookAgain()
        }
    }

    private func lookAgainIfDue() {
        guard isLookDue else { return }
        isLookDue = false
        scheduleLook()
    }

    private func lookAgain() {
        guard isSet, !hasGivenUp else { return }
        guard !isBusy else {
            isLookDue = true
            return
        }
        isBusy = true
        verify { [weak self] difference in
            guard let self else { return }
            self.isBusy = false
            self.found = difference
            if let difference { self.putBack(difference) } else { self.lookAgainIfDue() }
        }
    }

    private func putBack(_ difference: String) {
        guard quarrel.admits(at: Clock.monotonicNanoseconds) else {
            hasGivenUp = true
            return log.note("\(difference), again and again; it is left alone")
        }
        set(settings) { [weak self] failure in
            guard let self else { return }
            if let failure {
                self.found = failure
                return self.log.note("\(difference), and could not be put back: \(failure)")
            }
            self.restored += 1
            self.log.note("\(difference); what the tunnel brings was put back")
        }
    }

    private func stop() {
        loop.cancel(look)
        run = nil
        loop.remove(watch.descriptor.raw)
    }
}
