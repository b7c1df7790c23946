import Glibc
import JSON
import LinuxSystem
import TestSupport

/// What the kernel of the private namespace holds.
enum Kernel {
    /// Links, addresses, routes and rules of both families, the firewall and the settings of the
    /// network, as text.
    static func snapshot() throws -> String {
        var text = ""
        for arguments in [
            ["-o", "link"], ["-o", "addr"], ["route", "show", "table", "all"],
            ["-6", "route", "show", "table", "all"], ["rule"], ["-6", "rule"],
        ] {
            text += try Command.run(["ip"] + arguments).output
        }
        text += try Command.run(["nft", "list", "ruleset"]).output
        text += try Command.run(["sysctl", "-a", "-r", #"^net\.ipv[46]\.(conf\.|ip_forward)"#])
            .output
        return text
    }

    /// The names of all TUN interfaces.
    static func tunnels() throws -> [String] {
        try Command.run(["ip", "-o", "link", "show", "type", "tun"]).output
            .split(separator: "\n").map { line in
                String(line.split(separator: ":")[1].drop { $0 == " " })
            }
    }

    /// The interface that an unmarked packet to an address would leave by.
    static func interface(to address: String) throws -> String? {
        let words = try Command.run(["ip", "route", "get", address]).output
            .split(whereSeparator: \.isWhitespace)
        guard let place = words.firstIndex(of: "dev"), place + 1 < words.count else { return nil }
        return String(words[place + 1])
    }

    /// The rules of both families whose protocol is that of tunnels, without their counting.
    static func tunnelRules() throws -> [String] {
        try ["-4", "-6"].flatMap { family in
            try Command.run(["ip", family, "rule"]).output.split(separator: "\n")
                .filter { $0.hasSuffix("proto 117") }.map { "\(family) \($0)" }
        }
    }

    /// How many packets have come in by an interface: of a tunnel, out of the tunnel.
    static func received(by interface: String, at place: Place = .here) throws -> Int {
        let text = try place.run("ip", "-j", "-s", "link", "show", "dev", interface)
        let link = try Installation.parse("{\"links\": \(text)}")["links"]?.array?.first?.object
        guard let packets = link?.value("stats64.rx.packets")?.integer else {
            throw Unexpected("no counter of \(interface): \(text)")
        }
        return Int(packets)
    }

    /// Whether this host hands packets on from one network to another.
    static func setForwarding(_ isOn: Bool) throws {
        let file = try FileDescriptor.open("/proc/sys/net/ipv4/ip_forward", O_WRONLY)
        try file.write([UInt8(ascii: isOn ? "1" : "0")])
    }

    /// Runs `ip` and expects success.
    static func ip(_ arguments: String...) throws {
        let result = try Command.run(["ip"] + arguments)
        guard result.status == 0 else { throw Unexpected("ip \(arguments): \(result)") }
    }
}
