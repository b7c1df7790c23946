internal import LinuxSystem
internal import Preferences
internal import TunnelModel

// The resolver that a tunnel brings.

extension SessionHost {
    /// Puts a resolver into force, or takes away the one that was; why not, where that fails.
    ///
    /// Without any, before and after, it is done when this returns, and nothing was looked at.
    func setResolver(_ settings: DNSSettings?, completion: @escaping (String?) -> Void) {
        guard let settings else { return removeResolver { completion(nil) } }
        do throws(ResolverProblem) {
            if resolver == nil { resolver = try makeResolver(settings) }
            resolver?.apply(settings, completion: completion)
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
                    try self?.noteResolverFile(change)
                }
            }
        } catch {
            throw .system(error)
        }
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
