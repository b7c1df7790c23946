import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// A resolv.conf that others write meanwhile, and one that a crash or a power cut has left.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct ResolverDriftTests {
    private static let others = "nameserver 198.51.100.53\n"

    @Test func whatOthersWriteIsReplacedAndComesBackAtTheEnd() throws {
        let site = try ResolverSite()
        try site.save()
        try site.connect()
        try site.site.write(Self.others, to: "etc/resolv.conf")
        #expect(eventually { site.isOurs })
        #expect(try eventually { try restored(site) == 1 })
        #expect(try site.dns("verified") == .bool(true))
        #expect(unlink(site.path) == 0)
        #expect(eventually { site.isOurs })
        #expect(try site.site.utunctl("stop", "office").status == 0)
        // The network of before is not that of now: the last that others wrote counts.
        #expect(site.text == Self.others)
    }

    @Test func theNewOriginalIsWhatComesBack() throws {
        let site = try ResolverSite()
        try site.save()
        try site.connect()
        let temporary = "\(site.site.root)/etc/resolv.conf.new"
        try site.site.write(Self.others, to: "etc/resolv.conf.new")
        #expect(rename(temporary, site.path) == 0)
        #expect(eventually { site.isOurs })
        #expect(site.lines == ["nameserver 10.9.0.1"])
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(site.text == Self.others)
    }

    @Test func ourOwnLinesWithoutTheirNotesAreNoOriginal() throws {
        let site = try ResolverSite()
        try site.save()
        try site.connect()
        let first = site.text?.prefix { $0 != "\n" } ?? ""
        try site.site.write("\(first)\nnameserver 10.9.0.1\n", to: "etc/resolv.conf")
        #expect(eventually { site.text?.contains("#|nameserver 192.0.2.53") == true })
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(site.text == ResolverSite.original)
    }

    @Test func whoeverInsistsHasHisWayAndItIsSaid() throws {
        let site = try ResolverSite()
        try site.save()
        try site.connect()
        var rounds = 0
        while rounds < 20 {
            try site.site.write(Self.others, to: "etc/resolv.conf")
            guard eventually(seconds: 1, { site.isOurs }) else { break }
            rounds += 1
        }
        #expect(rounds == 5)
        #expect(try site.warnings() == ["dnsChanged"])
        #expect(try site.dns("verified") == .bool(false))
        #expect(try site.site.utunctl("status", "office").status == 5)
        #expect(try site.site.utunctl("stop", "office").status == 0)
        #expect(site.text == Self.others)
    }

    @Test(arguments: ["repair", "start", "stop"])
    func afterTheDeathOfItsHostTheNextVerbPutsItBack(verb: String) throws {
        let site = try ResolverSite()
        try site.save()
        try site.connect()
        try site.kill()
        #expect(site.isOurs)
        #expect(try site.warnings() == ["leftovers"])
        switch verb {
        case "repair": #expect(try site.site.utunctl("repair").status == 0)
        case "stop": #expect(try site.site.utunctl("stop", "office").status == 0)
        default:
            try site.connect()
            #expect(site.text?.contains("#|nameserver 192.0.2.53") == true)
            #expect(site.text?.contains("#|#") == false)
            #expect(try site.site.utunctl("stop", "office").status == 0)
        }
        #expect(site.text == ResolverSite.original)
        #expect(try site.warnings() == [])
    }

    @Test(arguments: ["repair", "start office", "start home", "stop office"])
    func afterAPowerCutTheFileAloneIsEnough(verb: String) throws {
        let site = try ResolverSite()
        try site.save()
        try site.site.save("home", "providerConfiguration.addresses=[\"10.97.0.1/30\"]")
        try site.connect()
        try site.kill()
        _ = try Command.run(["rm", "-rf", "\(site.site.root)/run/utunctl"])
        #expect(site.isOurs)
        let words = verb.split(separator: " ").map(String.init)
        let run = try Command.run(site.site.command(words))
        #expect(run.status == 0, "\(run)")
        if verb == "start office" {
            #expect(try site.site.utunctl("stop", "office").status == 0)
        }
        #expect(site.text == ResolverSite.original)
    }

    @Test func aServerIsFoundAfterACrash() throws {
        let site = try ResolverSite(look: #"return {"resolved": start["resolved"]}"#)
        let names = try NameService(site.site, "vpn.example.org,192.0.2.7")
        try site.save("office", "serverAddress=vpn.example.org")
        try site.connect()
        try site.kill()
        #expect(site.isOurs)
        try site.connect()
        let found = try site.site.status("office").value("provider.report")?.object?["resolved"]
        #expect(found?.object?["vpn.example.org"] == .array([.string("192.0.2.7")]))
        _ = names
    }

    @Test func aServerIsAskedForWhereItWasBefore() throws {
        let site = try ResolverSite()
        // The look-up comes when the resolver of the tunnel is in force, where nobody answers.
        try site.site.installProbe(
            """
            again = ask("resolve", name="vpn.example.org")
            return {"again": again["addresses"]}
            """)
        let names = try NameService(site.site, "vpn.example.org,192.0.2.7")
        try site.save("office", "serverAddress=vpn.example.org")
        let report = try site.site.report(ofStarted: "office")
        #expect(site.lines.first == "nameserver 10.9.0.1")
        #expect(report["again"] == .array([.string("192.0.2.7")]))
        #expect(try names.finish().components(separatedBy: "query[A] vpn.example.org") == 2)
    }

    private func restored(_ site: ResolverSite) throws -> Int64? {
        try site.site.status("office").value("interface.restored.dns")?.integer
    }
}

extension String {
    fileprivate func components(separatedBy text: String) -> Int {
        ranges(of: text).count
    }
}
