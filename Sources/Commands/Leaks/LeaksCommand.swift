internal import JSON
internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// What `doctor leaks` answers.
private struct LeaksAnswer: JSONEncodable {
    let name: String
    let identifier: String
    let mode: RoutingMode
    let probes: [LeakProbe]
    let findings: [DoctorFinding]

    /// What no routes and no firewall of a host cover.
    static let notCovered = [
        "packet sockets (AF_PACKET), such as a DHCP client's",
        "guests on a bridge of this host, whose frames are not routed",
        "network namespaces with an uplink of their own",
        "whoever may administer the network (CAP_NET_ADMIN) and can change all of this",
    ]

    func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("formatVersion", 1)
            writer.member("name", name)
            writer.member("identifier", identifier)
            writer.member("mode", mode.rawValue)
            writer.member("probes", probes)
            writer.member("findings", findings)
            writer.member("notCovered", Self.notCovered)
        }
    }

    var text: String {
        let covered = Self.notCovered.map { "not covered: \($0)" }
        return (probes.map(\.text) + findings.map(\.text) + covered).joined(separator: "\n")
    }
}

/// Looks whether anything leaves beside a tunnel, by asking the kernel alone.
struct LeaksCommand {
    let context: Context

    func run() throws(Failure) -> ExitStatus {
        let (name, addresses) = try operands()
        let target = try TunnelTargets(context).resolve(name)
        let report = try report(of: target)
        let survey: ResolverSurvey
        do throws(ResolverProblem) { survey = try ResolverSurvey(context.layout) } catch {
            throw Failure(SessionError.dns(error))
        }
        let probes: [LeakProbe]
        do throws(NetlinkError) {
            // Servers on this host ask others themselves, and are seen there.
            let servers = survey.servers.filter { !$0.isLoopback }
            probes = try LeakQuestions(report, target.configuration).probes(addresses + servers)
        } catch {
            throw Failure(error)
        }
        let answer = LeaksAnswer(
            name: report.name ?? report.identifier, identifier: report.identifier,
            mode: report.session?.routing.mode ?? .all, probes: probes,
            findings: report.warnings.filter(\.concernsWays).map {
                DoctorFinding($0.degrades ? .problem : .advice, $0.code.rawValue, $0.text)
            } + NameLeaks(report: report, survey: survey).findings(probes))
        try context.output.answer(answer, text: answer.text)
        let isSound =
            probes.allSatisfy { !$0.leaks && !$0.loops }
            && answer.findings.allSatisfy { $0.severity != .problem }
        return isSound ? .done : .failure
    }

    private func operands() throws(Failure) -> (name: String, addresses: [IPAddress]) {
        let operands = context.invocation.operands
        guard operands[0] == "leaks" else {
            throw Failure(
                UsageError(
                    "doctor takes nothing, or leaks NAME, not \(operands[0].shownInMessage)"))
        }
        guard operands.count > 1 else {
            throw Failure(UsageError("no name given", hint: "utunctl doctor leaks NAME"))
        }
        var addresses: [IPAddress] = []
        for text in operands.dropFirst(2) {
            guard let address = IPAddress(text) else {
                throw Failure(UsageError("\(text.shownInMessage) is not an IP address"))
            }
            addresses.append(address)
        }
        return (operands[1], addresses)
    }

    private func report(of target: TunnelTarget) throws(Failure) -> TunnelReport {
        let reader = TunnelReader(
            layout: context.layout, document: try? context.preferences(),
            documentTime: Clock.monotonicNanoseconds, wishes: [])
        let subject = TunnelReader.Subject(
            identifier: target.identifier, configuration: target.configuration)
        let found = reader.read([subject]).first
        guard let report = found, report.session != nil || report.firewall.mode == .blocked else {
            if let left = found?.warnings.first(where: { $0.code == .leftovers }) {
                throw Failure(.failure, "leftovers", "it does not run, and \(left.text)")
            }
            throw Failure(
                .notConnected, "notRunning",
                "it does not run, so nothing goes through it and nothing is held back",
                hint: "utunctl start --wait \(target.name)")
        }
        guard report.foreignNamespace == nil else {
            throw Failure(
                .notPossible, "otherNamespace",
                "its session is in another network namespace, whose routes are others",
                hint: target.configuration?.interface.networkNamespace == nil
                    ? "run this in that namespace"
                    : "utunctl exec \(target.name) -- utunctl doctor leaks \(target.name)")
        }
        return report
    }
}

extension TunnelWarning {
    /// Whether it says something of the ways that packets take.
    fileprivate var concernsWays: Bool {
        switch code {
        case .linkMissing, .linkDown, .addressMissing, .routeMissing, .ruleMissing,
            .routeShadowed, .ruleShadowed, .routesOverlap, .endpointRouteLeaks, .hostBlocked,
            .paused, .leftovers, .firewallMissing, .firewallUnavailable, .kernelUnreadable,
            .ipv6Unavailable, .dnsChanged, .dnsReduced:
            true
        default: false
        }
    }
}
