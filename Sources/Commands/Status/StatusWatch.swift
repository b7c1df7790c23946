internal import Glibc
internal import JSON
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// Follows tunnels: prints a snapshot, then each change as it happens.
///
/// Nothing is polled. The kernel tells of links, the preferences and the runtime directory of
/// files, and each session host of its transitions; whatever tells of something, the tunnels
/// are read anew, and what differs is printed.
final class StatusWatch {
    private let context: Context
    private let loop: EventLoop
    private let changes: StatusChanges
    private let signals: SignalDescriptor
    private var hosts: [String: WatchedHost] = [:]
    private var lines: WatchLines
    private var reports: [String: TunnelReport] = [:]
    private var pending: EventLoop.Timer?
    private var failure: Failure?
    private var hasBegun = false

    init(_ context: Context) throws(Failure) {
        self.context = context
        lines = WatchLines(context.output)
        do throws(SystemError) { loop = try EventLoop() } catch { throw Failure(error) }
        changes = try StatusChanges(context.layout)
        signals = try Self.openSignals()
    }

    func run() throws(Failure) -> ExitStatus {
        do throws(SystemError) {
            try changes.report(on: loop) { [weak self] in self?.changed() }
            try loop.add(signals.descriptor.raw) { [weak self] _ in self?.loop.stop() }
        } catch {
            throw Failure(error)
        }
        try start()
        do throws(SystemError) { try loop.run() } catch { throw Failure(error) }
        if let failure { throw failure }
        return (try? signals.next()) == SIGTERM ? .terminated : .interrupted
    }

    private static func openSignals() throws(Failure) -> SignalDescriptor {
        do { return try SignalDescriptor([SIGINT, SIGTERM]) } catch { throw Failure(error) }
    }

    private func start() throws(Failure) {
        let read = try read()
        try lines.snapshot(read)
        hasBegun = true
        for report in read {
            reports[report.identifier] = report
            if let session = report.session { _ = subscribe(session, seen: session.lastTransition) }
        }
    }

    // Several things tell of one change; a moment later it is read once.
    private func changed() {
        guard pending == nil else { return }
        pending = loop.schedule(milliseconds: 5) { [weak self] in
            guard let self else { return }
            self.pending = nil
            self.refresh()
        }
    }

    private func refresh() {
        do throws(Failure) {
            do throws(SystemError) { try changes.watchDirectories() } catch { throw Failure(error) }
            let read = try read()
            // What the hosts have told by now comes before what was read after it.
            for host in Array(hosts.values) { host.read() }
            for report in read { try show(report) }
            let present = Set(read.map(\.identifier))
            for (identifier, report) in reports where !present.contains(identifier) {
                reports[identifier] = nil
                hosts[identifier] = nil
                try lines.removed(report)
            }
        } catch {
            fail(error)
        }
    }

    private func show(_ report: TunnelReport) throws(Failure) {
        let former = reports[report.identifier]
        if former?.savedGeneration != report.savedGeneration, report.savedGeneration != nil {
            try lines.configuration(report)
            reports[report.identifier]?.savedGeneration = report.savedGeneration
        }
        if let session = report.session {
            // A session that is new here tells its whole life itself.
            if hosts[session.identifier]?.attempt != session.attempt, subscribe(session, seen: 0) {
                reports[report.identifier] = report
                return
            }
            // It has told more since it was read, which was an occasion to read it again.
            if let host = hosts[session.identifier], host.lastTransition > session.lastTransition {
                return
            }
        }
        reports[report.identifier] = report
        if former?.comparable != report.comparable { try lines.tunnel(report, at: .now) }
    }

    private func read() throws(Failure) -> [TunnelReport] {
        let selection = try StatusSelection(context, .asked(by: context))
        let (subjects, unknown) = try selection.subjects()
        // A tunnel that was named when the watch began may be removed, and saved again.
        if let unknown, !hasBegun { throw unknown }
        return selection.reader.read(subjects)
    }

    private func subscribe(_ session: SessionReport, seen: UInt64) -> Bool {
        let directory = context.directory(of: session.identifier)
        hosts[session.identifier] = WatchedHost(
            directory, loop, attempt: session.attempt, seen: seen,
            onTransition: { [weak self] in self?.transition($0, of: directory.identifier) },
            onEnd: { [weak self] in
                self?.hosts[directory.identifier] = nil
                self?.changed()
            })
        return hosts[session.identifier] != nil
    }

    private func transition(_ transition: SessionTransition, of identifier: String) {
        guard var report = reports[identifier] else { return changed() }
        report.status = transition.status
        report.session?.reason = transition.reason
        report.warnings = []
        switch transition.status {
        case .connecting, .waiting: report.session?.connectedSince = nil
        case .connected where report.session?.connectedSince == nil:
            report.session?.connectedSince = transition.time
        case .invalid, .disconnected, .connected, .reasserting, .disconnecting, .unknown: break
        }
        reports[identifier] = report
        do throws(Failure) { try lines.tunnel(report, at: transition.time) } catch { fail(error) }
        changed()
    }

    private func fail(_ failure: Failure) {
        self.failure = failure
        loop.stop()
    }
}
