internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// The firewall table of a running session: written as a whole, compared with the kernel whenever
/// that tells of a change, and put back.
final class SessionFirewall {
    /// How long to wait before what could not be put back is tried again.
    private static let retryMilliseconds: Int64 = 1000
    /// How long to wait at least between two looks, so that a quarrel with another program costs
    /// little.
    private static let pauseMilliseconds: Int64 = 50

    /// What the table is to be.
    private(set) var plan: FirewallPlan
    /// How often others took it away or changed it.
    private(set) var restored: UInt64 = 0
    /// Why the table is not what it is to be; `nil` where it is, or is not to be at all.
    private(set) var failure: FirewallError?

    private let socket: FirewallSocket
    private let events: FirewallEventSocket
    private let loop: EventLoop
    private let log: HostLog
    private var writer: HelperRun?
    private var retry: EventLoop.Timer?
    private var looking: EventLoop.Timer?
    /// What was written last, and what the kernel showed of it then.
    private var written: (text: String, fingerprint: UInt64)?
    private var waiting: [(FirewallError?) -> Void] = []
    /// Whether anything was written, so that the kernel is to show it.
    private(set) var isExpected = false
    private var isRemoved = false
    /// Whether it is to be written even where it is as it should be.
    private var mustWrite = false
    private var pauseEnd: Timestamp?
    private var pauseDeadline: Deadline?

    /// What the table was there for before; `nil` where there was none.
    let former: FirewallMode?

    /// Takes over the table of a plan, and writes nothing yet.
    init(_ plan: FirewallPlan, on loop: EventLoop, log: HostLog) throws(FirewallError) {
        do throws(NetlinkError) {
            // One for the whole session: to close it may take the kernel some milliseconds.
            let socket = try FirewallSocket()
            events = try FirewallEventSocket()
            former = try socket.table(named: plan.table).map {
                FirewallLabel($0.comment)?.mode ?? .none
            }
            self.socket = socket
        } catch {
            throw .kernel(error)
        }
        self.plan = plan
        self.loop = loop
        self.log = log
        do throws(SystemError) {
            try loop.add(events.fileDescriptor) { [weak self] _ in self?.readEvents() }
        } catch {
            throw .system(error)
        }
    }

    deinit {
        loop.cancel(retry)
        loop.cancel(looking)
        loop.remove(events.fileDescriptor)
    }

    /// Whether the kernel shows what was written, as far as it has told until now.
    var isPresent: Bool {
        readEvents()
        return written != nil
    }

    /// Puts up the table before the loop runs, or throws and leaves what there was.
    func begin() throws(FirewallError) {
        try RuleWriter.write(plan.text(isThere: former != nil))
        try noteWritten(plan.text)
    }

    /// Deletes what a session before has left, as nothing of this one is written yet.
    func clear() {
        guard former != nil else { return }
        do throws(NetlinkError) { try socket.deleteTable(named: plan.table) } catch {
            log.note(error.description)
        }
    }

    /// Goes back to what there was before a start that came to nothing.
    func retreat() {
        guard isExpected else { return }
        guard former?.blocks == true else { return remove() }
        // The table of this start blocks as well, should this fail.
        try? RuleWriter.write(plan.blocked.text)
        isRemoved = true
    }

    /// Until when the block is lifted.
    var pausedUntil: Timestamp? {
        pauseDeadline.map { !$0.hasPassed } == true ? pauseEnd : nil
    }

    /// Changes the plan, and calls back once it is in force or is known not to be.
    func update(
        _ change: (inout FirewallPlan) -> Void,
        completion: @escaping (FirewallError?) -> Void = { _ in }
    ) {
        change(&plan)
        waiting.append(completion)
        write()
    }

    /// Lifts the block for so many seconds, or no longer where these are none.
    func pause(seconds: UInt32, completion: @escaping (FirewallError?) -> Void) {
        pauseDeadline = .after(milliseconds: Int64(seconds) * 1000)
        pauseEnd = Timestamp(
            microseconds: Timestamp.now.microseconds + Int64(seconds) * 1_000_000)
        // The table stays the same but for a set that does not count.
        mustWrite = true
        update({ _ in }, completion: completion)
    }

