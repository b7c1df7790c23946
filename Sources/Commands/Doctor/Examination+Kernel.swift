internal import Glibc
internal import JSON
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Examination {
    /// What the kernel has and this process may do of it, beyond the device.
    func kernel() -> [DoctorFinding] {
        capabilities() + [namespaces(), ipv6(), clock()].compactMap(\.self)
    }

    private func capabilities() -> [DoctorFinding] {
        // Who may not administer the network is told that, which is enough.
        guard Capability.networkAdministration.isEffective else { return [] }
        let missing = Capability.allCases.filter { !$0.isEffective }
        return missing.map { DoctorFinding(Failure($0)) }
    }

    private func namespaces() -> DoctorFinding? {
        let missing = ["net", "pid", "ipc"].filter { access("/proc/self/ns/\($0)", F_OK) != 0 }
        guard !missing.isEmpty else { return nil }
        return DoctorFinding(
            .problem, "namespacesMissing",
            "this kernel has no \(missing.joined(separator: ", ")) namespaces, in which providers"
                + " run",
            fix: "use a kernel with CONFIG_NAMESPACES, CONFIG_NET_NS, CONFIG_PID_NS, CONFIG_IPC_NS")
    }

    private func ipv6() -> DoctorFinding? {
        let names = configurations.filter { $0.enabled && $0.wantsIPv6 }.map(\.name)
        guard !names.isEmpty else { return nil }
        let setting = "net.ipv6.conf.default.disable_ipv6"
        switch try? KernelSetting("net/ipv6/conf/default/disable_ipv6").read() {
        case "0"?: return nil
        case nil:
            return DoctorFinding(
                .advice, "ipv6Off",
                "this kernel has no IPv6, of which \(names.joined(separator: ", ")) makes use",
                fix: "boot without ipv6.disable=1, or leave IPv6 out of it")
        case _?:
            return DoctorFinding(
                .advice, "ipv6Off",
                "new interfaces have no IPv6 (\(setting)), of which"
                    + " \(names.joined(separator: ", ")) makes use",
                fix: "sysctl \(setting)=0, or leave IPv6 out of it")
        }
    }

    private func clock() -> DoctorFinding? {
        let floors = configurations.filter(\.enabled).map { ClockFloor.of($0, layout) }
        let floor = (floors + [ClockFloor.of(nil, layout)]).compactMap(\.self).max()
        if let floor, Timestamp.now < floor {
            return DoctorFinding(
                .problem, "clockBehind",
                "the clock says \(Timestamp.now.text), and files that tunnels need were made at"
                    + " \(floor.text): servers refuse what comes from the past",
                fix: "set the clock: timedatectl set-ntp true, or date")
        }
        guard Clock.isSynchronised == false else { return nil }
        return DoctorFinding(
            .advice, "clockUnsynchronised",
            "nothing keeps the clock right: certificates are judged by it, and a WireGuard server"
                + " takes no handshake from before the last one",
            fix: "timedatectl set-ntp true, or run another NTP client")
    }
}

extension Configuration {
    /// Whether it names networks or addresses of IPv6.
    fileprivate var wantsIPv6: Bool {
        let included = routing.includedRoutes ?? []
        return included.contains { $0.family == .v6 }
            || providerConfiguration.members.contains { $0.value.namesIPv6 }
    }
}

extension JSONValue {
    fileprivate var namesIPv6: Bool {
        switch self {
        case .string(let text): IPPrefix(text)?.family == .v6
        case .array(let elements): elements.contains { $0.namesIPv6 }
        case .object(let object): object.members.contains { $0.value.namesIPv6 }
        case .null, .bool, .integer, .real: false
        }
    }
}
