import JSON
import TestSupport
import Testing

/// Hosts on which IPv6 is switched off, as it is in many containers.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct IPv6OffTests {
    @Test func aTunnelOfBothFamiliesComesUpWithIPv4AndSaysSo() throws {
        let site = try Installation()
        try site.save("office")
        try Self.withoutIPv6 {
            let start = try site.utunctl("start", "--wait", "office")
            #expect(start.status == 0, "\(start)")
            #expect(try site.utunctl("status", "office").status == 0)
            let warnings = try site.status("office")["warnings"]?.array ?? []
            #expect(warnings.compactMap { $0.object?["code"] } == [.string("ipv6Unavailable")])
            #expect(try site.utunctl("stop", "office").status == 0)
        }
    }

    @Test func aTunnelOfIPv6AloneIsRefusedByName() throws {
        let site = try Installation()
        try site.save("six", #"providerConfiguration.addresses=["fd99::1/126"]"#)
        try Self.withoutIPv6 {
            let start = try site.utunctl("start", "--wait", "six")
            #expect(start.status == 6)
            #expect(start.errors.contains("IPv6 is switched off on this host"), "\(start)")
            #expect(try Kernel.tunnels().isEmpty)
        }
    }

    private static func withoutIPv6(_ body: () throws -> Void) throws {
        let path = "/proc/sys/net/ipv6/conf/default/disable_ipv6"
        _ = try Command.run(["sh", "-c", "echo 1 > \(path)"])
        defer { _ = try? Command.run(["sh", "-c", "echo 0 > \(path)"]) }
        try body()
    }
}
