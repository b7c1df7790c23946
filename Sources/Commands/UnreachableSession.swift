internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// A session that cannot be asked, because its files were removed or it is no more.
///
/// What it holds in the kernel is known by its mark, and the kernel names who holds it.
struct UnreachableSession {
    /// How long processes take to go once they were killed.
    private static let killMilliseconds: Int64 = 5000

    private let directory: SessionDirectory
    private let leftovers: Leftovers
    private let reason: DisconnectReason

    init(_ layout: FileLayout, _ identifier: String, _ reason: DisconnectReason) {
        directory = SessionDirectory(layout, identifier: identifier)
        leftovers = Leftovers(layout)
        self.reason = reason
    }

    /// Whether its host lives, as far as its lock says so.
    var holdsLock: Bool {
        get throws(SessionError) {
            do { return try directory.lockIsHeld() } catch { throw .system(error) }
        }
    }

    /// Stops it, and clears what is left; `nil` when it can be asked by now.
    ///
    /// A host that lives ends by the deletion of its interface; one that has not ended after
    /// `timeout` milliseconds is killed.
    func stop(timeout: Int64) throws(SessionError) -> StopOutcome? {
        let interface = try leftovers.interface(of: directory.identifier)
        guard let interface, interface.isHeld else {
            guard try !holdsLock else { return try awaitRelease(timeout) }
            try repair(recording: .hostCrashed)
            return StopOutcome(wasRunning: interface != nil, forced: false)
        }
        let holders = Self.processes(holding: interface.name)
        _ = try leftovers.deleteInterface(of: directory.identifier)
        let wasForced = Self.end(holders, .after(milliseconds: timeout))
        guard try !holdsLock else {
            throw .unreachableSession(interface: interface.name)
        }
        // Its host could not know who took its interface away.
        try repair(recording: reason)
        try correctRecord()
        return StopOutcome(wasRunning: true, forced: wasForced)
    }

    private func awaitRelease(_ timeout: Int64) throws(SessionError) -> StopOutcome? {
        let deadline = Deadline.after(milliseconds: timeout)
        while try holdsLock {
            // It was only beginning, and slowly.
            if (try? SessionClient(directory)) != nil { return nil }
            guard !deadline.hasPassed else { throw .alreadyRunning }
            RunningSession.pause()
        }
        return StopOutcome(wasRunning: true, forced: false)
    }

    private func repair(recording reason: DisconnectReason) throws(SessionError) {
        _ = try leftovers.repair(directory.identifier, recording: reason)
    }

    private func correctRecord() throws(SessionError) {
        guard var record = directory.record(), let end = record.end,
            end.reason.code == .interfaceRemoved
        else { return }
        record.end = Disconnect(attempt: end.attempt, time: end.time, reason: reason)
        do { try directory.write(record) } catch { throw .system(error) }
    }

    private static func processes(holding interface: String) -> [OtherProcessBox] {
        TunDevice.holders(ofInterface: interface).compactMap { try? OtherProcessBox($0) }
    }

    /// Waits for the end of processes, and kills those that go on; answers whether it had to.
    private static func end(_ processes: [OtherProcessBox], _ deadline: Deadline) -> Bool {
        let left = processes.filter { !$0.hasEnded(by: deadline) }
        for process in left { process.kill() }
        let killed = Deadline.after(milliseconds: killMilliseconds)
        for process in left { _ = process.hasEnded(by: killed) }
        return !left.isEmpty
    }
}

/// A process in an array, which holds no `~Copyable` value.
private final class OtherProcessBox {
    private let process: OtherProcess

    init(_ pid: Int32) throws(SystemError) {
        process = try OtherProcess(pid: pid)
    }

    func kill() {
        try? process.signal(SIGKILL)
    }

    func hasEnded(by deadline: Deadline) -> Bool {
        let ended = try? LineClient.wait(
            for: [(process.descriptor.raw, .readable)], until: deadline)
        return ended?.isEmpty == false
    }
}
