import Enrolment
import Testing
import TunnelModel

/// What becomes of the hooks of a file, none of which is ever run.
@Suite struct HookTests {
    private func item(_ line: String) throws -> EnrolmentItem {
        let file = try QuickFiles.read(QuickFiles.file(interface: line))
        let items = file.report(named: "x").filter { $0.line == 4 }
        #expect(items.count == 1)
        return try #require(items.first)
    }

    /// A hook and the keys that it becomes: f, m and c for forward, masquerade and mssClamp.
    @Test(arguments: [
        ("iptables -A FORWARD -i %i -j ACCEPT", "f"),
        ("iptables -w -I FORWARD 1 -i wg0 -o eth0 -m conntrack --ctstate NEW -j ACCEPT", "f"),
        ("ip6tables --append FORWARD --in-interface %i --jump ACCEPT", "f"),
        ("/usr/sbin/iptables -A FORWARD -o %i -j ACCEPT;", "f"),
        ("iptables-legacy -A FORWARD -o %i -j ACCEPT &", "f"),
        ("sysctl -w net.ipv4.ip_forward=1", "f"), ("sysctl -q net/ipv4/ip_forward=1", "f"),
        ("sysctl net.ipv6.conf.all.forwarding=1 >/dev/null 2>&1", "f"),
        ("sysctl -w net.ipv4.conf.%i.forwarding=1", "f"),
        ("echo 1 > /proc/sys/net/ipv4/ip_forward", "f"),
        ("echo 1 >/proc/sys/net/ipv6/conf/all/forwarding", "f"),
        ("iptables -t nat -A POSTROUTING -o eth0 -j MASQUERADE", "m"),
        ("iptables -t nat -I POSTROUTING -s 10.0.0.0/8 ! -d 10.0.0.0/8 -j MASQUERADE", "m"),
        ("ip6tables -t nat -A POSTROUTING -o \"eth 0\" -j MASQUERADE", "m"),
        (
            "iptables -t nat -A POSTROUTING -o $(ip route show default | awk '{print $5}') "
                + "-j MASQUERADE", "m"
        ),
        ("iptables -t nat -A POSTROUTING -o `cat /etc/uplink` -j MASQUERADE", "m"),
        ("DEV=eth0 iptables -t nat -A POSTROUTING -o ${DEV} -j MASQUERADE", "m"),
        ("iptables -tnat -APOSTROUTING -oeth0 --jump=MASQUERADE", "m"),
        ("nft add rule inet f fwd-forward iifname %i ct state established, related accept", "f"),
        ("nft 'insert rule inet f forward iifname \"%i\" accept comment \"drop\"'", "f"),
        (
            "nft 'add chain inet n c { type filter hook forward priority 0; policy accept; }; "
                + "add rule inet n c oifname %i accept'", "f"
        ),
        ("nft add rule ip nat postrouting oifname eth0 masquerade", "m"),
        (
            "nft 'add table ip n; add chain ip n c { type nat hook postrouting priority 100; }; "
                + "add rule ip n c masquerade'", "m"
        ),
        (
            "iptables -t mangle -A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS "
                + "--clamp-mss-to-pmtu", "c"
        ),
        ("nft add rule inet f c tcp flags syn tcp option maxseg size set rt mtu", "c"),
        (
            "sudo iptables -A FORWARD -i %i -j ACCEPT; iptables -t nat -A POSTROUTING -j MASQUERADE "
                + "&& iptables -t mangle -A FORWARD -j TCPMSS --set-mss 1360", "fmc"
        ),
        ("iptables -C FORWARD -i %i -j ACCEPT || iptables -A FORWARD -i %i -j ACCEPT", "f"),
        ("sh -c \"iptables -A FORWARD -i %i -j ACCEPT\"", "f"),
        ("if true; then sysctl -w net.ipv4.ip_forward=1; fi", "f"),
        ("nft add rule inet filter forward iifname %i counter accept", "f"),
    ])
    func becomesAKey(command: String, keys: String) throws {
        for key in ["PreUp", "PostUp"] {
            let item = try item("\(key) = \(command)")
            #expect(item.outcome == .changed, "\(item.text)")
            let tunnel = try QuickFiles.read(QuickFiles.file(interface: "\(key) = \(command)"))
                .tunnel(named: "x", of: "x")
            var configuration = Configuration(identifier: "", name: "x")
            tunnel.configure(&configuration)
            #expect(configuration.routing.forward == keys.contains("f"))
            #expect(configuration.routing.masquerade == keys.contains("m"))
            #expect(configuration.routing.mssClamp == keys.contains("c"))
            for (letter, name) in ["f": "forward", "m": "masquerade", "c": "mssClamp"] {
                #expect(item.text.contains("routing.\(name)") == keys.contains(letter))
            }
        }
    }

