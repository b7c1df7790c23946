internal import JSON
internal import TunnelModel

extension Anonymiser {
    /// Members whose values belong to somebody, whatever words they are made of.
    private static let kinds: [String: StandIns.Kind] = [
        "name": .name, "title": .title, "organisation": .title, "username": .user,
        "serverAddress": .host, "remoteAddress": .host, "endpoint": .host, "probeURL": .host,
        "searchDomains": .host, "matchDomains": .host, "dnsSearchDomain": .host, "ssid": .network,
        "publicKey": .key, "pem": .key, "sha256": .key, "subject": .text, "issuer": .text,
        "description": .text, "identifier": .name,
    ]

    /// A document with nothing of anybody's in it; what it names is found again in other texts.
    mutating func json(_ value: JSONValue) -> JSONValue {
        json(value, kind: nil, isForeign: false)
    }

    private mutating func json(_ value: JSONValue, kind: StandIns.Kind?, isForeign: Bool)
        -> JSONValue
    {
        switch value {
        case .null, .bool: return value
        case .integer(let number):
            guard isForeign, number.magnitude > UInt64(UInt16.max) else { return value }
            return .string(standIn("\(number)", .number))
        case .real(let number):
            return isForeign ? .string(standIn("\(number)", .number)) : value
        case .string(let string): return .string(self.string(string, kind, isForeign))
        case .array(let elements):
            return .array(elements.map { json($0, kind: kind, isForeign: isForeign) })
        case .object(let object):
            var result = JSONObject()
            // What a manifest of ours says of itself is nobody's.
            let isOurs = object["identifier"]?.string.map(Self.isOwnProvider) ?? false
            for member in object.members {
                let key = KnownWords.holds(member.key) ? member.key : standIn(member.key, .word)
                result[key] = json(
                    member.value, kind: isOurs ? nil : Self.kinds[member.key],
                    isForeign: isForeign || member.key == "providerConfiguration")
            }
            return .object(result)
        }
    }

    private mutating func string(_ string: String, _ kind: StandIns.Kind?, _ isForeign: Bool)
        -> String
    {
        if Self.isOwnProvider(string) { return text(string) }
        if let kind {
            // What is called by the kernel, or is to be: `utun0`, `utun%d`.
            if kind == .name, Self.isUsualInterface(string) { return string }
            if kind == .name, Identifier.isValid(string) { return text(string) }
            if kind == .host { return host(string) }
            return whole(string, kind)
        }
        // A provider may have put anything there.
        if isForeign { return whole(string, .text) }
        // A word of the format itself, even where something is called so.
        if KnownWords.holds(string) { return string }
        return text(string)
    }

    private static func isOwnProvider(_ name: String) -> Bool {
        name.hasPrefix("org.utunctl.") && Naming.problem(ofProvider: name) == nil
    }

    private static func isUsualInterface(_ name: String) -> Bool {
        let stem = name.hasSuffix("%d") ? String(name.dropLast(2)) + "0" : name
        return KnownWords.isUsualInterface(stem)
    }

    /// A server with or without a port, whose name alone is looked for elsewhere.
    private mutating func host(_ string: String) -> String {
        guard let colon = string.lastIndex(of: ":"),
            string[string.index(after: colon)...].allSatisfy(\.isNumber),
            string.filter({ $0 == ":" }).count == 1
        else { return whole(string, .host) }
        return whole(String(string[..<colon]), .host) + string[colon...]
    }
}
