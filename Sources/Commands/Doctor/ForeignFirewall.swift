internal import KernelNetwork
internal import LinuxSystem
internal import Preferences
internal import SessionHost
internal import TunnelModel

/// Looks for rules of other firewalls that drop what goes by a tunnel.
struct ForeignFirewall {
    /// A packet without which no tunnel works, and where firewalls meet it.
    private struct Passage {
        let what: String
        let hooks: [String]
        let packet: PacketTraits
    }

    private let examination: Examination

    init(_ examination: Examination) {
        self.examination = examination
    }

    /// What would, or may, drop packets of tunnels.
    func findings() -> [DoctorFinding] {
        let ruleset: Ruleset
        do throws(FirewallError) { ruleset = try RulesetReader.ruleset() } catch {
            return [
                DoctorFinding(
                    .advice, "rulesetUnreadable",
                    "what other firewalls drop cannot be known: \(error.text)",
                    fix: "nft list ruleset says more")
            ]
        }
        var findings: [DoctorFinding] = []
        for passage in passages() {
            for isIPv6 in [false, true] {
                let packet = passage.packet.with(
                    "meta nfproto", .text(isIPv6 ? "ipv6" : "ipv4"))
                for hook in passage.hooks {
                    for chain in ruleset.chains(at: hook, ipv6: isIPv6)
                    where !FileLayout.isFirewallTable(chain.table) {
                        guard let drop = RulesetWalk.drop(of: packet, in: chain, of: ruleset)
                        else { continue }
                        let finding = finding(drop, chain, hook, passage.what)
                        // Of both families it is said once.
                        if !findings.contains(finding) { findings.append(finding) }
                    }
                }
            }
        }
        return findings
    }

    private func finding(
        _ drop: PacketDrop,
        _ chain: Ruleset.Chain,
        _ hook: String,
        _ what: String
    ) -> DoctorFinding {
        let subject = "the chain \(chain.text) (\(hook))"
        let fix = "nft -a list chain \(chain.text); let it accept what goes by the tunnel"
        return drop.isCertain
            ? DoctorFinding(
                .problem, "firewallDrops", "\(subject) drops \(what): by \(drop.by)", fix: fix)
            : DoctorFinding(
                .advice, "firewallMayDrop",
                "\(subject) may drop \(what): by \(drop.by), which hangs on more than can be"
                    + " known from here", fix: fix)
    }

    private func passages() -> [Passage] {
        let enabled = examination.configurations.filter {
            $0.enabled && $0.interface.networkNamespace == nil
        }
        let living = (try? KernelReader(examination.layout).markedLinks()) ?? [:]
        var links = Set(
            enabled.filter { living[$0.identifier] == nil }.map { Link(pattern: $0.interface.name) }
        ).union(living.values.map { Link(name: $0.name) })
        if links.isEmpty { links = [Link(pattern: InterfaceSettings().name)] }
        let forwarding = enabled.contains(where: \.routing.forward)
        return links.sorted { $0.shown < $1.shown }.flatMap { passages(of: $0, forwarding) }
            + [servers, answers]
    }

    private func passages(of link: Link, _ forwarding: Bool) -> [Passage] {
        let base = PacketTraits(["meta mark": .number(0), "ct state": .text("new")])
        let out = base.with("meta oifname", link.trait).with("meta oifkind", .text("tun"))
        let into = PacketTraits(["meta mark": .number(0), "ct state": .text("established")])
            .with("meta iifname", link.trait).with("meta iifkind", .text("tun"))
        let answer = into.with("fib daddr type", .text("local"))
        var passages = [
            Passage(
                what: "what goes into \(link.shown)", hooks: ["output", "postrouting"], packet: out),
            Passage(
                what: "answers that come out of \(link.shown)", hooks: ["prerouting", "input"],
                packet: answer),
        ]
        if forwarding {
            let other = PacketTraits.Trait.anythingBut("lo")
            passages += [
                Passage(
                    what: "what is forwarded into \(link.shown)", hooks: ["forward"],
                    packet: out.with("meta iifname", other)),
                Passage(
                    what: "answers that are forwarded from \(link.shown)", hooks: ["forward"],
                    packet: into.with("meta oifname", other)),
            ]
        }
        return passages
    }

    /// The packets of the tunnels themselves, to their servers.
    private var servers: Passage {
        Passage(
            what: "what tunnels send to their servers", hooks: ["output", "postrouting"],
            packet: PacketTraits([
                "meta mark": .number(OutsideSocket.mark), "ct state": .text("new"),
                "meta oifname": .anythingBut("lo"), "meta l4proto": .text("udp"),
            ]))
    }

    private var answers: Passage {
        Passage(
            what: "the answers of servers", hooks: ["prerouting", "input"],
            packet: PacketTraits([
                "ct state": .text("established"), "meta iifname": .anythingBut("lo"),
                "meta l4proto": .text("udp"), "fib daddr type": .text("local"),
            ]))
    }

    /// The interface of a tunnel, whose number may not be known yet.
    private struct Link: Hashable {
        let shown: String
        let trait: PacketTraits.Trait

        init(name: String) {
            shown = name
            trait = .text(name)
        }

        init(pattern: String) {
            let parts = pattern.split(separator: "%", omittingEmptySubsequences: false)
            // `utun%d`: a number, and then perhaps more, which is left open.
            let hasNumber = parts.count == 2
            shown = hasNumber ? "\(parts[0])N" : pattern
            trait = hasNumber ? .beginning(String(parts[0])) : .text(pattern)
        }
    }
}
