internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Takes the readings from which the status of tunnels follows, and puts them together.
///
/// Nothing is remembered between two readings, and nothing is changed by one.
struct TunnelReader {
    /// One deadline for all hosts together, in milliseconds.
    static let hostDeadline: Int64 = 500

    /// A tunnel that is to be read.
    struct Subject {
        let identifier: String
        let configuration: Configuration?
    }

    /// What is read only where somebody wants it.
    struct Wishes: OptionSet {
        let rawValue: Int

        /// The interfaces underneath.
        static let underlying = Wishes(rawValue: 1)
        /// Each reading with its source and age.
        static let readings = Wishes(rawValue: 2)
        /// Each peer and each route, however many there are.
        static let peers = Wishes(rawValue: 4)
    }

    let layout: FileLayout
    /// The saved configurations; `nil` where they cannot be read.
    let document: PreferencesDocument?
    /// When the reading of them began, in nanoseconds of CLOCK_MONOTONIC.
    let documentTime: Int64
    let wishes: Wishes

    /// The tunnels that are saved, or have a socket, a lock or a mark.
    func everything() throws(Failure) -> [Subject] {
        var subjects = (document?.configurations ?? []).map {
            Subject(identifier: $0.identifier, configuration: $0)
        }
        let known = Set(subjects.map(\.identifier))
        let alive = SessionDirectory.identifiers(in: layout).filter { identifier in
            let directory = SessionDirectory(layout, identifier: identifier)
            return (try? directory.lockIsHeld()) ?? true || directory.hasSocket
        }
        let marked: [String]
        do { marked = try Leftovers(layout).markedIdentifiers() } catch { marked = [] }
        let blocked = Leftovers(layout).firewalls().filter(\.label.mode.blocks).map(\.identifier)
        for identifier in Set(alive + marked + blocked).subtracting(known).sorted() {
            subjects.append(Subject(identifier: identifier, configuration: nil))
        }
        return subjects
    }

    /// Reads the given tunnels.
    func read(_ subjects: [Subject]) -> [TunnelReport] {
        var moments = StatusExplanation.Moments(
            preferences: documentTime, hosts: Clock.monotonicNanoseconds, kernel: 0, firewall: 0,
            files: 0)
        let withFiles = Set(SessionDirectory.identifiers(in: layout))
        let held = SessionDirectory.heldIdentifiers(in: layout)
        var hosts = HostQuestions(layout)
        for subject in subjects where withFiles.contains(subject.identifier) {
            hosts.ask(subject.identifier)
        }
        let deadline = Deadline.after(milliseconds: Self.hostDeadline)
        hosts.collect(until: deadline)
        hosts.askAgain(until: deadline)
        moments.kernel = Clock.monotonicNanoseconds
        let kernel = KernelReadings(layout, subjects.map(\.identifier), hosts.answers)
        moments.firewall = Clock.monotonicNanoseconds
        let firewall = FirewallReadings(layout, subjects.map(\.identifier), hosts.answers)
        // A living session sees to its own.
        let isSilent = subjects.contains { hosts.answers[$0.identifier]?.report == nil }
        let leftFiles = isSilent ? Leftovers(layout).orphanedResolverFiles() : []
        var reports: [TunnelReport] = []
        let underlying = wishes.contains(.underlying) ? kernel.underlying() : nil
        let isArmed = subjects.contains { $0.configuration?.isArmed == true }
        let onDemand = isArmed ? OnDemandReadings(layout) : nil
        let trust = TrustReadings(layout, subjects.compactMap(\.configuration))
        for subject in subjects {
            let hasFiles = withFiles.contains(subject.identifier)
            let answer = hosts.answers[subject.identifier]
            let wall = firewall.reading(of: subject.identifier, answer?.report)
            let leftFile = leftFiles.first { $0.identifier == subject.identifier }?.path
            moments.files = Clock.monotonicNanoseconds
            var report = assemble(subject, hasFiles, answer, kernel, wall, leftFile, moments)
            report.underlying = underlying
            if held.contains(subject.identifier) {
                report.hold = SessionDirectory(layout, identifier: subject.identifier).hold()
            }
            if let saved = subject.configuration {
                report.warnings += trust.warnings(for: saved)
                if saved.isArmed {
                    report.onDemand = onDemand?.report(
                        subject.identifier, isHeld: report.hold != nil)
                }
            }
            reports.append(report)
        }
        return reports
    }

