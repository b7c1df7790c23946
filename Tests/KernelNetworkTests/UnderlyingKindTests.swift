import Glibc
import KernelNetwork
import Testing

@Suite struct UnderlyingKindTests {
    private let ether: UInt32 = 1
    private let none: UInt32 = 0xfffe
    private let ppp: UInt32 = 512
    private let rawIP: UInt32 = 519

    @Test func believesSysfsFirst() throws {
        var template = Array("/tmp/class-net.XXXXXX".utf8CString)
        let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        let files = [
            ("lan0", "uevent", "INTERFACE=lan0\nIFINDEX=2\n"),
            ("air0", "uevent", "DEVTYPE=wlan\nINTERFACE=air0\n"),
            ("old0", "wireless", ""),
            ("phy0", "phy80211", ""),
            ("modem0", "uevent", "DEVTYPE=wwan\n"),
            ("wlfake0", "uevent", "DEVTYPE=wwan\n"),
        ]
        defer {
            for (link, file, _) in files {
                unlink("\(directory)/\(link)/\(file)")
                rmdir("\(directory)/\(link)")
            }
            rmdir(directory)
        }
        for (link, file, text) in files {
            mkdir("\(directory)/\(link)", 0o755)
            let path = "\(directory)/\(link)/\(file)"
            let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
            try #require(descriptor >= 0)
            #expect(write(descriptor, text, text.utf8.count) == text.utf8.count)
            close(descriptor)
        }
        let expected: [(String, UnderlyingKind)] = [
            ("lan0", .ethernet), ("air0", .wifi), ("old0", .wifi), ("phy0", .wifi),
            ("modem0", .cellular), ("wlfake0", .cellular), ("absent0", .ethernet),
        ]
        for (name, kind) in expected {
            let link = Link(index: 2, name: name, hardwareType: ether)
            #expect(UnderlyingKind(of: link, classDirectory: directory) == kind, "\(name)")
        }
    }

    @Test func fallsBackToTypeAndName() {
        let expected: [(String, UInt32, UnderlyingKind)] = [
            ("eth0", ether, .ethernet), ("wlan0", ether, .wifi), ("wlp3s0", ether, .wifi),
            ("wwp0s20", ether, .cellular), ("wwan0", none, .cellular), ("rmnet0", rawIP, .cellular),
            ("ppp0", ppp, .other), ("x0", none, .other), ("mon0", 803, .wifi),
        ]
        for (name, type, kind) in expected {
            let link = Link(index: 2, name: name, hardwareType: type)
            #expect(UnderlyingKind(of: link, classDirectory: "/nonexistent") == kind, "\(name)")
        }
    }

    @Test func leavesOutLoopbackAndTunnels() {
        let links = [
            Link(index: 1, name: "lo", isLoopback: true),
            Link(index: 2, name: "eth0"),
            Link(index: 3, name: "utun0", kind: "tun"),
            Link(index: 4, name: "wg0", kind: "wireguard"),
            Link(index: 5, name: "br0", kind: "bridge"),
            Link(index: 6, name: "veth0", kind: "veth"),
            Link(index: 7, name: "sit0", kind: "sit"),
            Link(index: 8, name: "ifb0", kind: "ifb"),
            Link(index: 9, name: "dummy0", kind: "dummy"),
        ]
        #expect(Link.underlyingLinks(of: links).map(\.name) == ["eth0", "br0", "veth0"])
    }
}
