internal import Glibc
internal import LinuxSystem
internal import Preferences
internal import TunnelModel

/// Where the resolver of a tunnel is set on this host.
enum ResolverPlace: Equatable {
    /// With systemd-resolved, by its program.
    case resolved(program: String)
    /// In a resolv.conf(5).
    case file(path: String)

    /// Where systemd-resolved answers: systemd-resolved(8).
    static let stubs = [IPAddress(v4: 0x7F00_0035), IPAddress(v4: 0x7F00_0036)]

    /// Looks where programs ask on this host.
    ///
    /// systemd-resolved counts where it lives and where resolv.conf leads to it: a program that
    /// asks somebody else hears nothing of what is set there.
    ///
    /// In a network namespace of its own it is the file that programs there get to see.
    static func find(_ layout: FileLayout, in namespace: String?) throws(ResolverProblem)
        -> ResolverPlace
    {
        if let namespace {
            return .file(path: "\(layout.namespaceFiles(namespace))/resolv.conf")
        }
        let path = layout.path("/etc/resolv.conf")
        guard isResolvedLive(layout), leadsToResolved(path, layout) else {
            return .file(path: path)
        }
        let program = layout.path("/usr/bin/resolvectl")
        do throws(TrustedFile.Failure) { _ = try TrustedFile.openExecutable(program) } catch {
            throw .unusable(path: program, problem: error.problem)
        }
        return .resolved(program: program)
    }

    /// The place for the settings of a configuration's tunnel; refuses what cannot be put into
    /// force there.
    static func find(
        for settings: DNSSettings,
        of configuration: Configuration,
        _ layout: FileLayout
    ) throws(ResolverProblem) -> ResolverPlace {
        let place = try find(layout, in: configuration.interface.networkNamespace)
        try place.check(settings, for: configuration.identifier, layout)
        return place
    }

    private func check(_ settings: DNSSettings, for identifier: String, _ layout: FileLayout)
        throws(ResolverProblem)
    {
        guard case .file(let path) = self else { return }
        if let key = settings.keyBeyondFile {
            let problem =
                key == "tls" ? "DNS over TLS" : "a resolver for some domains and not for others"
            throw .unavailable(
                key: key, problem: "\(problem) needs systemd-resolved, which is not in use here")
        }
        let target: String
        let holder: String?
        do throws(SystemError) {
            target = try AtomicFile.farEnd(of: path)
            holder = try ResolverFileOnDisk(path).holder(otherThan: identifier, layout)
        } catch {
            throw .unusable(path: path, problem: error.reason)
        }
        let isSystems = path == layout.path("/etc/resolv.conf")
        guard layout.root.isEmpty || target.hasPrefix("\(layout.root)/"),
            layout.root.isEmpty || !isSystems || access(path, F_OK) == 0
        else {
            // The system's own is never written below another root.
            throw .unusable(path: path, problem: "there is none below this root")
        }
        // The directory of a namespace is made with its file.
        let directory = AtomicFile.split(target).directory
        let place = access(directory, F_OK) == 0 || isSystems ? directory : layout.path("/etc")
        guard access(place, W_OK) == 0 || access(target, W_OK) == 0 else {
            let failure = errno
            throw .unusable(path: target, problem: SystemError.reason(of: failure))
        }
        // What is mounted over it, or may not be changed at all, is in the way of both. Who is not
        // root may replace in a directory of his own what he may not write to.
        if access(target, W_OK) != 0, [EROFS, EPERM].contains(errno) {
            throw .unusable(path: target, problem: SystemError.reason(of: errno))
        }
        if let holder { throw .taken(path: path, by: holder) }
    }

    private static func isResolvedLive(_ layout: FileLayout) -> Bool {
        ["/run/systemd/resolve/io.systemd.Resolve", "/run/dbus/system_bus_socket"].allSatisfy {
            if case .living = SocketFile.look(at: layout.path($0)) { true } else { false }
        }
    }

    private static func leadsToResolved(_ path: String, _ layout: FileLayout) -> Bool {
        let target = (try? AtomicFile.farEnd(of: path)) ?? path
        if target.hasPrefix(layout.path("/run/systemd/resolve/")) { return true }
        // Also while a tunnel that is gone has left its own there.
        guard let file = try? ResolverFileOnDisk(path).content else { return true }
        let servers = file.formerServers
        return !servers.isEmpty && servers.allSatisfy { stubs.contains($0) }
    }
}
