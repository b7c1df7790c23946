internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
package import Preferences
package import TunnelModel

/// What sessions leave behind that did not come to their own end.
package struct Leftovers: Sendable {
    /// Something that was found or cleared.
    package struct Finding: Equatable, Sendable {
        /// What it is.
        package enum Kind: String, Sendable {
            case interface, record, socket, controlSocket
            /// A firewall table that blocks nothing; one that does is no leftover.
            case firewall
            /// A routing table whose interface is gone, with the rules that lead to it.
            case table
            /// What holds back the host's packets since the tunnel has gone.
            case block
            /// A resolv.conf(5) of a tunnel that is gone.
            case resolverFile
        }

        /// Whose it was; nothing in the kernel says so of a table.
        package let identifier: String?
        package let kind: Kind
        package let subject: String
    }

    /// How long the provider of a host that was killed may hold its TUN after it.
    private static let dyingMilliseconds: Int64 = 500

    let layout: FileLayout

    package init(_ layout: FileLayout) {
        self.layout = layout
    }

    /// Everything of sessions that nobody holds any more, for one configuration or all.
    package func find(_ identifier: String? = nil) throws(SessionError) -> [Finding] {
        var findings: [Finding] = []
        let links = try markedLinks()
        let files = orphanedResolverFiles()
        let firewalls = firewalls()
        let known = Set(SessionDirectory.identifiers(in: layout)).union(links.keys)
            .union(files.map(\.identifier)).union(firewalls.map(\.identifier))
        for candidate in known.sorted() where identifier == nil || candidate == identifier {
            let directory = SessionDirectory(layout, identifier: candidate)
            guard try !isHeld(directory) else { continue }
            if let link = links[candidate], !link.hasCarrier {
                findings.append(
                    Finding(identifier: candidate, kind: .interface, subject: link.name))
            }
            if let record = directory.record(), record.end == nil {
                findings.append(
                    Finding(identifier: candidate, kind: .record, subject: record.name))
                if let file = Self.controlSocket(of: record) {
                    findings.append(
                        Finding(
                            identifier: candidate, kind: .controlSocket, subject: file.path))
                }
            }
            if let file = files.first(where: { $0.identifier == candidate }) {
                findings.append(
                    Finding(identifier: candidate, kind: .resolverFile, subject: file.path))
            } else if let record = directory.record(), record.end != nil, record.hasOwnChanges {
                findings.append(
                    Finding(identifier: candidate, kind: .record, subject: record.name))
            }
            if directory.hasLivingFiles {
                findings.append(
                    Finding(identifier: candidate, kind: .socket, subject: directory.socketName))
            }
            for firewall in firewalls
            where firewall.identifier == candidate && !firewall.label.mode.blocks {
                findings.append(
                    Finding(identifier: candidate, kind: .firewall, subject: firewall.table))
            }
        }
        guard identifier == nil else { return findings }
        let tables = try kernel { reader throws(NetlinkError) in try reader.orphanedTables() }
        return findings + tables.map(Self.finding)
    }

    /// Removes the tables whose interface is gone and the rules that lead there, whoever made
    /// them; a block that stands stays.
    package func clearTables() throws(SessionError) -> [Finding] {
        try kernel { reader throws(NetlinkError) in
            try reader.removeOrphans()
        }.map(Self.finding)
    }

    /// Lifts the block that sessions of a configuration left standing.
    ///
    /// That of a session which lives is its own to lift.
    package func liftBlock(of identifier: String) throws(SessionError) -> [Finding] {
        try kernel { reader throws(NetlinkError) in
            let living = try reader.markedLinks()[identifier]?.index
            return try reader.liftBlock(of: identifier, except: living)
        }.map { Finding(identifier: identifier, kind: .block, subject: "\($0)") }
    }

    /// Those of some configurations whose block stands.
    package func blocked(among identifiers: some Sequence<String>) throws(SessionError)
        -> [String]
    {
        try kernel { reader throws(NetlinkError) in
            let owners = Set(try reader.standingBlocks().map(\.owner))
            return owners.isEmpty ? [] : identifiers.filter { owners.contains(reader.owner($0)) }
        }
    }

    /// Clears what is left of one configuration's former sessions, whose lock is ours.
    ///
    /// An interface whose TUN somebody still holds belongs to a session that lost its
    /// runtime directory: that is no leftover, and the start is refused.
    func clear(_ directory: SessionDirectory) throws(SessionError) {
        let deadline = Deadline.after(milliseconds: Self.dyingMilliseconds)
        while let link = try markedLinks()[directory.identifier] {
            if !link.hasCarrier {
                try delete(link, directory.identifier)
                break
            }
            guard !deadline.hasPassed else {
                throw .unreachableSession(interface: link.name)
            }
            usleep(2000)
        }
        _ = try clearTables()
        if var record = directory.record() {
            _ = try? Self.controlSocket(of: record)?.remove()
            if let failure = record.takeBackChanges() { throw .notTakenBack(failure) }
        }
        _ = try clearResolverFiles(holding: directory.identifier)
    }

    /// Takes the lock of a configuration that nobody holds, and clears what is left.
    ///
    /// The record is to say `reason`, where the session itself said nothing. The answer is
    /// what was cleared; `nil` when a session holds the lock.
    package func repair(_ identifier: String, recording reason: DisconnectReason)
        throws(SessionError) -> [Finding]?
    {
        try within(identifier) { () throws(SessionError) in
            try repairHere(identifier, recording: reason)
        }
    }

    private func repairHere(_ identifier: String, recording reason: DisconnectReason)
        throws(SessionError) -> [Finding]?
    {
        let directory = SessionDirectory(layout, identifier: identifier)
        var findings = try find(identifier)
        guard !findings.isEmpty else {
            return try isHeld(directory) ? nil : try clearTables()
        }
        try SessionDirectory.prepare(layout)
        guard let lock = try directory.takeLock() else { return nil }
        findings = findings.filter { $0.kind != .socket || directory.hasLivingFiles }
        if let link = try markedLinks()[identifier], !link.hasCarrier {
            try delete(link, identifier)
        }
        findings += try clearTables()
        var failure: SystemError?
        if var record = directory.record() {
            if let failure = record.takeBackChanges() {
                throw .notTakenBack(failure)
            }
            do throws(SystemError) {
                try Self.controlSocket(of: record)?.remove()
                if record.end == nil {
                    try directory.end(record, reason)
                } else {
                    try directory.write(record)
                }
            } catch {
                failure = failure ?? error
            }
        }
        // As long as links forwarded for the tunnel, it held back what they were not to forward.
        try clearFirewall(of: identifier)
        _ = try clearResolverFiles(holding: identifier)
        do throws(SystemError) { try directory.removeLivingFiles() } catch {
            failure = failure ?? error
        }
        _ = consume lock
        if let failure { throw .system(failure) }
        return findings
    }

    /// Deletes the marked interface of a session that cannot be reached; its host, if it
    /// lives, ends by that.
    ///
    /// - Returns: the name of the interface, or `nil` when there is none.
    package func deleteInterface(of identifier: String) throws(SessionError) -> String? {
        try within(identifier) { () throws(SessionError) in
            guard let link = try markedLinks()[identifier] else { return nil }
            try delete(link, identifier)
            _ = try clearTables()
            return link.name
        }
    }

    /// The name of the marked interface of a configuration, and whether somebody holds it.
    package func interface(of identifier: String) throws(SessionError)
        -> (name: String, isHeld: Bool)?
    {
        try within(identifier) { () throws(SessionError) in
            try markedLinks()[identifier].map { ($0.name, $0.hasCarrier) }
        }
    }

    /// The identifiers of all marked interfaces.
    package func markedIdentifiers() throws(SessionError) -> [String] {
        Array(try markedLinks().keys)
    }

    /// Does something in the network namespace that a session of a configuration lived in, if
    /// that has a name and is still the same.
    func within<Value>(_ identifier: String, _ body: () throws(SessionError) -> Value)
        throws(SessionError) -> Value
    {
        let record = SessionDirectory(layout, identifier: identifier).record()
        guard let record, let name = record.namespaceName,
            let namespace = try? NetworkNamespace(at: layout.networkNamespace(name)),
            namespace.identity == record.networkNamespace
        else { return try body() }
        return try namespace.run(body)
    }

    private func markedLinks() throws(SessionError) -> [String: Link] {
        try kernel { reader throws(NetlinkError) in try reader.markedLinks() }
    }

    private func delete(_ link: Link, _ identifier: String) throws(SessionError) {
        _ = try kernel { reader throws(NetlinkError) in
            try reader.deleteLink(index: Int(link.index), identifier: identifier)
        }
    }

    private func kernel<Value>(_ body: (KernelReader) throws(NetlinkError) -> Value)
        throws(SessionError) -> Value
    {
        do { return try body(try KernelReader(layout)) } catch { throw .kernel(error) }
    }

    /// The control socket that a session's provider left behind: the very file that was made, or,
    /// where the session did not come to note that, one at which nobody listens.
    private static func controlSocket(of record: SessionRecord) -> SocketFile? {
        guard record.end == nil, let socket = record.controlSocket,
            case .stale(let file) = SocketFile.look(at: socket.path)
        else { return nil }
        let isOurs = file.device == socket.device && file.inode == socket.inode
        return isOurs || socket.inode == 0 ? file : nil
    }

    private static func finding(_ table: UInt32) -> Finding {
        Finding(identifier: nil, kind: .table, subject: "\(table)")
    }

    private func isHeld(_ directory: SessionDirectory) throws(SessionError) -> Bool {
        do { return try directory.lockIsHeld() } catch { throw .system(error) }
    }
}
