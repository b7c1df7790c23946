import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// A provider is given nothing but its channel, its TUN and what its configuration names.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ProviderIsolationTests {
    /// The names of environment variables and of descriptors, before anything was opened.
    private static let look = """
        return {
            "pid": os.getpid(), "parent": os.getppid(), "arguments": sys.argv,
            "user": [*os.getresuid(), *os.getresgid()], "groups": os.getgroups(),
            "interfaces": [name for _, name in socket.if_nameindex()],
        }
        """

    private func expectIsolated(_ provider: RunningProcess, descriptors: Int) {
        let own = RunningProcess(pid: getpid())
        for kind in ["net", "pid", "ipc"] {
            #expect(provider.namespace(kind) != own.namespace(kind), "\(kind)")
        }
        let expected = (Account.user(named: "utunctl-provider"))?.uid ?? 61_117
        #expect(provider.field("Uid") == "\(expected) \(expected) \(expected) \(expected)")
        #expect(provider.field("Gid")?.contains(" 0") == false)
        #expect(provider.field("Groups") == "")
        #expect(provider.field("NSpid")?.hasSuffix(" 1") == true)
        for set in ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"] {
            #expect(provider.field(set) == "0000000000000000", "\(set)")
        }
        #expect(provider.field("NoNewPrivs") == "1")
        #expect(provider.field("SigBlk") == "0000000000000000")
        #expect(
            provider.file("environ") == "PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 ")
        let core = provider.file("limits").split(separator: "\n").first {
            $0.hasPrefix("Max core file size")
        }
        #expect(core?.split(separator: " ").dropFirst(4).prefix(2).joined() == "00")
        let open = provider.descriptors
        #expect(open[0] == "/dev/null")
        #expect(open[1]?.hasPrefix("pipe:") == true)
        #expect(open[2] == open[1])
        #expect(open[3]?.hasPrefix("socket:") == true)
        #expect(open[4] == "/dev/net/tun")
        #expect(open.values.count { $0 == "/dev/net/tun" } == 1)
        #expect(open.values.count { $0.hasPrefix("socket:") } == 1)
        #expect(open.count <= descriptors, "\(open)")
    }

    @Test func theLoopbackProviderIsKeptApart() throws {
        let site = try Installation()
        try site.save("office")
        // Nothing of whoever starts it is handed on.
        let start = try site.utunctl(
            "start", "--wait", "office", environment: ["CANARY": "1", "LD_LIBRARY_PATH": "/none"])
        #expect(start.status == 0, "\(start)")
        // Its loop has one descriptor, and may have one for timers.
        expectIsolated(try RunningProcess(providerOf: site, "office"), descriptors: 7)
    }

    @Test func aScriptIsKeptApartToo() throws {
        let site = try Installation()
        try site.installProbe(Self.look)
        try site.save("office", "provider=\(ProbeProvider.identifier)", "startTimeout=20")
        let report = try site.report(ofStarted: "office")
        #expect(report["pid"] == .integer(1))
        #expect(report["parent"] == .integer(0))
        #expect(report["groups"] == .array([]))
        #expect(report["interfaces"] == .array([.string("lo")]))
        let uid = JSONValue.integer(Int64(Account.user(named: "utunctl-provider")?.uid ?? 61_117))
        #expect(report["user"]?.array?.prefix(3).allSatisfy { $0 == uid } == true)
        // The interpreter keeps the script open, as its number is all the name it has.
        expectIsolated(try RunningProcess(providerOf: site, "office"), descriptors: 6)
    }

    @Test func aPrivateRootIsNoObstacle() throws {
        let site = try Installation()
        try site.installProbe(Self.look)
        chmod(site.root, 0o700)
        try site.save("office")
        try site.save("script", "provider=\(ProbeProvider.identifier)", "startTimeout=20")
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        _ = try site.report(ofStarted: "script")
    }

    @Test func theProviderDiesWithItsHost() throws {
        let site = try Installation()
        try site.installProbe(Self.look)
        for name in ["office", "script"] { try site.save(name) }
        try site.save("script", "provider=\(ProbeProvider.identifier)", "startTimeout=20")
        for name in ["office", "script"] {
            #expect(try site.utunctl("start", "--wait", name).status == 0)
            let provider = try RunningProcess(providerOf: site, name)
            let host = try #require(provider.parent)
            #expect(kill(host.pid, SIGKILL) == 0)
            #expect(eventually { !provider.isAlive })
            #expect(try eventually { try Kernel.tunnels().isEmpty })
            let tunnel = try site.status(name)
            #expect(tunnel["status"] == .string("disconnected"))
            #expect(tunnel.value("lastDisconnect.code") == .string("sessionHostCrashed"))
        }
    }

    @Test func aManifestMayAskForTheNetworkOfTheHost() throws {
        let site = try Installation()
        try site.installProbe(Self.look)
        try site.writeManifest(
            """
            {"formatVersion": 1, "identifier": "org.example.probe", "network": "host",
             "executable": "/usr/libexec/utunctl/probe", "protocolVersion": 1}
            """, identifier: ProbeProvider.identifier)
        try site.save("office", "provider=\(ProbeProvider.identifier)", "startTimeout=20")
        let report = try site.report(ofStarted: "office")
        #expect(report["interfaces"]?.array?.contains(.string("utun0")) == true)
        let provider = try RunningProcess(providerOf: site, "office")
        let own = RunningProcess(pid: getpid())
        #expect(provider.namespace("net") == own.namespace("net"))
        #expect(provider.namespace("pid") != own.namespace("pid"))
        #expect(provider.field("CapEff") == "0000000000000000")
        #expect(try site.utunctl("providers").output.contains("host"))
    }
}
