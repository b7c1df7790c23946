internal import TunnelModel

extension QuickFile {
    /// Reads a whole file.
    ///
    /// Keys and sections may be in any case, lists may be one key or several, lines may end as on
    /// any system. What it does not understand is an error, and never passed over.
    package init(parsing bytes: [UInt8]) throws(QuickFileError) {
        guard bytes.count <= Self.largest else { throw .tooLarge }
        var parser = QuickFileParser()
        for (index, line) in try TextLines.split(bytes).enumerated() {
            try parser.take(line, number: index + 1)
        }
        self = try parser.finish()
    }
}

/// Takes a file line by line.
private struct QuickFileParser {
    private var section: QuickKey.Section?
    /// The line of each key that may stand once, in the section that is being read.
    private var lines: [QuickKey: Int] = [:]
    private var interfaceLine: Int?
    private var interface = InterfaceSection()
    private var peer: PeerSection?
    private var peers: [QuickFile.Peer] = []
    private var remarks: [EnrolmentItem] = []
    private var peerOfKey: [String: Int] = [:]
    private var peerOfNetwork: [IPPrefix: Int] = [:]

    mutating func take(_ line: Substring, number: Int) throws(QuickFileError) {
        let text = line.utf8.prefix { $0 != UInt8(ascii: "#") }
        let content = Substring(text).trimmed
        guard let first = content.utf8.first else { return }
        if first == UInt8(ascii: "[") {
            try begin(content, number)
        } else if first == UInt8(ascii: ";") {
            throw .semicolon(line: number)
        } else {
            try takeAssignment(content, number)
        }
    }

    mutating func finish() throws(QuickFileError) -> QuickFile {
        try endPeer()
        guard let interfaceLine else { throw .noInterface }
        guard let privateKey = interface.privateKey else {
            throw .missing(line: interfaceLine, section: .interface, key: .privateKey)
        }
        if interface.addresses.isEmpty {
            throw .missing(line: interfaceLine, section: .interface, key: .address)
        }
        try checkSecrecy(of: privateKey)
        var file = QuickFile(privateKey: privateKey)
        file.addresses = interface.addresses
        file.listenPort = interface.listenPort
        file.mtu = interface.mtu
        file.table = interface.table
        file.dnsServers = interface.dnsServers
        file.searchDomains = interface.searchDomains
        file.peers = peers
        let covers = interface.hooks.flatMap(\.covers)
        file.forward = covers.contains(.forward)
        file.masquerade = covers.contains(.masquerade)
        file.mssClamp = covers.contains(.mssClamp)
        let reach = [remark(onReachOf: peers, interfaceLine)].compactMap(\.self)
        file.remarks = (interface.remarks + interface.hooks.map(\.item) + remarks + reach)
            .sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        return file
    }

    /// That no peer is sought, so that the tunnel says of none that it answers.
    private func remark(onReachOf peers: [QuickFile.Peer], _ interfaceLine: Int)
        -> EnrolmentItem?
    {
        guard let first = peers.first else {
            return EnrolmentItem(
                line: interfaceLine, key: QuickKey.Section.peer.rawValue, outcome: .noted,
                text: "there is none: the tunnel leads nowhere yet")
        }
        guard peers.allSatisfy({ $0.endpoint == nil }) else { return nil }
        return EnrolmentItem(
            line: first.line, key: QuickKey.endpoint.rawValue, outcome: .noted,
            text: "no peer has one: this end listens until they come, and is connected before")
    }

    /// Refuses a public key that repeats a secret of the file: anybody may read anchors.
    private func checkSecrecy(of privateKey: QuickFile.Located<Secret>) throws(QuickFileError) {
        let presharedKeys = peers.compactMap(\.presharedKey)
        for peer in peers {
            let text = Array(peer.publicKey.value.utf8)
            func refuse(_ what: QuickKey, _ line: Int) -> QuickFileError {
                .value(
                    line: peer.publicKey.line, key: .publicKey,
                    problem: "the same as the \(what.rawValue) in line \(line), which is secret")
            }
            if privateKey.value.bytes == text { throw refuse(.privateKey, privateKey.line) }
            if let key = presharedKeys.first(where: { $0.value.bytes == text }) {
                throw refuse(.presharedKey, key.line)
            }
        }
    }

