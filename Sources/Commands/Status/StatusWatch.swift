internal import Glibc
internal import JSON
internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
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
    private let directories: DirectoryWatch
    private let links: NetworkEventSocket
    private let signals: SignalDescriptor
    private var hosts: [String: WatchedHost] = [:]
    private var lines: WatchLines
    private var reports: [String: TunnelReport] = [:]
    private var pending: EventLoop.Timer?
    private var failure: Failure?

    init(_ context: Context) throws(Failure) {
        self.context = context
        lines = WatchLines(context.output)
        do throws(SystemError) { loop = try EventLoop() } catch { throw Failure(error) }
        directories = try Self.openDirectories()
        links = try Self.openLinks()
        signals = try Self.openSignals()
    }

    func run() throws(Failure) -> ExitStatus {
        do throws(SystemError) {
            try watchDirectories()
            try loop.add(directories.descriptor.raw) { [weak self] _ in
                self?.directories.drain()
                self?.changed()
            }
            try loop.add(links.fileDescriptor) { [weak self] _ in self?.readLinks() }
            try loop.add(signals.descriptor.raw) { [weak self] _ in self?.loop.stop() }
        } catch {
            throw Failure(error)
        }
        try start()
        do throws(SystemError) { try loop.run() } catch { throw Failure(error) }
        if let failure { throw failure }
        return (try? signals.next()) == SIGTERM ? .terminated : .interrupted
    }

    private static func openDirectories() throws(Failure) -> DirectoryWatch {
        do { return try DirectoryWatch() } catch { throw Failure(error) }
    }

    private static func openLinks() throws(Failure) -> NetworkEventSocket {
        do { return try NetworkEventSocket([.links, .v4Addresses, .v6Addresses]) } catch {
            throw Failure(error)
        }
    }

    private static func openSignals() throws(Failure) -> SignalDescriptor {
        do { return try SignalDescriptor([SIGINT, SIGTERM]) } catch { throw Failure(error) }
    }

    // The parents as well: a directory that is made or removed later is noticed there.
    private func watchDirectories() throws(SystemError) {
        for path in [
            AtomicFile.split(context.layout.preferences).directory,
            context.layout.runtimeDirectory,
        ] {
            _ = try directories.add(path)
            _ = try directories.add(AtomicFile.split(path).directory)
        }
    }

    private func start() throws(Failure) {
        let read = try read()
        try lines.snapshot(read)
        for report in read { reports[report.identifier] = report }
        subscribe(read)
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
            do throws(SystemError) { try watchDirectories() } catch { throw Failure(error) }
            let read = try read()
            for report in read { try show(report) }
            let present = Set(read.map(\.identifier))
            for (identifier, report) in reports where !present.contains(identifier) {
                reports[identifier] = nil
                hosts[identifier] = nil
                try lines.removed(report)
            }
            subscribe(read)
        } catch {
            fail(error)
        }
    }

    private func show(_ report: TunnelReport) throws(Failure) {
        let former = reports[report.identifier]
        reports[report.identifier] = report
        if former?.savedGeneration != report.savedGeneration, report.savedGeneration != nil {
            try lines.configuration(report)
        }
        if former?.comparable != report.comparable { try lines.tunnel(report, at: .now) }
    }

    private func read() throws(Failure) -> [TunnelReport] {
        let selection = try StatusSelection(context)
        do throws(Failure) {
            return selection.reader.read(try selection.subjects()).reports
        } catch {
            // A tunnel that was named may be saved later: until then there is nothing to show.
            guard error.exitStatus == .noSuchConfiguration, !reports.isEmpty else { throw error }
            return []
        }
    }

    private func subscribe(_ read: [TunnelReport]) {
        for report in read where hosts[report.identifier] == nil && report.session != nil {
            let directory = context.directory(of: report.identifier)
            let attempt = report.session?.attempt
            hosts[report.identifier] = WatchedHost(
                directory, loop, shown: report.status,
                onTransition: { [weak self] in self?.transition($0, of: directory, attempt) },
                onEnd: { [weak self] in
                    self?.hosts[directory.identifier] = nil
                    self?.changed()
                })
        }
    }

    private func transition(
        _ transition: SessionTransition,
        of directory: SessionDirectory,
        _ attempt: String?
    ) {
        guard var report = reports[directory.identifier] else { return changed() }
        report.status = transition.status
        report.warnings = []
        reports[directory.identifier] = report
        do throws(Failure) { try lines.tunnel(report, at: transition.time) } catch { fail(error) }
        changed()
    }

    private func readLinks() {
        guard let events = try? links.read(), !events.isEmpty else { return }
        changed()
    }

    private func fail(_ failure: Failure) {
        self.failure = failure
        loop.stop()
    }
}
