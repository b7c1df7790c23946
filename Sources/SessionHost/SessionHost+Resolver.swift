internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

// The resolver that a tunnel brings.

extension SessionHost {
    /// Puts a resolver into force, or takes away the one that was; why not, where that fails.
    ///
    /// Without any, before and after, it is done when this returns, and nothing was looked at.
    func setResolver(_ settings: DNSSettings?, completion: @escaping (String?) -> Void) {
        guard let settings else {
            pausedDNS = nil
            return removeResolver { completion(nil) }
        }
        guard !interface.isPaused else {
            pausedDNS = settings
            return completion(nil)
        }
        do throws(ResolverProblem) {
            if resolver == nil { resolver = try makeResolver(settings) }
            let turn = takeTurn()
            resolver?.apply(settings, completion: completion)
            _ = consume turn
        } catch {
            completion(error.text)
        }
    }

    /// Takes away the resolver, if there is one; what is noted of it goes back with the rest.
    func removeResolver(completion: @escaping () -> Void) {
        guard let leaving = resolver.take() else { return completion() }
        leaving.remove { [weak self] in
            withExtendedLifetime(leaving) {
                self?.takeBackResolverFile()
                completion()
            }
        }
    }

    /// Has names asked for as without the tunnel, or by its resolver again: the servers that it
    /// brings cannot be reached while the block is lifted.
    func setResolverPaused(_ isPaused: Bool) {
        if isPaused {
            guard let resolver else { return }
            pausedDNS = resolver.settings
            return removeResolver {}
        }
        guard let settings = pausedDNS else { return }
        setResolver(settings) { [weak self] failure in
            guard let self, !isEnding else { return }
            guard let failure else { return pausedDNS = nil }
            log.note("the resolver is not back after the pause: \(failure)")
            loop.schedule(milliseconds: 1000) { [weak self] in
                guard let self, !interface.isPaused else { return }
                setResolverPaused(false)
            }
        }
    }

    /// The resolver as the status shows it.
    var resolverReport: DNSReport {
        guard let resolver else { return DNSReport() }
        return DNSReport(
            resolver.backend, resolver.settings, isVerified: resolver.difference() == nil)
    }

    /// The servers that only this tunnel brings, and that are not asked for its own servers.
    var broughtServers: [IPAddress] {
        resolver?.backend == .resolved ? resolver?.settings.servers ?? [] : []
    }

    private func makeResolver(_ settings: DNSSettings) throws(ResolverProblem)
        -> any TunnelResolver
    {
        let place = try ResolverPlace.find(for: settings, of: configuration, layout)
        do throws(SystemError) {
            switch place {
            case .resolved(let program):
                let directory = layout.path("/run/systemd/resolve")
                return try LinkResolver(
                    program, link: interface.index, watching: [directory, "\(directory)/netif"],
                    on: loop, log: log)
            case .file(let path):
                return try FileResolver(
                    path, mark: interface.mark, name: configuration.name, on: loop, log: log
                ) { [weak self] change throws(SystemError) in
                    try self?.refuseHeldFile(path)
                    try self?.noteResolverFile(change)
                }
            }
        } catch {
            throw .system(error)
        }
    }

    // It may have become another tunnel's since it was found to be free.
    private func refuseHeldFile(_ path: String) throws(SystemError) {
        let file = ResolverFileOnDisk(path)
        guard let holder = try file.holder(otherThan: configuration.identifier, layout) else {
            return
        }
        throw SystemError("the resolver of \(holder) stands in", path, errno: EBUSY)
    }

    private func noteResolverFile(_ change: RecordedChange) throws(SystemError) {
        record.changes.removeAll(where: \.isResolverFile)
        record.changes.append(change)
        try directory.write(record)
    }

    private func takeBackResolverFile() {
        guard let change = record.changes.last(where: \.isResolverFile) else { return }
        do throws(SystemError) {
            try change.takeBack()
            record.changes.removeAll(where: \.isResolverFile)
        } catch {
            // It stays in the record, for whoever comes next.
            log.note(error.text)
        }
    }
}

extension RecordedChange {
    fileprivate var isResolverFile: Bool {
        if case .resolverFile = self { true } else { false }
    }
}
