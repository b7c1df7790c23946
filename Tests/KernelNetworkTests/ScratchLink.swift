import Glibc
import KernelNetwork
import Testing

/// A link that exists while a test looks at it.
struct ScratchLink {
    let name: String
    let index: UInt32

    /// A TUN that nobody holds open: without carrier.
    static func withTun<Result>(_ body: (ScratchLink) throws -> Result) throws -> Result {
        let name = freshName()
        try IPCommand.run("tuntap", "add", "dev", name, "mode", "tun")
        defer { delete(name) }
        return try body(ScratchLink(name))
    }

    /// Two ends of a cable, both up.
    static func withCable<Result>(
        _ body: (ScratchLink, ScratchLink) throws -> Result
    ) throws -> Result {
        let name = freshName()
        let peer = freshName()
        try IPCommand.run("link", "add", name, "type", "veth", "peer", "name", peer)
        defer { delete(name) }
        for end in [name, peer] {
            try IPCommand.run("link", "set", end, "addrgenmode", "none", "up")
        }
        return try body(ScratchLink(name), ScratchLink(peer))
    }

    private init(_ name: String) throws {
        self.name = name
        index = if_nametoindex(name)
        try #require(index != 0)
    }

    private static func freshName() -> String {
        "t\(String(UInt32.random(in: .min ... .max), radix: 16))"
    }

    private static func delete(_ name: String) {
        // The test may have deleted it.
        if if_nametoindex(name) != 0 { _ = try? IPCommand.run("link", "delete", name) }
    }
}