    /// What takes it back goes with the tunnel.
    @Test(arguments: [
        "iptables -D FORWARD -i %i -j ACCEPT", "sysctl -w net.ipv4.ip_forward=0",
        "iptables -t nat -D POSTROUTING -o eth0 -j MASQUERADE; nft delete table ip n",
        "resolvectl revert %i", "resolvconf -d %i -f", "ufw route delete allow in on wg0",
    ])
    func whatTakesBackIsCovered(command: String) throws {
        for key in ["PreDown", "PostDown"] {
            let item = try item("\(key) = \(command)")
            #expect(item.outcome == .changed)
            #expect(item.text == "what it takes back was never done here, or ends with the tunnel")
        }
    }

    /// A hook that is dropped, and a word of what is said about it.
    @Test(arguments: [
        (
            "iptables -I OUTPUT ! -o %i -m mark ! --mark $(wg show %i fwmark) -m addrtype "
                + "! --dst-type LOCAL -j REJECT", "routing.includeAllNetworks"
        ),
        ("iptables -I OUTPUT -o ! %i -j DROP", "routing.includeAllNetworks"),
        ("nft add rule inet f output oifname != %i drop", "routing.includeAllNetworks"),
        ("iptables -I FORWARD -i %i -o %i -j REJECT", "forbids"),
        ("iptables -P FORWARD ACCEPT", "own files"), ("nft -f /etc/x", "own files"),
        ("iptables -A INPUT -p udp --dport 51820 -j ACCEPT", "left alone"),
        ("ufw allow 51820/udp", "left alone"),
        ("iptables -t nat -A PREROUTING -j DNAT --to 10.0.0.2", "own files"),
        ("resolvectl dns %i 10.0.0.1", "dns.servers"),
        ("echo nameserver 10.0.0.1 | resolvconf -a %i", "dns.servers"),
        ("ip rule add table 7", "routing.includedRoutes"),
        ("ip -6 route add ::/1 dev %i", "routing.includedRoutes"),
        ("wg set %i private-key /root/key", "PrivateKey"),
        ("sysctl -w vm.swappiness=1", "settings of the kernel"),
        ("sysctl -p", "settings of the kernel"),
        ("ip link set dev %i multicast on", "never run"), ("curl https://x.example", "never run"),
        ("(iptables -A FORWARD -i %i -j ACCEPT)", "never run"),
        ("iptables -A FORWARD -i %i -j \"ACCEPT", "never run"),
        ("echo $(iptables", "never run"), ("x \\", "never run"),
        ("echo 1 > /etc/passwd", "never run"),
        (
            "eval iptables -t nat -A POSTROUTING -j MASQUERADE", "never run"
        ),
    ])
    func isDroppedWithWhatToDo(command: String, told: String) throws {
        let item = try item("PostUp = \(command)")
        #expect(item.outcome == .dropped)
        #expect(item.text.contains(told), "\(item.text)")
        let tunnel = try QuickFiles.read(QuickFiles.file(interface: "PostUp = \(command)"))
            .tunnel(named: "x", of: "x")
        #expect(!tunnel.forward && !tunnel.masquerade && !tunnel.mssClamp)
    }

    /// What is nobody's to take back is a loss, unless the file itself would have made it.
    @Test(arguments: [
        "iptables -D INPUT -j DROP", "ip rule del table 7", "ufw delete allow 1/udp",
        "iptables -D OUTPUT ! -o wg0 -j REJECT", "nft flush ruleset",
        "nft delete table inet filter", "iptables -D FORWARD -j ACCEPT",
        "iptables -t nat -D POSTROUTING -o eth0 -j MASQUERADE", "sysctl -w net.ipv4.ip_forward=0",
        "echo 0 > /proc/sys/net/ipv4/ip_forward", "resolvconf -d eth0", "resolvectl revert eth0",
        "ufw route delete allow in on wg0",
    ])
    func whatTakesBackSomethingElseIsALossAtTheBeginningAlone(command: String) throws {
        #expect(try item("PreUp = \(command)").outcome == .dropped)
        #expect(try item("PostDown = \(command)").outcome == .changed)
    }

    /// What the file itself would make right after, it may take back before.
    @Test(arguments: [
        "iptables -D FORWARD -i %i -j ACCEPT", "resolvconf -d %i -f", "nft delete table inet w-%i",
    ])
    func whatIsOfTheTunnelAloneWasNotThereBefore(command: String) throws {
        #expect(try item("PreUp = \(command)").outcome == .changed)
    }

