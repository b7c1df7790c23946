internal import TunnelModel

/// One `KEY = VALUE` with its place.
struct QuickValue {
    let line: Int
    let key: QuickKey
    let text: Substring

    /// The error of a value that is none for its key.
    func error(_ problem: String) -> QuickFileError {
        .value(line: line, key: key, problem: problem)
    }

    /// What is told about it.
    func remark(_ outcome: EnrolmentItem.Outcome, _ text: String) -> EnrolmentItem {
        EnrolmentItem(line: line, key: key.rawValue, outcome: outcome, text: text)
    }

    /// A key in base64; `nil` where it is nothing but zeros.
    func encodedKey() throws(QuickFileError) -> String? {
        let text = text.withoutBlanks
        if let problem = WireGuardKey.problem(of: text) { throw error(problem) }
        return WireGuardKey.decode(text.utf8)?.allSatisfy { $0 == 0 } == true ? nil : text
    }

    /// A decimal number.
    func number(in range: ClosedRange<UInt32>) throws(QuickFileError) -> UInt32 {
        let digits = text.utf8
        guard (1...10).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt32(text), range.contains(number)
        else { throw error("not a number from \(range.lowerBound) to \(range.upperBound)") }
        return number
    }

    /// The prefixes of a list, and how many of its items were empty.
    func prefixes(separatedByBlanks: Bool) throws(QuickFileError)
        -> (prefixes: [QuickFile.Located<IPPrefix>], empty: Int)
    {
        var prefixes: [QuickFile.Located<IPPrefix>] = []
        var empty = 0
        let items = text.pieces { $0 == UInt8(ascii: ",") }
        for (index, item) in items.enumerated() {
            let words =
                separatedByBlanks
                ? item.pieces(between: Substring.isBlank).filter { !$0.isEmpty }.map(String.init)
                : [item.withoutBlanks].filter { !$0.isEmpty }
            if words.isEmpty { empty += 1 }
            for word in words {
                guard let prefix = IPPrefix(word) else {
                    let place = items.count == 1 ? "" : "item \(index + 1) is "
                    throw error("\(place)not an address or ADDRESS/LENGTH")
                }
                prefixes.append(QuickFile.Located(line: line, value: prefix))
            }
        }
        return (prefixes, empty)
    }
}

/// What stands in `[Interface]`.
struct InterfaceSection {
    /// The line of each key that may stand once.
    var lines: [QuickKey: Int] = [:]
    private(set) var privateKey: QuickFile.Located<Secret>?
    private(set) var addresses: [QuickFile.Located<IPPrefix>] = []
    private(set) var listenPort: QuickFile.Located<UInt16?>?
    private(set) var mtu: QuickFile.Located<UInt32>?
    private(set) var table: QuickFile.Located<QuickFile.Table>?
    private(set) var dnsServers: [QuickFile.Located<IPAddress>] = []
    private(set) var searchDomains: [QuickFile.Located<String>] = []
    private(set) var remarks: [EnrolmentItem] = []

    mutating func take(_ value: QuickValue) throws(QuickFileError) {
        switch value.key {
        case .privateKey:
            guard let key = try value.encodedKey() else {
                throw value.error("not a key: nothing but zeros")
            }
            privateKey = QuickFile.Located(line: value.line, value: Secret(Array(key.utf8)))
        case .address: try takeAddresses(value)
        case .listenPort:
            let port = UInt16(try value.number(in: 0...65_535))
            listenPort = QuickFile.Located(line: value.line, value: port == 0 ? nil : port)
        case .mtu:
            mtu = QuickFile.Located(
                line: value.line, value: try value.number(in: InterfaceSettings.mtuRange))
        case .table: takeTable(value)
        case .fwMark: takeMark(value)
        case .saveConfig:
            if value.text.lowercased() == "true" {
                remarks.append(value.remark(.dropped, "what runs never changes what is saved"))
            } else {
                remarks.append(value.remark(.kept, "what runs never changes what is saved"))
            }
        case .dns:
            try takeResolvers(value)
        case .preUp, .postUp, .preDown, .postDown:
            remarks.append(value.remark(.dropped, "commands of a file are never run"))
        case .includedApplications, .excludedApplications:
            remarks.append(value.remark(.dropped, "it means something on Android alone"))
        case .publicKey, .presharedKey, .allowedIPs, .endpoint, .persistentKeepalive:
            throw .wrongSection(line: value.line, key: value.key, belongsTo: .peer)
        }
    }

