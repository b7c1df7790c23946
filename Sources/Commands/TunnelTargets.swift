internal import Preferences
internal import SessionHost
internal import TunnelModel

/// A tunnel that a verb acts on: saved, or known by what a session left of it.
struct TunnelTarget: Equatable {
    let identifier: String
    /// The saved name, or else that of its last session, or else the identifier.
    let name: String
    /// What is saved; `nil` where nothing is, or where it cannot be read.
    let configuration: Configuration?
}

/// Finds out what is meant by a name, with the preferences or without them.
struct TunnelTargets {
    /// What is saved; `nil` where it cannot be read.
    let document: PreferencesDocument?
    /// Why it cannot be read.
    let problem: Failure?
    private let layout: FileLayout

    /// Reads the preferences once.
    init(_ context: Context) {
        layout = context.layout
        do throws(Failure) {
            document = try context.preferences()
            problem = nil
        } catch {
            document = nil
            problem = error
        }
    }

    /// The tunnel with a name or an identifier: that of the preferences, or else that of a
    /// session, or else, where the preferences cannot be read, the identifier as it is.
    func resolve(_ name: String) throws(Failure) -> TunnelTarget {
        if let configuration = document?.configuration(name) {
            return target(configuration.identifier)
        }
        if let identifier = identifierOfSession(named: name) { return target(identifier) }
        let firewalls = Leftovers(layout).firewalls()
        if let found = firewalls.first(where: { $0.label.name == name || $0.identifier == name }) {
            return target(found.identifier)
        }
        guard Identifier.isValid(name) else { throw unknown(name) }
        if document != nil, try !isKnown(name) { throw unknown(name) }
        return target(name)
    }

    /// The tunnels that the operands name, or those that `all` finds where --all is given.
    func chosen(
        by context: Context,
        all: (TunnelTargets) throws(Failure) -> [TunnelTarget]
    ) throws(Failure) -> [TunnelTarget] {
        let names = context.invocation.operands
        let verb = context.invocation.verb ?? ""
        if context.invocation.has("all") {
            guard names.isEmpty else {
                throw Failure(UsageError("\(verb) takes names or --all, not both"))
            }
            return try all(self)
        }
        guard !names.isEmpty else {
            throw Failure(
                UsageError("no name given", hint: "utunctl \(verb) NAME, or --all"))
        }
        var found: [TunnelTarget] = []
        for name in names { found.append(try resolve(name)) }
        return found
    }

    /// The tunnels of all sessions that live or left an interface or a firewall behind.
    func living() throws(Failure) -> [TunnelTarget] {
        var identifiers = Set(try markedIdentifiers())
        for firewall in Leftovers(layout).firewalls() { identifiers.insert(firewall.identifier) }
        for identifier in SessionDirectory.identifiers(in: layout)
        where try isHeld(SessionDirectory(layout, identifier: identifier)) {
            identifiers.insert(identifier)
        }
        return identifiers.sorted().map(target)
    }

    /// The tunnel with an identifier, whether anything knows it or not.
    func target(_ identifier: String) -> TunnelTarget {
        let configuration = document?.configurations.first { $0.identifier == identifier }
        let record = SessionDirectory(layout, identifier: identifier).record()
        return TunnelTarget(
            identifier: identifier,
            name: configuration?.name ?? record?.name ?? blockName(identifier) ?? identifier,
            configuration: configuration)
    }

    // Where nothing else is left: the table of a kill switch says whose it is.
    private func blockName(_ identifier: String) -> String? {
        Leftovers(layout).firewalls().first { $0.identifier == identifier }?.label.name
    }

    /// The identifier of the latest session with a name that no configuration has.
    private func identifierOfSession(named name: String) -> String? {
        let saved = Set(document?.configurations.map(\.identifier) ?? [])
        var latest: SessionRecord?
        for identifier in SessionDirectory.identifiers(in: layout) where !saved.contains(identifier)
        {
            let directory = SessionDirectory(layout, identifier: identifier)
            guard let record = directory.record(), record.name == name else { continue }
            // Of a configuration that is known to be gone, an ended session is only history.
            guard document == nil || record.end == nil else { continue }
            if latest.map({ $0.started < record.started }) ?? true { latest = record }
        }
        return latest?.identifier
    }

    private func isKnown(_ identifier: String) throws(Failure) -> Bool {
        if SessionDirectory.identifiers(in: layout).contains(identifier) { return true }
        return try markedIdentifiers().contains(identifier)
    }

    private func unknown(_ name: String) -> Failure {
        guard let problem else {
            return Context.noSuchConfiguration(
                name, names: document?.configurations.map(\.name) ?? [])
        }
        // Who may not read what is saved is not told that it is not there.
        if problem.exitStatus == .notPossible { return problem }
        return Failure(
            .noSuchConfiguration, "noSuchConfiguration",
            "no session of \(name.shownInMessage) is known, and what is saved cannot be read: "
                + problem.text,
            hint: problem.hint)
    }

    private func markedIdentifiers() throws(Failure) -> [String] {
        do { return try Leftovers(layout).markedIdentifiers() } catch { throw Failure(error) }
    }

    private func isHeld(_ directory: SessionDirectory) throws(Failure) -> Bool {
        do { return try directory.lockIsHeld() } catch { throw Failure(error) }
    }
}
