import Enrolment
import JSON
import TunnelModel

/// Files of wg-quick and short ways to read them.
enum QuickFiles {
    static let privateKey = "6MtpuoaYmSKDAMVkEmw+zuRzY3pPeP5rJo7Tw0yGlFQ="
    static let presharedKey = "cZTdHlWkvGmmvVdVL1SgDSj/EY6ge9yqGVR5dJQbLWM="
    static let publicKey = "hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo="
    static let otherKey = "3p7bfXt9wbTTW2HC7OQ1Nz+DQ8hbeGdNrfx+FG+IK08="

    /// A client with everything that wg-quick(8) knows and nothing that is dropped.
    static let client = """
        # what a server hands out
        [Interface]
        PrivateKey = \(privateKey)
        ListenPort = 51820
        Address = 10.9.0.2/24, fd00:9::2/64 # two of them
        MTU = 1380

        [Peer]
        PublicKey = \(publicKey)
        PresharedKey = \(presharedKey)
        Endpoint = vpn.example.org:51820
        AllowedIPs = 0.0.0.0/0, ::/0
        PersistentKeepalive = 25

        [Peer]
        PublicKey = \(otherKey)
        Endpoint = [2001:db8::1]:443
        AllowedIPs = 10.20.0.0/16
        PersistentKeepalive = off

        """

    /// A file whose sections have these lines besides what they need.
    static func file(interface: String = "", peer: String = "") -> String {
        """
        [Interface]
        PrivateKey = \(privateKey)
        Address = 10.9.0.2/24
        \(interface)
        [Peer]
        PublicKey = \(publicKey)
        \(peer)
        """
    }

    static func read(_ text: String) throws(QuickFileError) -> QuickFile {
        try QuickFile(parsing: Array(text.utf8))
    }

    /// What is wrong with a text; `nil` when nothing is.
    static func error(_ bytes: some Sequence<UInt8>) -> QuickFileError? {
        do throws(QuickFileError) {
            _ = try QuickFile(parsing: Array(bytes))
            return nil
        } catch {
            return error
        }
    }

    /// Everything that a file comes to, as one text that can be compared.
    static func model(_ bytes: some Sequence<UInt8>) throws(QuickFileError) -> String {
        let material = try QuickFile(parsing: Array(bytes)).material(named: "office")
        var configuration = Configuration(identifier: "", name: "office")
        for tunnel in material.tunnels { tunnel.configure(&configuration) }
        let secrets = material.secrets.mapValues { String(decoding: $0.bytes, as: UTF8.self) }
        return [
            JSONWriter.line(configuration), JSONWriter.line(material.profile),
            JSONWriter.line(secrets),
        ].map { String(decoding: $0, as: UTF8.self) }.joined()
    }
}