    private mutating func takeAddresses(_ value: QuickValue) throws(QuickFileError) {
        // wg-quick takes blanks as well as commas between them.
        let (prefixes, empty) = try value.prefixes(separatedByBlanks: true)
        for given in prefixes {
            if let problem = EffectiveSettings.problem(ofAddress: given.value) {
                throw value.error(problem)
            }
            if addresses.contains(where: { $0.value == given.value }) {
                remarks.append(
                    value.remark(.changed, "\(given.value) stands there already, merged"))
                continue
            }
            addresses.append(given)
            if addresses.count > EffectiveSettings.mostAddresses {
                throw value.error("more than \(EffectiveSettings.mostAddresses) addresses")
            }
        }
        if empty > 0 { remarks.append(value.remark(.noted, "empty items are ignored")) }
    }

    // What is no address is a domain to search, as wg-quick has it.
    private mutating func takeResolvers(_ value: QuickValue) throws(QuickFileError) {
        let words = value.text.pieces { $0 == UInt8(ascii: ",") || Substring.isBlank($0) }
            .filter { !$0.isEmpty }.map(String.init)
        for word in words {
            if let address = IPAddress(word), !address.isUnspecified, !address.isMulticast {
                guard !dnsServers.contains(where: { $0.value == address }) else { continue }
                dnsServers.append(QuickFile.Located(line: value.line, value: address))
            } else if DNSSettings.problem(ofDomain: word) == nil, !Self.mayBeKey(word) {
                guard !searchDomains.contains(where: { $0.value == word }) else { continue }
                searchDomains.append(QuickFile.Located(line: value.line, value: word))
            } else {
                throw value.error("neither the address of a server nor the name of a domain")
            }
        }
        guard dnsServers.count <= DNSSettings.mostServers else {
            throw value.error("more than \(DNSSettings.mostServers) servers")
        }
        guard searchDomains.count <= DNSSettings.mostDomains else {
            throw value.error("more than \(DNSSettings.mostDomains) domains")
        }
        // Where all of it stands there already, or there is nothing, nothing tells of it later.
        if !(dnsServers.map(\.line) + searchDomains.map(\.line)).contains(value.line) {
            remarks.append(value.remark(.kept, "dns, which holds it already"))
        }
    }

    // A secret on the wrong line must not become a domain, which everybody is shown.
    private static func mayBeKey(_ word: String) -> Bool {
        word.utf8.count >= 40 && !word.contains(".")
    }

    private mutating func takeTable(_ value: QuickValue) {
        let kind: QuickFile.Table
        switch value.text.lowercased() {
        case "off": kind = .off
        case "auto", "": kind = .auto
        default: kind = .number
        }
        table = QuickFile.Located(line: value.line, value: kind)
        switch kind {
        case .off:
            remarks.append(value.remark(.kept, "no route is made: routing.includedRoutes is []"))
        case .auto: remarks.append(value.remark(.kept, "routes are made as without it"))
        case .number:
            remarks.append(
                value.remark(
                    .dropped, "there are no tables of one's own: routes are made as without it"))
        }
    }

    private mutating func takeMark(_ value: QuickValue) {
        let isOff = ["off", "0", "0x0"].contains(value.text.lowercased())
        remarks.append(
            value.remark(
                isOff ? .kept : .dropped,
                "sockets carry the mark that keeps them outside every tunnel"))
    }
}

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
