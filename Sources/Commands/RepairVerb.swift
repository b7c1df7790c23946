internal import JSON
internal import SessionHost
internal import TunnelModel

extension Verb {
    static let repair = Verb(
        syntax: VerbSyntax(
            "repair",
            summary: "clear what sessions left behind that did not come to their end",
            operands: Operands("[NAME | --all]", minimum: 0, maximum: 1),
            options: [
                Option("all", summary: "clear what is left of all tunnels, as without NAME"),
                Option(
                    "unblock",
                    summary: "lift the blocks too that kill switches of stopped tunnels left"),
            ],
            description: [
                "Interfaces and rules are recognised by what they carry in the kernel, so that "
                    + "repair works without the preferences and without the runtime directory. "
                    + "What a living session holds is never touched, and the block of a kill "
                    + "switch only with --unblock."
            ],
            examples: [
                Example("utunctl repair", "clear everything that is left"),
                Example("utunctl repair --unblock", "and let this host out again"),
                Example("utunctl repair office", "clear what is left of one tunnel"),
            ]),
        run: { context throws(Failure) in try RepairCommand(context: context).run() })
}

private struct Repaired: JSONEncodable {
    let finding: Leftovers.Finding

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("identifier", finding.identifier)
            writer.member("kind", finding.kind.rawValue)
            writer.member("subject", finding.subject)
        }
    }
}

private struct RepairCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let leftovers = Leftovers(context.layout)
        let targets = TunnelTargets(context)
        var repaired: [Leftovers.Finding] = []
        var failures: [Failure] = []
        do throws(Failure) { try context.settleEnrolment(withRemains: true) } catch {
            failures.append(error)
        }
        for target in try chosen(leftovers, targets) {
            do throws(SessionError) { repaired += try repair(target, leftovers) } catch {
                failures.append(Failure(error).filling(name: target.name))
            }
        }
        if context.invocation.has("unblock") {
            for target in try blocked(targets) {
                do throws(Failure) {
                    repaired += try Unblocking(context).lift(target)
                } catch {
                    failures.append(error)
                }
            }
        }
        do throws(SessionError) {
            repaired += try leftovers.clearTables() + leftovers.clearResolverFiles()
        } catch {
            failures.append(Failure(error))
        }
        // Where nothing at all could be done, the cause itself is the answer.
        if repaired.isEmpty, let failure = failures.first { throw failure }
        let failure = failures.first.map { first in
            Failure(
                .failure, "partlyCleaned", "not everything could be cleared: \(first.text)",
                hint: first.hint)
        }
        if repaired.isEmpty { context.output.note("repair: nothing was left to clear") }
        let lines = repaired.map { finding in
            "cleared \(finding.kind.rawValue) \(finding.subject) of "
                + (finding.identifier.map { targets.target($0).name } ?? "nobody any more")
        }
        try context.output.answer(
            ListAnswer(
                key: "repaired", elements: repaired.map { Repaired(finding: $0) }, failure: failure),
            text: lines.joined(separator: "\n"))
        guard let failure else { return .done }
        context.output.report(failure, verb: "repair", subject: nil, isAnswered: true)
        return failure.exitStatus
    }

    private func blocked(_ targets: TunnelTargets) throws(Failure) -> [TunnelTarget] {
        if let name = context.invocation.operands.first { return [try targets.resolve(name)] }
        return try Unblocking(context).blocked(among: targets)
    }

    private func chosen(_ leftovers: Leftovers, _ targets: TunnelTargets) throws(Failure)
        -> [TunnelTarget]
    {
        if let name = context.invocation.operands.first {
            guard !context.invocation.has("all") else {
                throw Failure(UsageError("repair takes a name or --all, not both"))
            }
            return [try targets.resolve(name)]
        }
        do throws(SessionError) {
            return Set(try leftovers.find().compactMap(\.identifier)).sorted().map(targets.target)
        } catch {
            throw Failure(error)
        }
    }

    private func repair(_ target: TunnelTarget, _ leftovers: Leftovers) throws(SessionError)
        -> [Leftovers.Finding]
    {
        guard let findings = try leftovers.repair(target.identifier, recording: .hostCrashed)
        else {
            context.output.note("\(target.name) runs, and was left alone")
            return []
        }
        if let interface = try leftovers.interface(of: target.identifier), interface.isHeld {
            context.output.note(
                "\(target.name): a session that cannot be reached holds \(interface.name); "
                    + "utunctl stop \(target.name)")
        }
        return findings
    }
}
