internal import JSON
internal import PropertyLists
internal import TunnelModel

/// Finds the provider for the application that a VPN payload is for.
enum MobileProvider {
    /// The applications of WireGuard, by their bundle identifiers.
    private static let wireGuard: Set = [
        "com.wireguard.ios", "com.wireguard.macos", "com.wireguard.ios.network-extension",
        "com.wireguard.macos.network-extension",
    ]

    /// The identifier of the provider; `option` goes before what the file says.
    static func provider(
        for subtype: String?,
        at place: MobilePlace,
        option: String?,
        hasQuickFile: Bool,
        _ report: inout MobileReport
    ) throws(MobileProfileError) -> String {
        func taken(_ provider: String, _ outcome: EnrolmentItem.Outcome, _ text: String) -> String {
            if subtype != nil { report.tell(outcome, at: place, "provider \(provider)\(text)") }
            return provider
        }
        if let option { return taken(option, .changed, ", as --provider says") }
        guard let subtype else {
            guard hasQuickFile else { throw .missing(place) }
            return WireGuardConfiguration.provider
        }
        if wireGuard.contains(subtype) || subtype == WireGuardConfiguration.provider {
            return taken(WireGuardConfiguration.provider, .kept, "")
        }
        if subtype.hasPrefix("org.utunctl."), Naming.problem(ofProvider: subtype) == nil {
            return taken(subtype, .kept, "")
        }
        // Whose application it is does not matter for a file that all of them understand.
        if hasQuickFile {
            return taken(WireGuardConfiguration.provider, .changed, ", for its WgQuickConfig")
        }
        let isName = Naming.problem(ofProvider: subtype) == nil
        throw .unknownProvider(place, name: isName ? subtype : nil)
    }
}

extension JSONObject {
    /// What a provider is given of the dictionary of a vendor.
    init(_ members: [PropertyListNode.Member]) {
        self.init()
        for member in members { append(key: member.key, value: JSONValue(member.node)) }
    }
}

extension JSONValue {
    /// Data as base64, dates as RFC 3339.
    fileprivate init(_ node: PropertyListNode) {
        switch node.value {
        case .string(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .real(let number): self = .real(number)
        case .bool(let isTrue): self = .bool(isTrue)
        case .date(let date): self = .string(date.text)
        case .data(let bytes): self = .string(Base64.encode(bytes))
        case .array(let elements): self = .array(elements.map { JSONValue($0) })
        case .dictionary(let members): self = .object(JSONObject(members))
        }
    }
}
