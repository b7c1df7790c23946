import Glibc
import JSON
import LinuxSystem
import TestSupport

/// A root with a resolv.conf, and tunnels that bring a resolver.
final class ResolverSite {
    static let original = "nameserver 192.0.2.53\nsearch home.example\noptions edns0 trust-ad"

    let site: Installation

    /// Makes a root whose resolv.conf holds a text, or none; the probe is its provider.
    init(_ text: String? = original, look: String = "return {}") throws {
        site = try Installation()
        try site.installProbe(look)
        try Directory.create("\(site.root)/etc", mode: 0o755)
        if let text { try site.write(text, to: "etc/resolv.conf") }
    }

    /// Saves a tunnel whose servers are these.
    @discardableResult
    func save(_ name: String = "office", servers: [String] = ["10.9.0.1"], _ settings: String...)
        throws -> String
    {
        let list = servers.map { "\"\($0)\"" }.joined(separator: ",")
        let edits = (["provider=\(ProbeProvider.identifier)", "dns.servers=[\(list)]"] + settings)
            .flatMap { ["--set", $0] }
        let result = try Command.run(site.command(["save", name] + edits))
        guard result.status == 0 else { throw Unexpected("save \(name): \(result)") }
        return try site.identifier(of: name)
    }

    /// Starts a tunnel and waits until it is connected.
    func connect(_ name: String = "office") throws {
        let start = try site.utunctl("start", "--wait", name)
        guard start.status == 0 else {
            throw Unexpected("start \(name): \(start)\n\(site.log(of: name))")
        }
    }

    /// Kills the session host of a tunnel, and waits until its interface is gone.
    func kill(_ name: String = "office") throws {
        Glibc.kill(try site.livingHost(of: name), SIGKILL)
        guard try eventually({ try Kernel.tunnels().isEmpty }) else {
            throw Unexpected("\(name) lives on")
        }
    }

    var path: String { "\(site.root)/etc/resolv.conf" }

    /// What resolv.conf holds; `nil` where there is none.
    var text: String? { site.read("etc/resolv.conf") }

    /// Whether resolv.conf is a tunnel's.
    var isOurs: Bool { text?.hasPrefix("# utunctl:") ?? false }

    /// The lines that programs read.
    var lines: [String] {
        (text ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }

    /// The value of a key of `dns` in the status of a tunnel.
    func dns(_ key: String, of name: String = "office") throws -> JSONValue? {
        try site.status(name)["dns"]?.object?[key]
    }

    /// The codes of the warnings in the status of a tunnel.
    func warnings(of name: String = "office") throws -> [String] {
        try site.status(name)["warnings"]?.array?.compactMap { $0.object?["code"]?.string } ?? []
    }
}
