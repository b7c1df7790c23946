internal import LinuxSystem
internal import TunnelModel

/// The resolver of a tunnel in resolv.conf(5), which each program reads by itself.
final class FileResolver: TunnelResolver {
    let backend = DNSReport.Backend.file
    private(set) var settings = DNSSettings()
    private(set) var restored: UInt64 = 0

    private let file: ResolverFileOnDisk
    private let mark: String
    private let name: String
    private let loop: EventLoop
    private let log: HostLog
    private let note: (RecordedChange) throws(SystemError) -> Void
    private let watch: DirectoryWatch
    private var look: EventLoop.Timer?
    private var written: [UInt8]?
    /// Where it lies, symbolic links followed.
    private var place = ""
    private var former = ResolverFile.Former.nothing
    private var quarrel = Quarrel()
    private var hasGivenUp = false

    /// Prepares to write a file; `note` puts the change into the session's record.
    init(
        _ path: String,
        mark: String,
        name: String,
        on loop: EventLoop,
        log: HostLog,
        note: @escaping (RecordedChange) throws(SystemError) -> Void
    ) throws(SystemError) {
        file = ResolverFileOnDisk(path)
        self.mark = mark
        self.name = name
        self.loop = loop
        self.log = log
        self.note = note
        watch = try DirectoryWatch()
        try loop.add(watch.descriptor.raw) { [weak self] _ in self?.readEvents() }
    }

    deinit {
        stop()
    }

    var warnings: [TunnelWarning] {
        var warnings: [TunnelWarning] = []
        if let text = difference() {
            let end = hasGivenUp ? ", again and again; it is left alone" : ""
            warnings.append(TunnelWarning(.dnsChanged, text + end))
        }
        if let reduction = Self.reduction(of: settings, at: file.path) {
            warnings.append(reduction)
        }
        return warnings
    }

    /// What is lost of some settings in such a file.
    static func reduction(of settings: DNSSettings, at path: String) -> TunnelWarning? {
        guard settings.servers.count > ResolverFile.mostServers else { return nil }
        return TunnelWarning(
            .dnsReduced,
            "\(path) takes \(ResolverFile.mostServers) of the \(settings.servers.count) servers")
    }

    func apply(_ settings: DNSSettings, completion: @escaping (String?) -> Void) {
        do throws(SystemError) {
            try write(settings)
            hasGivenUp = false
            completion(difference())
        } catch {
            completion(error.text)
        }
    }

    func difference() -> String? {
        guard let written else { return nil }
        do throws(SystemError) {
            guard let bytes = try file.bytes else { return "\(file.path) was removed" }
            return bytes == written ? nil : "\(file.path) was changed by another program"
        } catch {
            return error.text
        }
    }

    func remove(completion: @escaping () -> Void) {
        stop()
        written = nil
        // The record says how it was before; what is noted there is taken back with it.
        completion()
    }

    private func write(_ settings: DNSSettings) throws(SystemError) {
        let target = try AtomicFile.farEnd(of: file.path)
        if !place.isEmpty, place != target {
            // Somebody has laid the link elsewhere: where it led to, all is as it was.
            try ResolverFileOnDisk(place).restore(from: mark, remembering: former)
        }
        let present = try file.content
        switch present?.former {
        // Nobody but ourselves has written it, and it may say less by now than it did.
        case .some where present?.mark == mark && !place.isEmpty: break
        case .some(.lost): throw SystemError("reading", file.path, errno: 22)
        case .some(let found): former = found
        // That somebody removed ours says nothing of what is to be there without us.
        case nil: former = place.isEmpty ? .nothing : former
        }
        try note(.resolverFile(path: file.path, mark: mark, former: former.text))
        try Directory.create(AtomicFile.split(file.path).directory, mode: 0o755)
        let bytes = ResolverFile.compose(settings, mark: mark, name: name, former: former)
        try AtomicFile.setContent(of: file.path, to: bytes)
        place = try AtomicFile.farEnd(of: file.path)
        written = bytes
        self.settings = settings
        watchPlaces()
    }

    private func watchPlaces() {
        for path in Set([file.path, place]) {
            _ = try? watch.add(AtomicFile.split(path).directory)
            watch.addFile(path)
        }
    }

    private func readEvents() {
        watch.drain()
        reconsider()
    }

    func reconsider() {
        guard look == nil, !hasGivenUp else { return }
        // Others write in several steps.
        look = loop.schedule(milliseconds: 100) { [weak self] in
            self?.look = nil
            self?.putBack()
        }
    }

    private func putBack() {
        guard written != nil, let text = difference() else { return }
        guard quarrel.admits(at: Clock.monotonicNanoseconds) else {
            hasGivenUp = true
            return log.note("\(text), again and again; it is left alone")
        }
        do throws(SystemError) {
            try write(settings)
            restored += 1
            log.note("\(text); what the tunnel brings was put back")
        } catch {
            log.note("\(text), and could not be put back: \(error.text)")
        }
    }

    private func stop() {
        loop.cancel(look)
        loop.remove(watch.descriptor.raw)
    }
}

extension ResolverFile.Former {
    /// The content, where there is one and it is text.
    fileprivate var text: String? {
        guard case .content(let bytes) = self else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
