internal import TunnelModel

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
    private(set) var hooks: [QuickHook] = []
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
        case .fwMark: try takeMark(value)
        case .saveConfig: try takeSaving(value)
        case .dns:
            try takeResolvers(value)
        case .preUp, .postUp, .preDown, .postDown:
            hooks.append(QuickHook(value))
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
        let items = value.text.pieces { $0 == UInt8(ascii: ",") }
        if items.contains(where: \.isEmpty) {
            remarks.append(value.remark(.noted, "empty items are ignored"))
        }
        let words = items.flatMap { $0.pieces(between: Substring.isBlank) }
            .filter { !$0.isEmpty }.map(String.init)
        for word in words {
            if let address = IPAddress(word), !address.isUnspecified, !address.isMulticast {
                guard !dnsServers.contains(where: { $0.value == address }) else { continue }
                dnsServers.append(QuickFile.Located(line: value.line, value: address))
                guard dnsServers.count <= DNSSettings.mostServers else {
                    throw value.error("more than \(DNSSettings.mostServers) servers")
                }
            } else if DNSSettings.problem(ofDomain: word) == nil, !Self.mayBeKey(word) {
                guard !searchDomains.contains(where: { $0.value == word }) else { continue }
                searchDomains.append(QuickFile.Located(line: value.line, value: word))
                guard searchDomains.count <= DNSSettings.mostDomains else {
                    throw value.error("more than \(DNSSettings.mostDomains) domains")
                }
            } else {
                guard word.hasPrefix("~") else {
                    throw value.error("neither the address of a server nor the name of a domain")
                }
                throw value.error(
                    "a domain behind ~ is to be asked for, not searched: take it out, and set"
                        + " dns.matchDomains of what is enrolled")
            }
        }
        // Where all of it stands there already, nothing tells of it later.
        if !words.isEmpty,
            !(dnsServers.map(\.line) + searchDomains.map(\.line)).contains(value.line)
        {
            remarks.append(value.remark(.kept, "dns, which holds it already"))
        }
    }

    // A secret on the wrong line must not become a domain, which everybody is shown.
    static func mayBeKey(_ word: String) -> Bool {
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

    private mutating func takeMark(_ value: QuickValue) throws(QuickFileError) {
        let isOff = try value.mark() == 0
        remarks.append(
            value.remark(
                isOff ? .kept : .dropped,
                "sockets carry the mark that keeps them outside every tunnel"))
    }

    private mutating func takeSaving(_ value: QuickValue) throws(QuickFileError) {
        let text = "what runs never changes what is saved"
        switch value.text.lowercased() {
        case "true": remarks.append(value.remark(.dropped, text))
        case "false": remarks.append(value.remark(.kept, text))
        default: throw value.error("neither true nor false")
        }
    }
}
