internal import KernelNetwork
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// What the kernel says of the tunnels that are asked for.
///
/// A tunnel whose host named its interface is asked for by index; only where no host
/// answered are all interfaces looked through for a mark.
final class KernelReadings {
    /// One tunnel's part.
    struct Reading {
        let summary: StatusReadings.Kernel
        let value: KernelReading?
        /// Where the session host took the reading, as this process is elsewhere.
        var foreignNamespace: String?
    }

    private let networkNamespace = currentNetworkNamespace
    private let reader: KernelReader?
    private let dumped: Bool
    /// The result of looking through all interfaces, where that was needed and possible.
    private let marked: [String: Link]?
    private let rules: KernelReader.Rules?
    /// Whether rules lead to tables of tunnels that are gone, whichever these were.
    let haveOrphans: Bool
    /// The tunnels that are gone and whose block stands.
    let blocked: Set<String>

    init(_ layout: FileLayout, _ identifiers: [String], _ answers: [String: HostQuestions.Answer]) {
        reader = try? KernelReader(layout)
        dumped = identifiers.count > 8 || identifiers.contains { answers[$0]?.report == nil }
        marked = dumped ? try? reader?.markedLinks() : nil
        // Rules are dumped whole, so only where there may be any.
        let mayHaveRules = identifiers.contains { answers[$0]?.report?.rules.isEmpty != true }
        rules = mayHaveRules ? try? reader?.rules() : KernelReader.Rules()
        let living = Set(marked?.values.map(\.index) ?? [])
        let mayHaveOrphans = dumped && rules?.links.isSubset(of: living) == false
        haveOrphans = mayHaveOrphans && (try? reader?.orphanedTables())?.isEmpty == false
        // A session that lives says itself what it holds back.
        let silent = identifiers.filter { answers[$0]?.report == nil }
        let mayBeBlocked = rules?.haveBlock == true && !silent.isEmpty
        blocked = Set((mayBeBlocked ? try? Leftovers(layout).blocked(among: silent) : nil) ?? [])
    }

    /// The interfaces underneath; `nil` where they cannot be read.
    func underlying() -> [UnderlyingInterface]? {
        try? reader?.underlyingInterfaces()
    }

    /// The reading of one tunnel.
    func reading(of identifier: String, _ session: SessionReport?) -> Reading {
        if let session, session.networkNamespace != networkNamespace {
            return Reading(
                summary: summary(session.kernel), value: session.kernel,
                foreignNamespace: session.networkNamespace)
        }
        do throws(NetlinkError) {
            let value = try read(identifier, session)
            return Reading(summary: summary(value), value: value)
        } catch {
            return Reading(summary: .unreadable, value: nil)
        }
    }

    private func read(_ identifier: String, _ session: SessionReport?) throws(NetlinkError)
        -> KernelReading?
    {
        guard let reader, let rules else { return nil }
        if dumped {
            guard let marked else { return nil }
            return try reader.reading(
                of: marked[identifier], rules: rules,
                hasBarriers: session?.barriers.isEmpty == false)
        }
        guard let session else { return KernelReading() }
        return try reader.reading(
            of: try reader.link(index: session.interface.index, identifier: identifier),
            rules: rules, hasBarriers: !session.barriers.isEmpty)
    }

    private func summary(_ reading: KernelReading?) -> StatusReadings.Kernel {
        guard let reading else { return .unreadable }
        guard let link = reading.link else { return .noMark }
        return link.hasCarrier ? .markWithCarrier : .markWithoutCarrier
    }
}
