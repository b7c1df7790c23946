internal import Glibc
internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

extension Examination {
    /// The firewall that tunnels write, and those of others that may drop what goes by a tunnel.
    func firewall() -> [DoctorFinding] {
        // Who may not administer the network is told that: the kernel tells no other reason.
        guard Capability.networkAdministration.isEffective else {
            return [program()].compactMap(\.self)
        }
        do throws(NetlinkError) { _ = try FirewallSocket().tables() } catch {
            return [
                DoctorFinding(
                    .advice, "nftablesKernelMissing",
                    "the kernel has no nftables (\(error.description)): \(Self.consequence)",
                    fix: "modprobe nf_tables, or use a kernel with CONFIG_NF_TABLES_INET")
            ] + reversePath("the kernel has no firewall to mark them")
        }
        if let finding = program() {
            return [finding] + reversePath("nft is not there to mark them")
        }
        return expressions() + ForeignFirewall(self).findings() + legacy()
            + reversePath(canMark: Self.writesSettings)
    }

    private static let consequence = "tunnels work, but what would need the firewall is refused"

    private func program() -> DoctorFinding? {
        switch RuleWriter.problem() {
        case nil: return nil
        case .programMissing?:
            return DoctorFinding(
                .advice, "nftablesMissing", "nft is not installed: \(Self.consequence)",
                fix: "install the package nftables")
        case let problem?:
            return DoctorFinding(
                .advice, "nftablesUnusable", "\(problem.text): \(Self.consequence)",
                fix: "install the package nftables again; utunctl-firewall(7) says what it needs")
        }
    }

    /// What the rules of tunnels are made of, each as a chain of its own.
    private static let expressions: [(name: String, chain: String)] = [
        ("fib", "type filter hook prerouting priority raw; fib daddr type local accept;"),
        ("meta mark", "type filter hook prerouting priority raw; meta mark set 0x1;"),
        ("meta skuid", "type filter hook output priority filter; meta skuid 0 accept;"),
        ("meta oifkind", "type filter hook output priority filter; meta oifkind \"tun\" accept;"),
        ("payload", "type filter hook input priority filter; @th,192,32 { 0x1 } accept;"),
        ("masquerade", "type nat hook postrouting priority srcnat; oif \"lo\" masquerade;"),
        (
            "tcp option",
            "type filter hook forward priority mangle; tcp flags & (syn | rst) == syn"
                + " tcp option maxseg size set 1400;"
        ),
        (
            "concatenations",
            "type filter hook output priority filter; meta l4proto . ip daddr . th dport @ends"
                + " accept;"
        ),
        ("intervals", "type filter hook output priority filter; ip daddr @nets accept;"),
        ("timeouts", "type filter hook output priority filter; meta nfproto @pause accept;"),
    ]

    private static let sets = """
        comment "none of this is ever in force"
        set ends { type inet_proto . ipv4_addr . inet_service; }
        set nets { type ipv4_addr; flags interval; auto-merge; }
        set pause { type nf_proto; flags timeout; }
        """

    private static func transaction(_ chains: [String]) -> String {
        let texts = chains.enumerated().map { "chain c\($0.offset) {\n\($0.element)\n}" }
        return "table inet utunctl-check {\n\(sets)\n\(texts.joined(separator: "\n"))\n}\n"
    }

    private func expressions() -> [DoctorFinding] {
        do throws(FirewallError) {
            if try RulesetReader.takes(Self.transaction(Self.expressions.map(\.chain))) {
                return []
            }
            var missing: [String] = []
            for expression in Self.expressions
            where try !RulesetReader.takes(Self.transaction([expression.chain])) {
                missing.append(expression.name)
            }
            let version = try RulesetReader.version()
            return [
                DoctorFinding(
                    .advice, "nftablesLacking",
                    "\(version) and this kernel do not take"
                        + " \(missing.isEmpty ? "the rules of a tunnel" : missing.joined(separator: ", "))"
                        + ": \(Self.consequence)",
                    fix: "load the modules nft_…, or install a newer nftables or kernel")
            ]
        } catch {
            return [
                DoctorFinding(
                    .advice, "nftablesUnusable", "\(error.text): \(Self.consequence)",
                    fix: "see to what nft says")
            ]
        }
    }

    /// Firewalls of iptables before nftables, whose rules nft does not show.
    private func legacy() -> [DoctorFinding] {
        let files = [("iptables", "ip_tables_names"), ("ip6tables", "ip6_tables_names")]
        return files.compactMap { program, name in
            let path = "/proc/net/\(name)"
            guard let bytes = try? FileDescriptor.open(path, O_RDONLY).readAll(limit: 4096),
                bytes.split(separator: 0x0A).contains(where: { $0.elementsEqual("filter".utf8) })
            else { return nil }
            return DoctorFinding(
                .advice, "firewallLegacy",
                "\(program)-legacy has a table filter, of which nft shows nothing: it may drop"
                    + " packets of tunnels",
                fix: "\(program)-legacy -S says what is in it")
        }
    }

    /// Whether settings of the kernel can be changed at all, which many containers deny.
    private static var writesSettings: String? {
        access("/proc/sys/net/ipv4/conf/all/src_valid_mark", W_OK) == 0
            ? nil : "/proc/sys cannot be written"
    }

    private func reversePath(canMark reason: String?) -> [DoctorFinding] {
        reason.map { reversePath($0) } ?? []
    }

    /// The links that drop answers of servers which a tunnel's routes hold, where nothing marks
    /// those.
    private func reversePath(_ reason: String) -> [DoctorFinding] {
        guard let links = try? RouteSocket().links() else { return [] }
        func value(_ place: String) -> Int {
            let text = try? KernelSetting("net/ipv4/conf/\(place)/rp_filter").read()
            return text.flatMap { Int($0) } ?? 0
        }
        let all = value("all")
        // The kernel takes the higher of both.
        return links.filter {
            !$0.isLoopback && !FileLayout.isMark($0.alias) && max(all, value($0.name)) == 1
        }.map { link in
            let place = all == 1 ? "all" : link.name
            return DoctorFinding(
                .advice, "reversePathStrict",
                "\(link.name) filters the reverse path strictly: it drops the answers of a server"
                    + " that lies in the networks of its own tunnel, and \(reason)",
                fix: "sysctl net.ipv4.conf.\(place).rp_filter=2")
        }
    }
}
