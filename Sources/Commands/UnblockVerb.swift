internal import JSON
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let unblock = Verb(
        syntax: VerbSyntax(
            "unblock",
            summary: "lift the block that the kill switch of a stopped tunnel left",
            operands: Operands("NAME… | --all", minimum: 0, maximum: nil),
            options: [Option("all", summary: "lift every block of this root")],
            description: [
                "A tunnel with routing.includeAllNetworks that failed, or whose processes were"
                    + " killed, leaves this host blocked: nothing leaves until it runs again, or"
                    + " until somebody lifts the block. stop lifts it too, unless routing.lockdown"
                    + " is always.",
                "Works without the preferences, without the provider and without nft: the"
                    + " firewall's table in the kernel says whose it is. The kill switch of a"
                    + " tunnel that runs is not touched: stop the tunnel.",
                "What else a session that is gone has left is cleared as by repair.",
            ],
            examples: [Example("utunctl unblock office", "let this host out again")]),
        run: { context throws(Failure) in try UnblockCommand(context: context).run() })
}

/// A block that somebody lifted.
private struct Unblocked: JSONEncodable {
    let target: TunnelTarget
    let wasBlocked: Bool

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("name", target.name)
            writer.member("identifier", target.identifier)
            writer.member("wasBlocked", wasBlocked)
        }
    }
}

private struct UnblockCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        var unblocked: [Unblocked] = []
        let targets = try TunnelTargets(context).chosen(by: context) { targets throws(Failure) in
            try Unblocking(context).blocked(among: targets)
        }
        for target in targets {
            let lifted = try Unblocking(context).lift(target)
            let wasBlocked = lifted.contains { $0.holdsPacketsBack }
            unblocked.append(Unblocked(target: target, wasBlocked: wasBlocked))
            if !wasBlocked { context.output.note("\(target.name): nothing was blocked") }
        }
        try context.output.answer(
            ListAnswer(key: "unblocked", elements: unblocked),
            text: unblocked.map { "\($0.target.name): not blocked" }.joined(separator: "\n"))
        return .done
    }
}

/// Lifts blocks whose tunnels do not run.
struct Unblocking {
    let context: Context

    init(_ context: Context) {
        self.context = context
    }

    /// The tunnels that do not run and block this host, be it in the firewall or in the routes.
    func blocked(among targets: TunnelTargets) throws(Failure) -> [TunnelTarget] {
        var known = Set(SessionDirectory.identifiers(in: context.layout))
        known.formUnion(targets.document?.configurations.map(\.identifier) ?? [])
        var blocked: Set<String> = []
        do throws(SessionError) {
            blocked.formUnion(try Leftovers(context.layout).blocked(among: known))
        } catch {
            throw Failure(error)
        }
        if let reader = try FirewallAccess.reader(context.layout) {
            do { blocked.formUnion(try reader.blocks().map(\.identifier)) } catch {
                throw Failure(error)
            }
        }
        // What runs is left alone, as everything of it is; what cannot be looked at may run.
        return blocked.sorted().filter { identifier in
            (try? context.directory(of: identifier).lockIsHeld()) == false
        }.map(targets.target)
    }

    /// Lifts the block of a tunnel with everything else that its session left, and answers what
    /// that was.
    ///
    /// What is left would hold packets back as well, or have this host forward what nothing bounds
    /// any more.
    func lift(_ target: TunnelTarget) throws(Failure) -> [Leftovers.Finding] {
        let isHeld: Bool
        do { isHeld = try context.directory(of: target.identifier).lockIsHeld() } catch {
            throw Failure(error)
        }
        guard !isHeld else {
            throw Failure(
                .conflict, "sessionRuns",
                "\(target.name) runs; its kill switch goes with it",
                hint: "utunctl stop \(target.name)")
        }
        let leftovers = Leftovers(context.layout)
        var cleared: [Leftovers.Finding] = []
        var failure: SessionError?
        do throws(SessionError) {
            cleared = try leftovers.repair(target.identifier, recording: .hostCrashed) ?? []
        } catch {
            failure = error
        }
        do throws(SessionError) {
            if case .lifted(let findings) = try leftovers.lift(target.identifier, onDemand: true) {
                cleared += findings
            }
        } catch {
            throw Failure(error)
        }
        // Whatever else fails, the block is lifted.
        if let failure { throw Failure(failure) }
        return cleared
    }
}

extension Leftovers.Finding {
    /// Whether packets went nowhere because of it.
    fileprivate var holdsPacketsBack: Bool { kind == .block || kind == .table }
}