    /// Deletes the table, for good.
    func remove() {
        isRemoved = true
        stopWriting()
        guard !isSuperseded(by: present) else { return }
        do throws(NetlinkError) { try socket.deleteTable(named: plan.table) } catch {
            log.note(error.description)
        }
    }

    /// Puts the form in its place that lets nothing out, for good.
    func block(completion: @escaping () -> Void) {
        update({ $0 = $0.blocked }) { [weak self] failure in
            // The form of the running tunnel is left, which lets nothing of others out either.
            if let failure { self?.log.note("the block is as it was: \(failure.text)") }
            self?.stopWriting()
            self?.isRemoved = true
            completion()
        }
    }

    /// The table as the kernel has it now; `nil` where there is none.
    private var present: FirewallTable? { try? socket.table(named: plan.table) }

    /// Whether a table is that of a later session of the same configuration.
    ///
    /// Then that of this host, which has lost its files, counts no more. Indexes of interfaces
    /// only grow.
    private func isSuperseded(by table: FirewallTable?) -> Bool {
        table.flatMap { FirewallLabel($0.comment) }.map { $0.link > plan.link } ?? false
    }

    private func stopWriting() {
        loop.cancel(retry)
        retry = nil
        writer = nil
        waiting = []
    }

    private func write() {
        guard writer == nil else { return }
        if written?.text == plan.text, failure == nil, !mustWrite { return complete(nil) }
        mustWrite = false
        // Where that cannot be told, there may be one.
        let isThere: Bool
        do throws(NetlinkError) {
            let table = try socket.table(named: plan.table)
            guard !isSuperseded(by: table) else { return complete(nil) }
            isThere = table != nil
        } catch {
            isThere = true
        }
        loop.cancel(retry)
        retry = nil
        var plan = plan
        plan.pauseSeconds = UInt32((pauseDeadline?.remainingMilliseconds ?? 0) / 1000)
        let text = self.plan.text
        do throws(FirewallError) {
            writer = try RuleWriter.start(plan.text(isThere: isThere), on: loop) {
                [weak self] failure in self?.end(of: text, failure)
            }
        } catch {
            complete(error)
        }
    }

    private func end(of text: String, _ failure: FirewallError?) {
        writer = nil
        var failure = failure
        if failure == nil {
            do { try noteWritten(text) } catch { failure = error }
        }
        guard failure == nil, text != plan.text || mustWrite else { return complete(failure) }
        write()
    }

    private func noteWritten(_ text: String) throws(FirewallError) {
        guard let fingerprint = try fingerprint() else { throw .changedMeanwhile }
        written = (text, fingerprint)
        isExpected = true
    }

    private func complete(_ failure: FirewallError?) {
        self.failure = failure
        let waiting = waiting
        self.waiting = []
        for completion in waiting { completion(failure) }
        guard failure != nil, isExpected, !isRemoved, retry == nil else { return }
        retry = loop.schedule(milliseconds: Self.retryMilliseconds) { [weak self] in
            self?.retry = nil
            self?.write()
        }
    }

    /// Looks whether everything is as it was written, where no event may have told.
    func reconsider() { scheduleLook() }

    private func readEvents() {
        let changes: FirewallEventSocket.Changes
        do throws(NetlinkError) { changes = try events.read() } catch {
            return log.note(error.description)
        }
        if changes.mayConcern(plan.table) { scheduleLook() }
    }

    // At once the first time; most events are of our own writing.
    private func scheduleLook() {
        guard looking == nil else { return }
        look()
        looking = loop.schedule(milliseconds: Self.pauseMilliseconds) { [weak self] in
            self?.looking = nil
            self?.look()
        }
    }

    private func look() {
        // While it is written, nothing is known; the end of that brings events of its own.
        guard isExpected, !isRemoved, writer == nil, let written,
            (try? fingerprint()) != written.fingerprint, !isSuperseded(by: present)
        else { return }
        restored += 1
        log.note("the firewall table \(plan.table) was changed by others, and is put back")
        self.written = nil
        write()
    }

    private func fingerprint() throws(FirewallError) -> UInt64? {
        do throws(NetlinkError) {
            return try socket.fingerprint(
                ofTable: plan.table, without: [FirewallPlan.pauseSet])
        } catch {
            throw .kernel(error)
        }
    }
}
