import Glibc
import JSON
import LinuxSystem
import TestSupport

/// A root with the WireGuard provider's manifest and the helper of keys, and files to enrol.
struct EnrolledRoot {
    static let privateKey = "6MtpuoaYmSKDAMVkEmw+zuRzY3pPeP5rJo7Tw0yGlFQ="
    static let presharedKey = "cZTdHlWkvGmmvVdVL1SgDSj/EY6ge9yqGVR5dJQbLWM="
    static let publicKey = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
    static let otherKey = "3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08="

    let root: TemporaryRoot

    init() throws {
        root = try TemporaryRoot()
        try root.installProvider(
            "org.utunctl.wireguard",
            keys: #", "credentials": ["privateKey"], "trust": "wireguard""#)
        for helper in ["utunctl-keys", "utunctl-mobileconfig"] {
            symlink(Installation.built(helper), root.path("/usr/libexec/utunctl/\(helper)"))
        }
    }

    /// A client's file: line 1 is `[Interface]`, line 5 `[Peer]`.
    static func file(interface: String = "MTU = 1380", peer: String = "", peers: String = "")
        -> String
    {
        """
        [Interface]
        PrivateKey = \(privateKey)
        Address = 10.9.0.2/24
        \(interface)
        [Peer]
        PublicKey = \(publicKey)
        PresharedKey = \(presharedKey)
        Endpoint = 192.0.2.1:51820
        AllowedIPs = 10.9.0.0/16
        \(peer)
        \(peers)
        """
    }

    /// Writes a file and enrols it.
    @discardableResult
    func enroll(_ text: String = file(), as name: String = "office", _ options: String...) throws
        -> Command.Result
    {
        try root.write("/\(name).conf", text, mode: 0o600)
        return try root.run(["enroll", root.path("/\(name).conf"), "--name", name] + options)
    }

    /// Everything below /etc with its mode and what it holds.
    var state: [String] {
        root.contents.filter { $0.hasPrefix("/etc") }.map {
            "\($0) \(root.mode($0) ?? 0) \(root.read($0) ?? "")"
        }
    }

    /// A secret as it was written.
    func credential(_ name: String) -> String? { root.read("/etc/utunctl/credentials/\(name)") }

    /// A saved configuration.
    func configuration(_ name: String) throws -> JSONObject? {
        try root.run(["load", name]).json?["configurations"]?.array?.first?.object
    }
}