    private func assemble(
        _ subject: Subject,
        _ hasFiles: Bool,
        _ answer: HostQuestions.Answer?,
        _ kernel: KernelReadings,
        _ firewall: FirewallReading,
        _ leftFile: String?,
        _ moments: StatusExplanation.Moments
    ) -> TunnelReport {
        let directory = SessionDirectory(layout, identifier: subject.identifier)
        // A lock that cannot be looked at may be held: it must not read as free.
        let lockIsHeld = hasFiles ? (try? directory.lockIsHeld()) ?? true : false
        let session = answer?.report
        let kernelReading = kernel.reading(of: subject.identifier, session)
        let readings = StatusReadings(
            preferences: preferences(subject), lockIsHeld: lockIsHeld,
            host: answer?.reading ?? .none, kernel: kernelReading.summary,
            differences: session.map {
                StatusDifferences.between($0, kernelReading.value, subject.configuration)
                    + StatusDifferences.firewall(firewall)
            } ?? [])
        let verdict = readings.verdict()
        // Of a session that answers, the record has nothing to say.
        let needsRecord = session == nil || wishes.contains(.readings)
        let record = hasFiles && needsRecord ? directory.record() : nil

        var report = TunnelReport(identifier: subject.identifier, status: verdict.status)
        report.name = subject.configuration?.name ?? session?.name ?? record?.name
        report.title = subject.configuration?.title
        report.enabled = subject.configuration?.enabled
        report.savedGeneration = subject.configuration?.generation
        report.session = session
        if !wishes.contains(.peers) {
            report.peersLeftOut = report.session?.providerReport?.leaveOutPeers() ?? 0
        }
        if let saved = subject.configuration {
            report.isProofAwaited = saved.livenessInterval != nil
            report.savedRouting = RoutingReport(saved.routing)
            report.sparesNetworks =
                saved.routing.excludeLocalNetworks || !saved.routing.excludedRoutes.isEmpty
        }
        report.kernel = kernelReading.value
        if !wishes.contains(.peers) { report.leaveOutRoutes() }
        let isDead = session == nil && !lockIsHeld && kernelReading.summary != .markWithCarrier
        let isHeld = kernel.blocked.contains(subject.identifier)
        let firewall = isDead ? firewall.withoutTunnel(heldByRoutes: isHeld) : firewall
        report.firewall = firewall
        report.foreignNamespace = kernelReading.foreignNamespace
        report.warnings = verdict.warnings
        let name = report.name ?? subject.identifier
        if isDead { report.warnings += Self.warnings(ofDead: name, firewall) }
        if let until = firewall.pausedUntil {
            report.warnings.append(
                TunnelWarning(
                    .paused,
                    "packets leave beside the tunnel until \(until.text): utunctl pause \(name)"
                        + " --end ends that"))
        }
        // Whoever clears away an interface clears away the rest.
        if isDead, !report.warnings.contains(where: { $0.code == .leftovers }) {
            report.warnings += Self.leftovers(of: name, record, kernel, firewall, leftFile)
        }
        if let session, let saved = subject.configuration {
            report.restartReasons = SessionFingerprints.differences(
                running: session.fingerprints, saved: saved, layout)
        }
        // While a session lives its record has no end; the one before it left none.
        report.lastDisconnect = session?.lastDisconnect
        if session == nil, !lockIsHeld, let record {
            report.lastDisconnect = record.lastDisconnect
            if report.lastDisconnect?.reason.code.mayComeOfClock == true {
                report.clockFloor = ClockFloor.of(subject.configuration, layout)
            }
        }
        if wishes.contains(.readings) {
            report.readings = StatusExplanation.readings(
                layout, subject, readings, session, kernelReading, firewall, record, moments)
        }
        return report
    }

    private func preferences(_ subject: Subject) -> StatusReadings.Preferences {
        guard document != nil else { return .unreadable }
        guard let configuration = subject.configuration else { return .absent }
        return configuration.enabled ? .enabled : .disabled
    }
}
