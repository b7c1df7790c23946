import JSON
import OnDemand
import Testing
import TunnelModel

/// A snapshot is a value that can be kept, compared and read again.
@Suite struct SnapshotTests {
    @Test(
        "what is written is read again",
        arguments: [
            Networks.office, Networks.cafe, NetworkSnapshot(time: Timestamp(microseconds: 0)),
        ])
    func roundTrip(network: NetworkSnapshot) throws {
        var network = network
        network.probes = ["http://a.example/": .status(302), "http://b.example/": .failed("no")]
        let document = try JSONDocument(parsing: JSONWriter.line(network))
        let again = try document.withRoot { node throws(JSONError) in try NetworkSnapshot(node) }
        #expect(again == network)
    }

    @Test("another time and other probes are the same network")
    func sameNetwork() {
        var later = Networks.office
        later.time = Timestamp(microseconds: later.time.microseconds + 1)
        later.probes = ["http://a.example/": .status(200)]
        #expect(later.isSameNetwork(as: Networks.office))
        #expect(later != Networks.office)
    }

    @Test("another gateway, server, search domain, SSID or link is another network")
    func otherNetwork() throws {
        let changes: [(inout NetworkSnapshot) -> Void] = [
            { $0.underlying?.gateways = [] }, { $0.underlying?.ssid = "x" },
            { $0.underlying?.index += 1 }, { $0.underlying = nil }, { $0.dnsServers = [] },
            { $0.searchDomains = [] },
        ]
        for change in changes {
            var other = Networks.office
            change(&other)
            #expect(!other.isSameNetwork(as: Networks.office))
        }
    }
}
