import JSON
import LinuxSystem
import TestSupport
import Testing

/// Counters: those of the kernel, of one interface, from its creation on.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct CounterTests {
    private func site() throws -> Installation {
        let site = try Installation()
        try site.save("office", #"providerConfiguration.addresses=["10.99.0.1/30"]"#)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        return site
    }

    private func ownCounters(_ site: Installation) throws -> [Int64] {
        let tunnel = try site.status("office")
        return [
            "receivedBytes", "sentBytes", "receivedPackets", "sentPackets", "receivedErrors",
            "sentErrors", "receivedDropped", "sentDropped",
        ].map { tunnel.value("counters.\($0)")?.integer ?? -1 }
    }

    private func kernelCounters(_ link: String) throws -> [Int64] {
        let output = try Command.run(["ip", "-s", "-j", "link", "show", "dev", link]).output
        let links = try Installation.parse(#"{"links":\#(output)}"#)["links"]?.array
        let statistics = try #require(links?.first?.object?.value("stats64")?.object)
        return ["bytes", "packets", "errors", "dropped"].flatMap { what in
            ["rx", "tx"].map { statistics.value("\($0).\(what)")?.integer ?? -2 }
        }
    }

    private func ping(_ count: Int) throws {
        let result = try Command.run(["ping", "-q", "-f", "-c", "\(count)", "10.99.0.2"])
        #expect(result.status == 0, "\(result)")
    }

    @Test func atRestTheyAreThoseOfTheKernel() throws {
        let site = try site()
        try ping(500)
        let own = try ownCounters(site)
        #expect(try own == kernelCounters("utun0"))
        #expect(own[3] >= 500)
    }

    @Test func underLoadTheyNeverGoBack() throws {
        let site = try site()
        let load = try Command(["ping", "-q", "-f", "-c", "1000000", "10.99.0.2"])
        var former = try ownCounters(site)
        for _ in 0..<50 {
            let now = try ownCounters(site)
            #expect(zip(former, now).allSatisfy { $0 <= $1 })
            former = now
        }
        load.signal(2)
        _ = try load.finish()
        #expect(former[3] > 50)
    }

    @Test func theyRestartWithTheInterfaceAndSaySo() throws {
        let site = try site()
        try ping(20)
        let first = try site.status("office")
        #expect(try site.utunctl("stop", "office").status == 0)
        #expect(try site.utunctl("start", "--wait", "office").status == 0)
        let second = try site.status("office")
        let time = "counters.countsFrom.time"
        let former = try #require(first.value(time)?.string)
        let latter = try #require(second.value(time)?.string)
        #expect(former < latter)
        #expect(second.value("counters.sentPackets") == .integer(0))
        #expect(
            second.value("counters.countsFrom.interfaceIndex") == second.value("interface.index"))
    }

    @Test func theInterfacesUnderneathAreShownWithTheirKind() throws {
        let neighbour = try Neighbour()
        let site = try site()
        let pings = try Command.run(["ping", "-q", "-f", "-c", "20", Neighbour.v4])
        #expect(pings.status == 0, "\(pings)")
        let answer = try site.json("status", "--counters", "office")
        let tunnel = try #require(answer["tunnels"]?.array?.first?.object)
        let underlying = tunnel["underlying"]?.array?.compactMap(\.object) ?? []
        #expect(underlying.map { $0["name"] } == [.string(Neighbour.interface)])
        #expect(underlying.first?["kind"] == .string("ethernet"))
        #expect(underlying.first?["sentPackets"]?.integer ?? 0 >= 20)
        let text = try site.utunctl("status", "--counters", "office").output
        #expect(text.contains("\(Neighbour.interface) (ethernet)"))
        #expect(text.contains("estimate"))
        _ = neighbour
    }
}