    /// What is read for a key's sake, and is no rule of forwarding or masquerading.
    @Test(arguments: [
        "nft add rule inet filter input iifname \"wg0\" accept",
        "nft 'add rule inet filter input ip saddr 10.0.0.1 log prefix \"snat\" drop'",
        "nft add rule inet filter input ip saddr 10.0.0.1 log prefix \"snat\" drop",
        "nft add rule ip filter output oifname \"wg0\" accept",
        "nft add rule ip raw prerouting iifname \"%i\" notrack accept",
        "nft 'add rule ip filter forward tcp dport 80 accept comment \"masquerade\"'",
        "nft 'add rule ip filter c drop; # masquerade'",
        "nft 'add rule ip filter c masquerade drop'",
        "nft add rule bridge filter forward iifname %i accept",
        "nft 'add chain ip n forward { type filter hook input priority 0; }; "
            + "add rule ip n forward iifname wg0 accept'",
        "nft 'add table ip n { chain c { type nat hook postrouting priority 0; masquerade; } }'",
        "nft 'add rule ip n postrouting \"masquerade'",
        "nft add rule ip n postrouting meta mark 7 masquerade",
        "nft add rule ip n prerouting masquerade",
        "nft add rule ip n output tcp option maxseg "
            + "size set rt mtu",
        "iptables -A INPUT -i %i -j TCPMSS --clamp-mss-to-pmtu",
        "iptables -t raw -A FORWARD -j "
            + "ACCEPT", "iptables -A POSTROUTING -j MASQUERADE",
        "iptables -A FORWARD -i %i -p tcp --dport 80 -j ACCEPT",
        "iptables -A FORWARD -i %i -m mark --mark 7 -j ACCEPT",
        "iptables -t nat -A POSTROUTING -p udp -j MASQUERADE",
        "sysctl net.ipv6.conf.eth0.force_forwarding=x", "sysctl -w net.ipv4.ip_forward=7",
        "sysctl -w net.ipv4.conf.all.rp_filter=1", "sysctl -w net.ipv4.x.ip_forward=1",
        "echo 1 > /proc/sys/net/ipv4/../../kernel/sysrq/ip_forward",
        "echo 1 > /proc/sys/net/ipv4/./ip_forward",
        "echo $(iptables -A INPUT -j DROP)", ": `iptables -A INPUT -j DROP`",
        "echo \"`iptables -A INPUT -j DROP`\"", "test -n \"${x:-$(iptables -F)}\"",
        "x=$(iptables -F)", "echo <(iptables -F)",
    ])
    func whatNoKeyDoesIsNotTakenForOne(command: String) throws {
        let item = try item("PostUp = \(command)")
        #expect(item.outcome == .dropped, "\(item.text)")
        let file = try QuickFiles.read(QuickFiles.file(interface: "PostUp = \(command)"))
        let tunnel = file.tunnel(named: "x", of: "x")
        #expect(!tunnel.forward && !tunnel.masquerade && !tunnel.mssClamp, "\(item.text)")
    }

    /// A key that does more than the rule, or less, and what is said about it.
    @Test(arguments: [
        (
            "iptables -t nat -A POSTROUTING -s 10.8.0.0/24 -o eth0 -j SNAT --to-source 203.0.113.7",
            "source address is lost"
        ),
        ("nft add rule ip n postrouting oifname eth0 snat to 203.0.113.7", "source address"),
        ("iptables -t nat -A POSTROUTING -d 192.168.5.0/24 -j MASQUERADE", "destinations are lost"),
        ("iptables -A FORWARD -i %i -d 192.168.5.0/24 -j ACCEPT", "destinations are lost"),
        ("nft add rule ip f forward iifname %i ip daddr 192.0.2.1 accept", "destinations are lost"),
    ])
    func whatAKeyDoesWithoutItsBoundsIsCoveredInPart(command: String, told: String) throws {
        let item = try item("PostUp = \(command)")
        #expect(item.outcome == .dropped)
        #expect(item.text.contains("a part of it") && item.text.contains(told), "\(item.text)")
    }

    @Test func thatMasqueradingIsWiderThanTheRuleIsSaid() throws {
        let item = try item("PostUp = iptables -t nat -A POSTROUTING -o eth0 -j MASQUERADE")
        #expect(
            item.text
                == "routing.masquerade covers it, and masquerades of any source and link, into the "
                + "tunnel too")
    }

    @Test func ofALineThatIsCoveredInPartBothPartsAreTold() throws {
        let item = try item(
            "PostUp = iptables -t nat -A POSTROUTING -j MASQUERADE; systemctl restart x")
        #expect(item.outcome == .dropped)
        #expect(
            item.text
                == "routing.masquerade covers a part of it; the rest: commands of a file are "
                + "never run")
    }

    @Test(arguments: [
        "", "true", ": ;", "sleep 5 &", "echo up", "[ -x /bin/x ]", "nft list tables",
    ])
    func whatDoesNothingLosesNothing(command: String) throws {
        let item = try item("PostUp = \(command)")
        #expect(item.outcome == .noted)
    }

    @Test func whatIsSetUpAtTheEndIsNoKey() throws {
        for key in ["PreDown", "PostDown"] {
            let line = "\(key) = iptables -A FORWARD -i %i -j ACCEPT"
            #expect(try item(line).outcome == .dropped)
            let file = try QuickFiles.read(QuickFiles.file(interface: line))
            #expect(!file.forward)
        }
    }

    @Test func withoutHooksWhatAnAdministratorHasSetStays() throws {
        var configuration = Configuration(identifier: "", name: "x")
        configuration.routing.forward = true
        try QuickFiles.read(QuickFiles.file()).tunnel(named: "x", of: "x").configure(&configuration)
        #expect(configuration.routing.forward && !configuration.routing.masquerade)
    }
}
