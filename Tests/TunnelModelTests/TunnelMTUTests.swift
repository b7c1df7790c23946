import Testing
import TunnelModel

/// The MTU of a tunnel: what it is, and what it follows from.
private struct Way: CustomTestStringConvertible {
    var testDescription: String
    var configured: UInt32?
    var asked: UInt32?
    var paths: [(String, UInt32)] = []
    var hasIPv6 = true
    let expected: UInt32
    let origin: String

    var mtu: TunnelMTU {
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        configuration.interface.mtu = configured
        var settings = NetworkSettings()
        settings.mtu = asked
        settings.overhead = 80
        settings.overheadIPv4 = 60
        let paths = paths.compactMap { server, mtu in
            IPAddress(server).map { PathMTU(server: $0, mtu: mtu) }
        }
        return TunnelMTU(configuration, settings, paths: paths, hasIPv6: hasIPv6)
    }
}

@Suite struct TunnelMTUTests {
    @Test(arguments: [
        Way(
            testDescription: "nothing is known", expected: 1420, origin: "1500 of Ethernet, less 80"
        ),
        Way(
            testDescription: "a server over IPv4", paths: [("192.0.2.1", 1500)], expected: 1440,
            origin: "1500 of the path to 192.0.2.1, less 60"),
        Way(
            testDescription: "a server over IPv6", paths: [("2001:db8::1", 1492)], expected: 1412,
            origin: "1492 of the path to 2001:db8::1, less 80"),
        Way(
            testDescription: "the narrowest of several",
            paths: [("2001:db8::1", 1500), ("2001:db8:2::1", 1400)], expected: 1320,
            origin: "1400 of the path to 2001:db8:2::1, less 80"),
        Way(
            testDescription: "it is what is left that counts",
            paths: [("192.0.2.1", 1495), ("2001:db8::1", 1500)], expected: 1420,
            origin: "1500 of the path to 2001:db8::1, less 80"),
        Way(
            testDescription: "jumbo frames", paths: [("192.0.2.1", 9000)], expected: 8940,
            origin: "9000 of the path to 192.0.2.1, less 60"),
        Way(
            testDescription: "a server on this host", paths: [("127.0.0.1", 65_536)],
            expected: 1440, origin: "1500 of the path to 127.0.0.1, less 60"),
        Way(
            testDescription: "IPv6 inside", paths: [("192.0.2.1", 1300)], expected: 1280,
            origin: "IPv6 needs it; 1300 of the path to 192.0.2.1, less 60"),
        Way(
            testDescription: "no IPv6 inside", paths: [("192.0.2.1", 1300)], hasIPv6: false,
            expected: 1240, origin: "1300 of the path to 192.0.2.1, less 60"),
        Way(
            testDescription: "next to nothing", paths: [("192.0.2.1", 68)], hasIPv6: false,
            expected: 516, origin: "the least; 68 of the path to 192.0.2.1, less 60"),
        Way(
            testDescription: "the provider's", asked: 1300, paths: [("192.0.2.1", 1500)],
            expected: 1300, origin: "provider"),
        Way(
            testDescription: "the configuration's", configured: 1350, asked: 1300,
            paths: [("192.0.2.1", 1500)], expected: 1350, origin: "interface.mtu"),
    ])
    private func isTheMostThatGoesEverywhere(way: Way) {
        #expect(way.mtu.value == way.expected)
        #expect(way.mtu.origin == way.origin)
        #expect(way.mtu.isAutomatic == (way.configured == nil && way.asked == nil))
    }

    @Test func settingsKnowWhetherTheyFollow() throws {
        var asked = NetworkSettings()
        asked.addresses = Model.prefixes(["10.9.0.2/24"])
        asked.overhead = 40
        var configuration = Configuration(identifier: Model.identifier, name: "office")
        let path = PathMTU(server: IPAddress(v4: 0xC000_0201), mtu: 1200)
        guard
            case .accepted(let settings) = EffectiveSettings.derive(
                from: asked, for: configuration)
        else { throw CancellationError() }
        #expect(settings.mtu == 1460)
        #expect(settings.mtu(for: configuration, paths: [path])?.value == 1160)
        configuration.interface.mtu = 1400
        guard
            case .accepted(let fixed) = EffectiveSettings.derive(
                from: asked, for: configuration, paths: [path])
        else { throw CancellationError() }
        #expect(fixed.mtu == 1400)
        #expect(fixed.mtu(for: configuration, paths: [path]) == nil)
    }
}
