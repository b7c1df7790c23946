import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// Enrolled files and the tunnels that run of them.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct EnrolmentTests {
    private let key: TestSupport.WireGuardKey
    private let site: Installation

    init() throws {
        key = try TestSupport.WireGuardKey()
        site = try Installation()
        try site.installWireGuard()
    }

    /// A file of a tunnel that only listens, so that it is connected without anybody else.
    private func file(
        addresses: [String] = ["10.100.0.1/24"],
        _ allowedIPs: [String],
        _ more: String = ""
    ) -> String {
        let file = WireGuardFile(
            key: key, addresses: addresses,
            peers: [
                WireGuardFile.Peer(
                    TestSupport.WireGuardKey.publicKeyOfNobody(), allowedIPs: allowedIPs)
            ])
        return file.forQuick + more
    }

    private func enroll(_ text: String, _ options: String...) throws -> Command.Result {
        try site.write(text, to: "office.conf", mode: 0o600)
        return try Command.run(
            site.command(["enroll", "\(site.root)/office.conf", "--name", "office"] + options))
    }

    private func routes(_ arguments: String...) throws -> [String] {
        try Command.run(["ip"] + arguments).output.split(separator: "\n")
            .map { String($0.prefix { $0 != " " }) }
    }

    @Test func networksWithHostBitsAreRoutesAndTheDefaultOneDoesNotLoop() throws {
        let run = try enroll(
            file(
                addresses: ["10.100.0.1/24", "fd00:100::1/64"],
                ["10.77.77.1/24", "128.0.0.0/0", "0.0.0.0/0", "1::1/127"]))
        #expect(run.status == 0, "\(run)")
        for line in [
            "10.77.77.1/24 has host bits, taken as 10.77.77.0/24",
            "128.0.0.0/0 has host bits, taken as 0.0.0.0/0", "0.0.0.0/0 stands there already",
            "1::1/127 has host bits, taken as 1::/127",
        ] {
            #expect(run.output.contains(line), "\(run.output)")
        }
        let start = try site.utunctl("start", "office", "--wait")
        #expect(start.status == 0, "\(start)")
        #expect(try routes("route").filter { $0 == "10.77.77.0/24" }.count == 1)
        #expect(try routes("-6", "route").contains("1::/127"))
        // Packets of its own are marked, and never go into it.
        #expect(
            try Kernel.interface(to: "192.0.2.1")
                == site.status("office").value("interface.name")?.string)
        let marked = try Command.run(["ip", "route", "get", "192.0.2.1", "mark", "0x75000075"])
        #expect(!marked.output.contains("utun"), "\(marked)")
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func theNetworkOfTheTunnelItselfIsOneRoute() throws {
        #expect(try enroll(file(["10.100.0.2/24"])).status == 0)
        let start = try site.utunctl("start", "office", "--wait")
        #expect(start.status == 0, "\(start)")
        #expect(try routes("route").filter { $0 == "10.100.0.0/24" }.count == 1)
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func withTableOffThereIsNoRoute() throws {
        let text = file(["10.77.0.0/16"]).replacing("[Interface]", with: "[Interface]\nTable = off")
        #expect(try enroll(text).status == 0)
        let start = try site.utunctl("start", "office", "--wait")
        #expect(start.status == 0, "\(start)")
        #expect(try !routes("route").contains("10.77.0.0/16"))
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func aTunnelThatRunsIsNotTouchedByANewFile() throws {
        #expect(try enroll(file(["10.77.0.0/16"])).status == 0)
        #expect(try site.utunctl("start", "office", "--wait").status == 0)
        let before = try site.status("office")
        let run = try enroll(file(["10.78.0.0/16"]), "--replace")
        #expect(run.status == 0)
        #expect(
            run.errors.contains(
                "office runs: what was saved takes effect by a reload or its next start"))
        let after = try site.status("office")
        for key in ["attempt", "interface", "status", "connectedSince"] {
            #expect(after[key] == before[key], "\(key)")
        }
        #expect(after["restartNeeded"] == .bool(true))
        let reasons = after["restartReasons"]?.array?.compactMap(\.string) ?? []
        #expect(reasons.contains("providerConfiguration"), "\(reasons)")
        #expect(try routes("route").contains("10.77.0.0/16"))
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("start", "office", "--wait").status == 0)
        #expect(try routes("route").contains("10.78.0.0/16"))
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func aBadLineAtTheEndReachesTheKernelByNothing() throws {
        let monitor = try Command(["ip", "monitor", "link", "address", "route", "rule"])
        // The probe must not be blind, which it is until it listens.
        try Kernel.ip("tuntap", "add", "dev", "probe", "mode", "tun")
        var mtu = 1400
        let listens = try eventually(seconds: 20) {
            // What is set to what it is already is no event.
            mtu += 1
            try Kernel.ip("link", "set", "probe", "mtu", "\(mtu)")
            return try monitor.output(until: "probe", seconds: 0).contains("probe")
        }
        #expect(listens)
        let before = try monitor.output(until: "\0", seconds: 1)
        for line in ["AllowedIPs = 10.0.0.0/33", "MTU = 1", "nonsense", "AllowedIPs = 10.1.2.3 /x"]
        {
            #expect(try enroll(file(["10.77.0.0/16"], line)).status == 7)
        }
        #expect(try site.utunctl("start", "office").status == 4)
        #expect(try monitor.output(until: "\0", seconds: 1) == before)
        monitor.signal(SIGTERM)
        _ = try monitor.finish()
        try Kernel.ip("link", "del", "probe")
    }

    @Test func aKilledEnrolmentIsTakenBackByTheStart() throws {
        #expect(try enroll(file(["10.77.0.0/16"])).status == 0)
        try site.write(file(["10.78.0.0/16"]), to: "new.conf", mode: 0o600)
        // The signal comes with the preferences, the longest of what it writes.
        let run = try Command.run(
            ["prlimit", "--fsize=900"]
                + site.command([
                    "enroll", "\(site.root)/new.conf", "--name", "office", "--replace",
                ]))
        #expect(run.status == 128 + SIGXFSZ, "\(run)")
        let start = try site.utunctl("start", "office", "--wait")
        #expect(start.status == 0, "\(start)")
        #expect(start.errors.contains("an interrupted enrolment of office was taken back"))
        #expect(try routes("route").contains("10.77.0.0/16"))
        #expect(try site.utunctl("stop", "office").status == 0)
    }

    @Test func withoutOpenSSLWhatNeedsItIsRefusedAndTheRestIsNot() throws {
        let authority = try CertificateAuthority()
        try authority.issue("ca", isAuthority: true)
        try authority.issue("signer", by: "ca")
        let signed = try authority.sign(file(["10.77.0.0/16"]), by: ["signer"])
        let program = "/usr/bin/openssl"
        #expect(try Command.run(["mount", "--bind", "/dev/null", program]).status == 0)
        defer { _ = try? Command.run(["umount", program]) }
        let run = try site.utunctl("enroll", signed, "--name", "signed", "--json")
        #expect(run.status == 7, "\(run)")
        let error = try Installation.parse(run.output)["error"]?.object
        #expect(error?["code"]?.string == "helperUnusable")
        #expect(error?["hint"]?.string == "install openssl")
        #expect(run.errors.contains("\(program): not a regular file"), "\(run)")
        #expect(site.read("etc/utunctl/profiles/signed.json") == nil)
        #expect(try enroll(file(["10.77.0.0/16"])).status == 0)
    }
}
