/// The keys of a file of wg-quick(8), as its manual spells them.
package enum QuickKey: String, CaseIterable, Sendable {
    case privateKey = "PrivateKey"
    case listenPort = "ListenPort"
    case fwMark = "FwMark"
    case address = "Address"
    case dns = "DNS"
    case mtu = "MTU"
    case table = "Table"
    case preUp = "PreUp"
    case postUp = "PostUp"
    case preDown = "PreDown"
    case postDown = "PostDown"
    case saveConfig = "SaveConfig"
    case includedApplications = "IncludedApplications"
    case excludedApplications = "ExcludedApplications"
    case publicKey = "PublicKey"
    case presharedKey = "PresharedKey"
    case allowedIPs = "AllowedIPs"
    case endpoint = "Endpoint"
    case persistentKeepalive = "PersistentKeepalive"

    /// The two kinds of section.
    package enum Section: String, CaseIterable, Sendable {
        case interface = "Interface"
        case peer = "Peer"
    }

    /// The section that the key stands in.
    package var section: Section {
        switch self {
        case .privateKey, .listenPort, .fwMark, .address, .dns, .mtu, .table, .preUp, .postUp,
            .preDown, .postDown, .saveConfig, .includedApplications, .excludedApplications:
            .interface
        case .publicKey, .presharedKey, .allowedIPs, .endpoint, .persistentKeepalive: .peer
        }
    }

    /// Whether the key may stand several times in a section.
    var repeats: Bool {
        switch self {
        case .address, .dns, .allowedIPs, .preUp, .postUp, .preDown, .postDown,
            .includedApplications, .excludedApplications:
            true
        case .privateKey, .listenPort, .fwMark, .mtu, .table, .saveConfig, .publicKey,
            .presharedKey, .endpoint, .persistentKeepalive:
            false
        }
    }

    /// The key of a text in any case.
    init?(anyCase text: String) {
        guard let key = Self.byLowerCase[text.lowercased()] else { return nil }
        self = key
    }

    private static let byLowerCase = Dictionary(
        uniqueKeysWithValues: allCases.map { ($0.rawValue.lowercased(), $0) })
}
