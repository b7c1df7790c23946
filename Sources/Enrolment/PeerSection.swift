internal import TunnelModel

/// What stands in one `[Peer]`.
struct PeerSection {
    let line: Int
    private(set) var publicKey: QuickFile.Located<String>?
    private(set) var presharedKey: QuickFile.Located<Secret>?
    private(set) var endpoint: QuickFile.Located<ServerAddress>?
    private(set) var allowedIPs: [QuickFile.Located<IPPrefix>] = []
    private(set) var persistentKeepalive: QuickFile.Located<UInt16?>?
    private(set) var remarks: [EnrolmentItem] = []

    init(line: Int) {
        self.line = line
    }

    mutating func take(_ value: QuickValue) throws(QuickFileError) {
        switch value.key {
        case .publicKey:
            guard let key = try value.encodedKey() else {
                throw value.error("not a key: nothing but zeros")
            }
            publicKey = QuickFile.Located(line: value.line, value: key)
        case .presharedKey:
            if let key = try value.encodedKey() {
                presharedKey = QuickFile.Located(line: value.line, value: Secret(Array(key.utf8)))
            } else {
                remarks.append(value.remark(.noted, "nothing but zeros, which stand for none"))
            }
        case .allowedIPs:
            let (prefixes, empty) = try value.prefixes(separatedByBlanks: false)
            allowedIPs += prefixes
            if empty > 0 { remarks.append(value.remark(.noted, "empty items are ignored")) }
        case .endpoint: endpoint = try address(value)
        case .persistentKeepalive:
            let isOff = value.text.lowercased() == "off"
            let seconds = isOff ? 0 : UInt16(try value.number(in: 0...65_535))
            persistentKeepalive = QuickFile.Located(
                line: value.line, value: seconds == 0 ? nil : seconds)
        case .privateKey, .listenPort, .fwMark, .address, .dns, .mtu, .table, .preUp, .postUp,
            .preDown, .postDown, .saveConfig, .includedApplications, .excludedApplications:
            throw .wrongSection(line: value.line, key: value.key, belongsTo: .interface)
        }
    }

    private func address(_ value: QuickValue) throws(QuickFileError)
        -> QuickFile.Located<ServerAddress>
    {
        let text = value.text.withoutBlanks
        guard let address = ServerAddress(text) else {
            throw value.error(
                "not HOST:PORT, IPV4:PORT or [IPV6]:PORT, the port from 1 to 65535")
        }
        guard address.port != nil else {
            throw value.error("the port is missing: HOST:PORT or [IPV6]:PORT")
        }
        return QuickFile.Located(line: value.line, value: address)
    }
}
