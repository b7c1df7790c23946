internal import Glibc
internal import LinuxSystem
internal import SessionHost
internal import TunnelModel

/// Prints what is logged as it is, until it is interrupted.
///
/// Nothing is polled: the kernel tells of the file, and journalctl(1) of the journal.
final class LogFollow {
    private let command: LogCommand
    private let loop: EventLoop
    private let directories: DirectoryWatch
    private let signals: SignalDescriptor
    private var process: JournalProcess?
    private var buffer = LineBuffer(longest: Journal.longestEntry)
    private var failure: Failure?

    init(_ command: LogCommand) throws(Failure) {
        self.command = command
        do throws(SystemError) {
            loop = try EventLoop()
            directories = try DirectoryWatch()
            signals = try SignalDescriptor([SIGINT, SIGTERM])
        } catch {
            throw Failure(error)
        }
    }

    func run() throws(Failure) -> ExitStatus {
        let started = Timestamp.now
        do throws(SystemError) {
            // Before the first reading, so that nothing can come between.
            try watch()
            try loop.add(directories.descriptor.raw) { [weak self] _ in self?.changed() }
            try loop.add(signals.descriptor.raw) { [weak self] _ in self?.loop.stop() }
        } catch {
            throw Failure(error)
        }
        // Where nobody reads any more, nothing is to be waited for; a file is never hung up.
        try? loop.add(STDOUT_FILENO, []) { [weak self] _ in
            self?.fail(Failure(.failure, "outputFailed", ""))
        }
        let backlog = try command.backlog(isLast: false)
        try command.print(backlog)
        try command.tellForbidden(backlog, isFollowing: true)
        try followJournal(since: started)
        do throws(SystemError) { try loop.run() } catch { throw Failure(error) }
        if let failure { throw failure }
        return (try? signals.next()) == SIGTERM ? .terminated : .interrupted
    }

    private func watch() throws(SystemError) {
        let path = command.directory.logPath
        try directories.addWithParents(AtomicFile.split(path).directory)
        directories.addFile(path)
    }

    private func changed() {
        directories.drain()
        do throws(Failure) {
            do throws(SystemError) { try watch() } catch { throw Failure(error) }
            try command.print(try command.news())
        } catch {
            fail(error)
        }
    }

    private func followJournal(since started: Timestamp) throws(Failure) {
        guard let journal = command.journal else { return }
        var attempt: String?
        if case .attempt(let chosen) = command.choice { attempt = chosen }
        let process = try journal.follow(attempt: attempt, behind: command.cursor, since: started)
        self.process = process
        do throws(SystemError) {
            try loop.add(process.output.raw) { [weak self] _ in self?.readJournal() }
        } catch {
            throw Failure(error)
        }
    }

    private func readJournal() {
        guard let process else { return }
        let bytes = (try? process.output.read(atMost: 65_536)) ?? []
        if bytes.isEmpty {
            // Without a journal there is still the file.
            loop.remove(process.output.raw)
            self.process = nil
            return
        }
        buffer.append(bytes)
        do throws(Failure) {
            try command.print(Journal.entries(&buffer).map(\.line))
        } catch {
            fail(error)
        }
    }

    private func fail(_ error: Failure) {
        failure = error
        loop.stop()
    }
}
