import Enrolment
import JSON
import TestSupport
import Testing
import TunnelModel

/// Profiles in JSON, by themselves.
@Suite struct ProfileFileTests {
    private static let text = """
        {"formatVersion": 1, "identifier": "office", "title": "The office",
         "notAfter": "2090-01-01T00:00:00Z",
         "anchors": [{"name": "gateway", "kind": "wireguard",
           "publicKey": "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="}],
         "configurations": [{"name": "office", "provider": "org.utunctl.wireguard",
           "trust": ["office/gateway", "home/peer1"], "credentials": {"privateKey": "file:k"},
           "providerConfiguration": {"addresses": ["10.9.0.2/24"], "peers": [
             {"trust": "office/gateway", "allowedIPs": ["10.9.1.1/16"]},
             {"trust": "home/peer1", "endpoint": "[2001:db8::1]:443"}]},
           "onDemand": {"enabled": true, "rules": [{"action": "connect", "ssid": ["x"]}]}}]}
        """

    private static func read(_ text: String) throws(JSONError) -> ProfileFile {
        try ProfileFile(parsing: Array(text.utf8))
    }

    @Test func aConfigurationIsAsTheFileSaysButForItsIdentity() throws {
        let proposal = try Self.read(Self.text).proposal(isArmed: true)
        #expect(proposal.material.profile.identifier == "office")
        #expect(proposal.material.secrets.isEmpty)
        var configuration = Configuration(identifier: "mine", name: "office")
        configuration.generation = 7
        configuration.title = "what was"
        configuration.dns.searchDomains = ["example.org"]
        try #require(proposal.material.tunnels.first).configure(&configuration)
        #expect(configuration.identifier == "mine" && configuration.generation == 7)
        // What a profile can say and does not is as by default.
        #expect(configuration.title == "" && configuration.dns.searchDomains.isEmpty)
        #expect(configuration.onDemand.enabled)
    }

    @Test func anotherNameReachesEveryReference() throws {
        let proposal = try Self.read(Self.text).proposal(named: "work", isArmed: false)
        var configuration = Configuration(identifier: "mine", name: "office")
        try #require(proposal.material.tunnels.first).configure(&configuration)
        #expect(configuration.trust == ["work/gateway", "home/peer1"])
        let own = try WireGuardConfiguration(configuration.providerConfiguration)
        #expect(own.peers.map(\.trust) == ["work/gateway", "home/peer1"])
        #expect(!configuration.onDemand.enabled && configuration.onDemand.rules.count == 1)
        #expect(proposal.items.contains { $0.key == "identifier" && $0.outcome == .changed })
        #expect(proposal.items.contains { $0.text == "anchor work/gateway" })
        #expect(proposal.items.allSatisfy { $0.line == nil })
    }

    @Test func noChangeOfAByteIsACrash() throws {
        let bytes = Array(Self.text.utf8)
        var generator = SeededGenerator(seed: 11)
        var taken = 0
        var refused = 0
        for _ in 0..<4000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<changed.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: changed[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: changed.remove(at: place)
                case 2: changed.insert(changed[place], at: place)
                default: changed.removeSubrange(place..<min(changed.count, place + 40))
                }
                if changed.isEmpty { break }
            }
            do throws(JSONError) {
                let proposal = try ProfileFile(parsing: changed).proposal(isArmed: false)
                taken += 1
                for tunnel in proposal.material.tunnels {
                    var configuration = Configuration(identifier: "", name: tunnel.name)
                    tunnel.configure(&configuration)
                    let (normalized, _) = configuration.normalized()
                    #expect(normalized.providerConfigurationError == nil)
                    #expect(!configuration.onDemand.enabled)
                }
            } catch {
                refused += 1
                #expect(!error.text.isEmpty)
            }
        }
        // Otherwise one of the two was not tried.
        #expect(taken > 50 && refused > 50, "\(taken), \(refused)")
    }

    @Test(arguments: [100, 3000])
    func nothingIsTooDeepOrTooLong(count: Int) throws {
        let deep = String(repeating: "[", count: count) + String(repeating: "]", count: count)
        #expect(throws: JSONError.self) {
            try Self.read("{\"formatVersion\": 1, \"identifier\": \"x\", \"title\": \(deep)}")
        }
        let anchors = (0..<count).map { number in
            #"{"name": "a\#(number)", "kind": "pin", "sha256": "\#(String(repeating: "0", count: 64))"}"#
        }
        let file = try Self.read(
            #"{"formatVersion": 1, "identifier": "x", "anchors": [\#(anchors.joined(separator: ","))]}"#
        )
        #expect(file.profile.anchors.count == count)
    }
}
