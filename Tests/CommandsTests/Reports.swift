import TunnelModel

/// Reports of tunnels, as a reader would make them.
enum Reports {
    static let identifier = "11111111-1111-4111-8111-111111111111"

    /// One that is connected.
    static func connected(
        _ counters: InterfaceCounters = InterfaceCounters(),
        name: String = "office",
        interface: Int = 7
    ) -> TunnelReport {
        var configuration = Configuration(identifier: identifier, name: name)
        configuration.generation = 3
        var report = TunnelReport(identifier: identifier, status: .connected)
        report.name = name
        report.enabled = true
        var session = SessionReport(
            configuration: configuration, attempt: identifier, origin: .user, status: .connected,
            started: Timestamp(microseconds: 1_000_000), networkNamespace: "net:[1]", hostPID: 1,
            interface: SessionReport.Interface(name: "utun0", index: interface, mtu: 1420))
        session.connectedSince = Timestamp(microseconds: 2_000_001)
        session.reconnects = 4
        report.session = session
        var kernel = KernelReading()
        kernel.link = KernelReading.Link(
            name: "utun0", index: interface, mtu: 1420, isUp: true, hasCarrier: true,
            counters: counters)
        report.kernel = kernel
        return report
    }
}
