import Commands
import Glibc
import LinuxSystem
import Preferences
import TestSupport
import Testing

/// Whatever a snapshot of the network depends on is told of, and nothing else is.
@Suite(
    .serialized,
    .enabled("\(PrivateNamespace.requirement)") { try PrivateNamespace.isPresent })
struct NetworkChangeTests {
    private let site: NetworkSite
    private let changes: NetworkChanges
    private let loop: EventLoop

    init() throws {
        site = try NetworkSite()
        // What the link itself has to find out is no change of ours.
        _ = try eventually {
            try !Command.run(["ip", "-6", "addr"]).output.contains("tentative")
        }
        changes = try NetworkChanges(
            FileLayout(root: site.installation.root),
            ssidFile: "\(site.installation.root)/names/ssid")
        loop = try EventLoop()
    }

    /// How often something was told of until `milliseconds` went by without.
    private func told(within milliseconds: Int64 = 300) throws -> Int {
        var count = 0
        var timer: EventLoop.Timer?
        func wait() {
            loop.cancel(timer)
            timer = loop.schedule(milliseconds: milliseconds) { loop.stop() }
        }
        wait()
        reports.body = {
            count += 1
            wait()
        }
        // What is kept beyond this would keep the network of the next test from being made.
        defer { reports.body = {} }
        try loop.run()
        return count
    }

    private let reports = Reports()

    private final class Reports {
        var body: () -> Void = {}
    }

    private func begin() throws {
        try changes.report(on: loop) { [reports] in reports.body() }
        _ = try told(within: 1000)
    }

    @Test func whereNothingHappensNothingIsTold() throws {
        try begin()
        #expect(try told(within: 1500) == 0)
    }

    @Test func routesLinksAndAddressesAreTold() throws {
        try begin()
        for change in [
            ["-4", "route", "add", "192.0.2.128/28", "dev", "near0"],
            ["-6", "route", "del", "default"],
            ["address", "add", "192.0.2.9/28", "dev", "near0"],
            ["link", "set", "near0", "down"],
        ] {
            _ = try Command.run(["ip"] + change)
            #expect(try told() > 0, "\(change)")
        }
    }

    @Test func filesOfResolverAndWirelessNetworksAreTold() throws {
        try begin()
        for path in ["etc/resolv.conf", "names/ssid", "run/systemd/resolve/resolv.conf"] {
            for text in ["1", "2"] {
                try site.installation.write(text, to: path)
                try changes.watchDirectories()
                #expect(try told() > 0, "\(path) \(text)")
            }
        }
    }

    @Test func aResolverFileThatALinkLeadsToIsTold() throws {
        try site.installation.write("1", to: "elsewhere/resolv.conf")
        let path = "\(site.installation.root)/etc/resolv.conf"
        #expect(unlink(path) == 0 && symlink("../elsewhere/resolv.conf", path) == 0)
        try begin()
        try site.installation.write("2", to: "elsewhere/resolv.conf")
        #expect(try told() > 0)
    }
}
