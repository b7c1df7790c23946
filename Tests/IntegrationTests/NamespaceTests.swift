import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// A tunnel whose interface lives in another network namespace, while its packets leave from here.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct NamespaceTests {
    private static let inner = "inner"
    private static let setting = "interface.networkNamespace=\(inner)"

    private let site: Installation

    init() throws {
        site = try Installation()
        _ = try Command.run(["ip", "netns", "delete", Self.inner])
        try Kernel.ip("netns", "add", Self.inner)
        try inside("ip", "link", "set", "lo", "up")
    }

    @discardableResult
    private func inside(_ arguments: String...) throws -> String {
        let result = try Command.run(["ip", "netns", "exec", Self.inner] + arguments)
        guard result.status == 0 else { throw Unexpected("\(arguments): \(result)") }
        return result.output
    }

    /// Links, addresses, routes and rules of the other namespace, without what counts up.
    private func snapshot() throws -> String {
        try [
            ["-o", "link"], ["-o", "addr"], ["route", "show", "table", "all"],
            ["-6", "route", "show", "table", "all"], ["rule"], ["-6", "rule"],
        ].map { words in
            let result = try Command.run(["ip", "-n", Self.inner] + words)
            guard result.status == 0 else { throw Unexpected("\(words): \(result)") }
            return result.output
        }.joined()
    }

    private func connect(_ name: String = "office") throws {
        let start = try site.utunctl("start", "--wait", name)
        guard start.status == 0 else {
            throw Unexpected("start \(name): \(start)\n\(site.log(of: name))")
        }
    }

    @Test func theInterfaceIsThereAndNothingIsHere() throws {
        try site.save(
            "office", Self.setting, "providerConfiguration.addresses=[\"10.99.0.1/30\"]",
            "routing.includedRoutes=[\"10.77.0.0/16\"]")
        let here = try Kernel.snapshot()
        let there = try snapshot()
        try connect()
        #expect(try Kernel.snapshot() == here)
        #expect(try inside("ip", "-o", "link").contains("utunctl:"))
        #expect(try inside("ip", "route").contains("10.77.0.0/16 dev utun0"))
        try inside("ping", "-c", "3", "-i", "0.05", "-W", "2", "10.99.0.2")
        let status = try site.status("office")
        #expect(status["status"] == .string("connected"))
        #expect(status.value("interface.addresses") == .array([.string("10.99.0.1/30")]))
        #expect(status.value("interface.networkNamespace")?.string?.hasPrefix("net:[") == true)
        #expect(status.value("counters.receivedPackets")?.integer ?? 0 >= 3)
        #expect(try site.utunctl("status", "office", "--counters").status == 0)
        // What others take away there is put back there.
        try inside("ip", "route", "delete", "10.77.0.0/16", "dev", "utun0")
        #expect(try eventually { try inside("ip", "route").contains("10.77.0.0/16") })
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try snapshot() == there)
        #expect(try Kernel.snapshot() == here)
    }

    @Test func itsPacketsLeaveFromHereAndItsDefaultRouteIsThere() throws {
        let host = try FarHost()
        let keys = try (near: WireGuardKey(), far: WireGuardKey())
        let far = try WireGuardGo(
            WireGuardFile(
                key: keys.far, listenPort: 51_820, addresses: ["10.9.0.2/24"],
                peers: [.init(keys.near.publicKey, allowedIPs: ["10.9.0.1/32"])]),
            at: host.place)
        let tunnel = try EnrolledTunnel(
            WireGuardFile(
                key: keys.near, addresses: ["10.9.0.1/24"],
                peers: [
                    .init(
                        keys.far.publicKey, endpoint: "\(host.v4):51820",
                        allowedIPs: ["0.0.0.0/0"])
                ]),
            settings: [Self.setting], at: site)
        try Kernel.ip("link", "set", host.interface, "mtu", "1400")
        try tunnel.connect()
        try inside("ping", "-c", "2", "-i", "0.05", "-W", "2", "10.9.0.2")
        #expect(try inside("ip", "route", "get", "203.0.113.7").contains("dev utun0"))
        #expect(try Kernel.interface(to: host.v4) == host.interface)
        #expect(try Kernel.tunnels().isEmpty)
        // The way that counts is the one from here.
        #expect(try site.status("office").value("interface.mtu")?.integer == 1340)
        try Kernel.ip("link", "set", host.interface, "mtu", "1500")
        #expect(
            try eventually { try site.status("office").value("interface.mtu")?.integer == 1440 })
        #expect(try site.utunctl("status", "office").status == 0)
        #expect(try site.utunctl("stop", "office").status == 0)
        _ = far
    }

    @Test func serversAreFoundFromHere() throws {
        try site.installProbe(#"return {"resolved": start["resolved"]}"#)
        let names = try NameService(site, "vpn.example.org,192.0.2.7")
        try site.save(
            "office", Self.setting, "provider=\(ProbeProvider.identifier)",
            "serverAddress=vpn.example.org")
        let report = try site.report(ofStarted: "office")
        #expect(
            report.value("resolved")?.object?["vpn.example.org"] == .array([.string("192.0.2.7")]))
        _ = names
    }

    @Test func commandsRunThereWithItsResolver() throws {
        try site.save(
            "office", Self.setting, "providerConfiguration.addresses=[\"10.99.0.1/30\"]",
            "dns.servers=[\"10.99.0.2\"]")
        try connect()
        let file = "etc/netns/\(Self.inner)/resolv.conf"
        #expect(site.read(file)?.contains("nameserver 10.99.0.2\n") == true)
        #expect(try site.status("office")["dns"]?.object?["backend"] == .string("file"))
        let cat = try site.utunctl("exec", "office", "--", "cat", "/etc/resolv.conf")
        #expect(cat.status == 0, "\(cat)")
        #expect(cat.output.contains("nameserver 10.99.0.2\n"))
        #expect(cat.errors.isEmpty)
        let links = try site.utunctl("exec", "office", "--", "ls", "/sys/class/net")
        #expect(Set(links.output.split(separator: "\n")).isSuperset(of: ["lo", "utun0"]))
        #expect(try site.utunctl("exec", "office", "--", "sh", "-c", "exit 42").status == 42)
        let program = site.command(["exec", "office", "--", "sh", "-c", "umask"])
        let mask = try Command.run(["sh", "-c", #"umask 027; exec "$@""#, "sh"] + program)
        #expect(mask.output == "0027\n", "\(mask)")
        let none = try site.utunctl("exec", "office", "--", "/no/such/program")
        #expect(none.status == 10)
        #expect(none.errors.contains("/no/such/program cannot be run: No such file"))
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(site.read(file) == nil)
        #expect(access("\(site.root)/etc/netns", F_OK) == -1)
        let idle = try site.utunctl("exec", "office", "--", "true")
        #expect(idle.status == 0)
        #expect(idle.errors.contains("the tunnel does not run"))
        try site.save("plain")
        #expect(try site.utunctl("exec", "plain", "--", "true").status == 7)
        // What others have there stays, and with it its directories.
        try Directory.create("\(site.root)/etc/netns/\(Self.inner)", mode: 0o755)
        try Place.here.run("touch", "\(site.root)/etc/netns/\(Self.inner)/hosts")
        try connect()
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try Directory.names("\(site.root)/etc/netns/\(Self.inner)") == ["hosts"])
    }

    @Test(arguments: ["repair", "start", "stop"])
    func whatAKilledSessionLeftThereIsCleared(verb: String) throws {
        try site.save(
            "office", Self.setting, "providerConfiguration.addresses=[\"10.99.0.1/30\"]",
            "routing.includedRoutes=[\"10.77.0.0/16\"]", "routing.enforceRoutes=true",
            "dns.servers=[\"10.99.0.2\"]")
        let there = try snapshot()
        try connect()
        Glibc.kill(try site.livingHost(of: "office"), SIGKILL)
        #expect(try eventually { try !inside("ip", "-o", "link").contains("utunctl:") })
        #expect(try inside("ip", "rule").contains("proto 117"))
        #expect(try site.status("office")["status"] == .string("disconnected"))
        switch verb {
        case "repair": #expect(try site.utunctl("repair").status == 0)
        case "stop": #expect(try site.utunctl("stop", "office").status == 0)
        default:
            try connect()
            #expect(try site.utunctl("stop", "office").status == 0)
        }
        #expect(try snapshot() == there)
        #expect(access("\(site.root)/etc/netns", F_OK) == -1)
        #expect(try Kernel.tunnelRules().isEmpty)
    }

    @Test func aNamespaceThatIsNotThereIsNamed() throws {
        try site.save("office", "interface.networkNamespace=elsewhere")
        let start = try site.utunctl("start", "office")
        #expect(start.status == 10, "\(start)")
        #expect(start.errors.contains("there is no network namespace elsewhere"))
        #expect(start.errors.contains("ip netns add elsewhere"))
        let exec = try site.utunctl("exec", "office", "--", "true")
        #expect(exec.status == 10)
        #expect(exec.errors.contains("utunctl: exec office: there is no network namespace"))
        let plan = try site.utunctl("plan", "office")
        #expect(plan.status == 10 && plan.output.isEmpty, "\(plan)")
        let doctor = try site.utunctl("doctor")
        #expect(doctor.output.contains("networkNamespaceMissing: office: "), "\(doctor)")
        // Nor is anything left by the session host itself, which finds it missing no sooner.
        #expect(try site.utunctl("start", "--foreground", "office").status == 10)
        #expect(try Directory.names("\(site.root)/run/utunctl").isEmpty)
    }

    @Test func aNameOrAnAddressThatIsTakenThereRefusesThePlanToo() throws {
        try inside("ip", "tuntap", "add", "dev", "wire", "mode", "tun")
        try inside("ip", "address", "add", "10.99.0.1/30", "dev", "wire")
        for setting in [
            "interface.name=wire", #"providerConfiguration.addresses=["10.99.0.1/30"]"#,
        ] {
            let name = setting.hasPrefix("interface") ? "named" : "addressed"
            try site.save(name, Self.setting, setting)
            for verb in ["start", "plan"] {
                let refusal = try site.utunctl(verb, name)
                #expect(refusal.status == 12, "\(refusal)")
            }
        }
        // Here it is free.
        let unset = ["save", "named", "--unset", "interface.networkNamespace"]
        #expect(try Command.run(site.command(unset)).status == 0)
        let plan = try site.utunctl("plan", "named")
        #expect(plan.status == 0, "\(plan)")
        #expect(try Directory.names("\(site.root)/run/utunctl").isEmpty)
    }

    @Test func withoutTheCapabilityTheStartSaysWhatLetsItHaveIt() throws {
        try site.save("office", Self.setting)
        for words in [["start", "office"], ["exec", "office", "--", "true"]] {
            let run = try Command.run(
                ["setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"]
                    + site.command(words))
            #expect(run.status == 10, "\(run)")
            #expect(run.errors.contains("CAP_SYS_ADMIN"), "\(run)")
            #expect(run.errors.contains("systemctl edit"))
        }
    }

    /// The name is no more than a name: a program there would speak past the tunnel.
    @Test func inAnotherNamespaceOfTheSameNameNothingIsRun() throws {
        try site.save("office", Self.setting)
        try connect()
        #expect(try site.utunctl("exec", "office", "--", "true").status == 0)
        try Kernel.ip("netns", "delete", Self.inner)
        try Kernel.ip("netns", "add", Self.inner)
        let exec = try site.utunctl("exec", "office", "--", "true")
        #expect(exec.status == 12 && exec.errors.contains("restart office"), "\(exec)")
        #expect(try site.utunctl("stop", "office").status == 0)
    }
}
