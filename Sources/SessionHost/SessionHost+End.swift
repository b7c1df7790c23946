internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// How a session ends: what was set is taken back, then its files, then the lock.
extension SessionHost {
    /// Whether the host stays blocked by the end that is under way.
    private var keepsBlock: Bool {
        guard case .tearingDown(let reason) = state else { return false }
        return configuration.routing.keepsBlock(after: reason.code)
    }

    /// Ends the session on somebody's behalf.
    func stop(_ reason: DisconnectReason) {
        // First, and here too: this start may have lifted the hold that the stop has set.
        if reason.code.setsHold, directory.hold() == nil {
            do throws(SystemError) { try directory.setHold(by: .user) } catch {
                log.note(error.text)
            }
        }
        handle(.stopRequested(reason))
    }

    func tearDown() {
        lookups = [:]
        followIdleness()
        abandonReloads()
        // What is set for the link is taken away before the link is.
        removeResolver { [weak self] in self?.tearDownNetwork() }
    }

    private func tearDownNetwork() {
        // Where it stays, it is written beside what follows.
        let keepsBlock = keepsBlock
        if keepsBlock { firewall?.block { [weak self] in self?.handle(.tornDown) } }
        do throws(NetlinkError) { try interface.tearDown(keepsBlock: keepsBlock) } catch {
            log.note(error.description)
        }
        provider = nil
        removeControlSocket()
        if let failure = record.takeBackChanges() { log.note(failure.text) }
        guard !keepsBlock || firewall == nil else { return }
        firewall?.remove()
        handle(.tornDown)
    }

    func finish() {
        guard case .ended(let reason) = state else { return }
        let disconnect = Disconnect(attempt: request.attempt, time: .now, reason: reason)
        let floor = ClockFloor.of(configuration, layout)
        if let remedy = reason.code.remedy(at: disconnect.time, floor: floor) { log.note(remedy) }
        leaveDirectory(reason)
        lock = nil
        control.publishEnd(disconnect, forced: wasForced)
        loop.stop()
    }

    private func leaveDirectory(_ reason: DisconnectReason) {
        do throws(SystemError) {
            // Others may have removed the files of this session; those of the next one stay.
            if let isOurs = try lock?.isAt(directory.lockPath), !isOurs, directory.hasLock {
                return
            }
            try directory.end(record, reason)
        } catch {
            // The runtime directory may be gone, and with it everything that was in it.
            log.note(error.text)
        }
        do throws(SystemError) { try directory.removeLivingFiles() } catch {
            log.note(error.text)
        }
    }
}
