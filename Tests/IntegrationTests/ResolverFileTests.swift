import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// A tunnel's resolver in resolv.conf: what is written, and that all is as it was afterwards.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ResolverFileTests {
    @Test func whatTheConfigurationSaysIsInForceAndShown() throws {
        let site = try ResolverSite()
        try site.save(servers: ["10.9.0.1", "fd00:9::1"], "dns.searchDomains=[\"example.org\"]")
        try site.connect()
        #expect(
            site.lines == [
                "nameserver 10.9.0.1", "nameserver fd00:9::1", "search example.org",
                "options edns0",
            ])
        #expect(
            try site.site.status("office")["dns"]?.object
                == Installation.parse(
                    """
                    {"backend": "file", "servers": ["10.9.0.1", "fd00:9::1"],
                     "searchDomains": ["example.org"], "matchDomains": [], "tls": false,
                     "verified": true}
                    """))
        #expect(try site.warnings() == [])
    }

    @Test(arguments: [
        ResolverSite.original, "", "\n", "nameserver 192.0.2.53\n", "# only a comment",
        "a\r\nnameserver 192.0.2.1\r\n",
    ])
    func afterTheStopEachByteIsAsItWas(original: String) throws {
        let site = try ResolverSite(original)
        chmod(site.path, 0o640)
        try site.save()
        try site.connect()
        #expect(site.isOurs)
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(site.text == original)
        var status = stat()
        #expect(stat(site.path, &status) == 0 && status.st_mode & 0o7777 == 0o640)
        #expect(try Directory.names("\(site.site.root)/etc") == ["resolv.conf", "utunctl"])
    }

    @Test func aSymbolicLinkStaysOne() throws {
        let site = try ResolverSite(nil)
        try site.site.write(ResolverSite.original, to: "run/manager/resolv.conf")
        #expect(symlink("../run/manager/resolv.conf", site.path) == 0)
        try site.save()
        try site.connect()
        #expect(site.isOurs)
        #expect(Directory.linkTarget(site.path) == "../run/manager/resolv.conf")
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(Directory.linkTarget(site.path) == "../run/manager/resolv.conf")
        #expect(site.text == ResolverSite.original)
    }

    @Test func aMountPointIsWrittenInPlace() throws {
        let site = try ResolverSite()
        try site.site.write("nameserver 192.0.2.99\n", to: "mounted")
        try Place.here.run("mount", "--bind", "\(site.site.root)/mounted", site.path)
        defer { umount2(site.path, CInt(MNT_DETACH)) }
        try site.save()
        try site.connect()
        #expect(site.isOurs)
        #expect(site.site.read("mounted") == site.text)
        // In a directory that shows nothing of it, too, a change is noticed.
        try site.site.write("nameserver 192.0.2.98\n", to: "mounted")
        #expect(eventually { site.isOurs })
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(site.site.read("mounted") == "nameserver 192.0.2.98\n")
    }

    @Test func withoutAResolverTheFileIsNotTouched() throws {
        let site = try ResolverSite()
        try site.site.save("office")
        var before = stat()
        var after = stat()
        #expect(stat(site.path, &before) == 0)
        try site.connect()
        #expect(try site.dns("backend") == .null)
        #expect(try site.dns("verified") == .null)
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(stat(site.path, &after) == 0)
        #expect(before.st_ino == after.st_ino)
        #expect(before.st_mtim.tv_sec == after.st_mtim.tv_sec)
        #expect(before.st_mtim.tv_nsec == after.st_mtim.tv_nsec)
        #expect(before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
    }

    @Test(arguments: [
        ("dns.matchDomains=[\"corp.example\"]", "dns.matchDomains"), ("dns.tls=true", "dns.tls"),
    ])
    func whatNoFileCanSayIsRefusedBeforeAnythingIsDone(setting: String, key: String) throws {
        let site = try ResolverSite()
        try site.save("office", setting)
        let before = try Kernel.snapshot()
        let start = try site.site.utunctl("start", "office")
        #expect(start.status == 7, "\(start)")
        #expect(start.errors.contains("\(key): "))
        #expect(start.errors.contains("needs systemd-resolved"))
        #expect(try Kernel.snapshot() == before)
        #expect(site.text == ResolverSite.original)
        // An empty domain is all of them, whatever stands beside it.
        try site.save("office", "dns.matchDomains=[\"\"]", "dns.tls=false")
        try site.connect()
        #expect(site.isOurs)
    }

    @Test(arguments: [
        ("[{\"servers\": [\"10.9.0.1\"]}]", true), ("[{}]", true),
        ("[{\"servers\": [\"10.9.0.1\"], \"matchDomains\": [\"x\"]}]", false),
        ("[{\"searchDomains\": [\"x\"]}]", false),
    ])
    func whatAProviderAsksIsBoundedAlike(dns: String, isGranted: Bool) throws {
        let site = try ResolverSite()
        let value = dns.dropFirst().dropLast()
        try site.save(servers: [], "providerConfiguration.dns=\(value)")
        let start = try site.site.utunctl("start", "--wait", "office")
        #expect(start.status == (isGranted ? 0 : 6), "\(start)")
        if isGranted {
            #expect(site.isOurs == (value != "{}"))
        } else {
            #expect(start.errors.contains("networkSettingsRejected: dns: "), "\(start)")
        }
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(site.text == ResolverSite.original)
    }

    @Test func theConfigurationIsNotOverridden() throws {
        let site = try ResolverSite()
        try site.save("office", "providerConfiguration.dns={\"servers\": [\"203.0.113.6\"]}")
        try site.connect()
        #expect(site.lines.first == "nameserver 10.9.0.1")
        #expect(site.text?.contains("203.0.113.6") == false)
    }

    @Test func aSecondTunnelIsRefusedAndToldWhoHasTheFile() throws {
        let site = try ResolverSite()
        try site.save("office")
        try site.save("home")
        try site.connect("office")
        let ours = site.text
        let start = try site.site.utunctl("start", "home")
        #expect(start.status == 12, "\(start)")
        #expect(start.errors.contains("the tunnel office has"))
        #expect(start.errors.contains("utunctl stop office"))
        #expect(site.text == ours)
        try site.site.save(
            "home", "dns.servers=[]", "providerConfiguration.addresses=[\"10.97.0.1/30\"]")
        try site.connect("home")
        #expect(site.text == ours)
    }

    @Test func moreServersThanAnybodyReadsAreSaid() throws {
        let site = try ResolverSite()
        try site.save(servers: (1...4).map { "10.9.0.\($0)" })
        try site.connect()
        #expect(site.lines.filter { $0.hasPrefix("nameserver") }.count == 3)
        #expect(try site.warnings() == ["dnsReduced"])
        #expect(try site.site.utunctl("status", "office").status == 0)
    }

    @Test func withoutAResolvConfBelowTheRootTheSystemsIsNotTouched() throws {
        let site = try ResolverSite(nil)
        try site.save()
        let start = try site.site.utunctl("start", "office")
        #expect(start.status == 10, "\(start)")
        #expect(start.errors.contains("there is none below this root"))
        #expect(symlink("/etc/resolv.conf", site.path) == 0)
        #expect(try site.site.utunctl("start", "office").status == 10)
        #expect(!site.isOurs)
    }

    @Test func aFileThatCannotBeWrittenRefusesTheStart() throws {
        let site = try ResolverSite()
        try site.save()
        try Self.makeReadOnly("\(site.site.root)/etc")
        let start = try site.site.utunctl("start", "office")
        umount2("\(site.site.root)/etc", CInt(MNT_DETACH))
        #expect(start.status == 10, "\(start)")
        #expect(start.errors.contains("Read-only file system"))
        #expect(try Kernel.tunnels().isEmpty)
    }

    @Test func aStopThatCannotPutItBackSaysSo() throws {
        let site = try ResolverSite()
        try site.save()
        try site.connect()
        try Self.makeReadOnly("\(site.site.root)/etc")
        let stop = try site.site.utunctl("stop", "office")
        #expect(stop.status == 1, "\(stop)")
        #expect(stop.errors.contains("not all put back"))
        #expect(stop.errors.contains("resolv.conf: Read-only file system"))
        #expect(stop.errors.contains("utunctl repair"))
        #expect(try Kernel.tunnels().isEmpty)
        let again = try site.site.utunctl("repair")
        #expect(again.status == 1, "\(again)")
        umount2("\(site.site.root)/etc", CInt(MNT_DETACH))
        #expect(site.isOurs)
        let repair = try site.site.utunctl("repair")
        #expect(repair.status == 0, "\(repair)")
        #expect(repair.output.contains("resolv.conf"))
        #expect(site.text == ResolverSite.original)
        #expect(try site.site.utunctl("repair").errors.contains("nothing was left to clear"))
    }

    private static func makeReadOnly(_ path: String) throws {
        try Place.here.run("mount", "--bind", path, path)
        try Place.here.run("mount", "-o", "remount,bind,ro", path)
    }
}
