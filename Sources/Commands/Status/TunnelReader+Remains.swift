internal import SessionHost
internal import TunnelModel

// What a tunnel that does not run has left, be it on purpose or not.

extension TunnelReader {
    /// What is to be said of the block that a tunnel has left which does not run.
    static func warnings(ofDead name: String, _ firewall: FirewallReading)
        -> [TunnelWarning]
    {
        guard firewall.blocksWithoutTunnel else { return [] }
        // Any stop lifts what is not to be there always.
        let verb = firewall.isLockdown ? "unblock" : "stop"
        let blocked = TunnelWarning(
            .hostBlocked,
            "this host stays blocked, as includeAllNetworks promises: utunctl \(verb) \(name)"
                + " lifts it")
        guard firewall.isPresent == false else { return [blocked] }
        return [
            blocked,
            TunnelWarning(
                .firewallMissing,
                "others have taken away the firewall's part of the block: utunctl start \(name)"
                    + " puts it back"),
        ]
    }

    /// What a session that is gone has left in force.
    static func leftovers(
        of name: String,
        _ record: SessionRecord?,
        _ kernel: KernelReadings,
        _ firewall: FirewallReading,
        _ leftFile: String?
    ) -> [TunnelWarning] {
        var left: [String] = []
        if let record, record.end == nil, kernel.haveOrphans, !firewall.blocksWithoutTunnel {
            left.append("rules and routes")
        }
        if firewall.mode == .antispoof { left.append("a firewall table") }
        if let setting = record?.settingsOfKernel.first {
            left.append("settings of the kernel (\(setting))")
        }
        if let leftFile { left.append("\(leftFile)") }
        guard !left.isEmpty else { return [] }
        return [
            TunnelWarning(
                .leftovers,
                "its session is gone and left \(left.joined(separator: ", ")):"
                    + " utunctl repair \(name)")
        ]
    }
}
