import Glibc
import JSON
import LinuxSystem
import TestSupport
import Testing

/// The interface is deleted under a tunnel that is at work.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct TunnelDeletionTests {
    @Test(arguments: [InteropSite.Initiator.near, .far])
    func everythingEndsWithinTwoSecondsAndNothingSpins(
        initiator: InteropSite.Initiator
    ) throws {
        let site = try InteropSite(.utunctl) { $0.initiator = initiator }
        let tunnel = try site.tunnel
        #expect(
            try initiator == .near
                || Echoes.arrive(at: InteropSite.nearAddress, from: site.host.place))
        // Under load in both directions.
        let transfers = [
            try Transfer(to: InteropSite.farAddress, at: site.host.place, bytes: 1 << 30),
            try Transfer(
                from: site.host.place, to: InteropSite.nearAddress, at: .here, bytes: 1 << 30),
        ]
        sleep(2)
        #expect(try Kernel.received(by: tunnel.interface) > 1000)
        let provider = tunnel.pid
        let host = try tunnel.site.livingHost(of: "office")
        try Kernel.ip("link", "delete", tunnel.interface)
        let (isGone, seconds) = timed {
            eventually(seconds: 2) {
                !Processes.isAlive(provider) && !Processes.isAlive(host)
            }
        }
        #expect(isGone, "\(seconds)")
        #expect(try tunnel.site.lastDisconnect("office").code == "interfaceRemoved")
        #expect(try tunnel.word == "disconnected")
        withExtendedLifetime(transfers) {}
        // Nothing is in the way of the next.
        try tunnel.connect()
        #expect(try Echoes.arrive(at: InteropSite.farAddress))
    }
}