    // MARK: Lines

    private mutating func begin(_ header: Substring, _ number: Int) throws(QuickFileError) {
        let name = header.withoutBlanks.lowercased()
        let found = QuickKey.Section.allCases.first { "[\($0.rawValue.lowercased())]" == name }
        guard let found else { throw .unknownSection(line: number) }
        try endPeer()
        section = found
        switch found {
        case .interface:
            // A second one goes on with the first.
            lines = interface.lines
            interfaceLine = interfaceLine ?? number
        case .peer:
            guard peers.count < EnrolledMaterial.mostPeers else {
                throw .tooManyPeers(line: number)
            }
            lines = [:]
            peer = PeerSection(line: number)
        }
    }

    private mutating func takeAssignment(_ content: Substring, _ number: Int)
        throws(QuickFileError)
    {
        // First, as it tells that this is another kind of file.
        guard let section else { throw .outsideSection(line: number) }
        guard let equals = content.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            throw .noAssignment(line: number)
        }
        let word = String(content[..<equals].trimmed)
        guard let key = QuickKey(anyCase: word) else {
            let known = QuickKey.allCases.filter { $0.section == section }.map(\.rawValue)
            throw .unknownKey(
                line: number, section: section, nearest: nearestWord(to: word, in: known))
        }
        guard key.section == section else {
            throw .wrongSection(line: number, key: key, belongsTo: key.section)
        }
        if !key.repeats, let earlier = lines.updateValue(number, forKey: key) {
            throw .repeated(line: number, key: key, earlier: earlier)
        }
        let text = content[content.utf8.index(after: equals)...].trimmed
        let value = QuickValue(line: number, key: key, text: text)
        switch section {
        case .interface:
            interface.lines = lines
            try interface.take(value)
        case .peer: try peer?.take(value)
        }
    }

    private mutating func endPeer() throws(QuickFileError) {
        guard let section = peer.take() else { return }
        guard let publicKey = section.publicKey else {
            throw .missing(line: section.line, section: .peer, key: .publicKey)
        }
        if let earlier = peerOfKey.updateValue(publicKey.line, forKey: publicKey.value) {
            throw .samePeer(line: publicKey.line, earlier: earlier)
        }
        var finished = QuickFile.Peer(line: section.line, publicKey: publicKey)
        finished.presharedKey = section.presharedKey
        finished.endpoint = section.endpoint
        finished.persistentKeepalive = section.persistentKeepalive
        finished.allowedIPs = try networks(of: section)
        if finished.allowedIPs.isEmpty {
            remarks.append(
                EnrolmentItem(
                    line: section.line, key: QuickKey.allowedIPs.rawValue, outcome: .noted,
                    text: "this peer has none: nothing goes to it, and nothing is taken from it"))
        }
        remarks += section.remarks
        peers.append(finished)
    }

    private mutating func networks(of section: PeerSection) throws(QuickFileError)
        -> [QuickFile.Located<IPPrefix>]
    {
        var networks: [QuickFile.Located<IPPrefix>] = []
        for given in section.allowedIPs {
            let masked = given.value.masked
            let earlier = peerOfNetwork.updateValue(section.line, forKey: masked)
            if let earlier, earlier != section.line {
                throw .sameNetwork(
                    line: given.line, masked, earlier: earlier,
                    hadHostBits: given.value.hasHostBits)
            }
            if earlier != nil {
                remark(given.line, .changed, "\(masked) stands there already, merged")
                continue
            }
            if given.value.hasHostBits {
                remark(given.line, .changed, "\(given.value) has host bits, taken as \(masked)")
            }
            networks.append(QuickFile.Located(line: given.line, value: masked))
        }
        return networks
    }

    private mutating func remark(_ line: Int, _ outcome: EnrolmentItem.Outcome, _ text: String) {
        remarks.append(
            EnrolmentItem(
                line: line, key: QuickKey.allowedIPs.rawValue, outcome: outcome, text: text))
    }
}
