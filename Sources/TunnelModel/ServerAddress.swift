/// The address of a server as people write it: `HOST`, `HOST:PORT`, `[V6]:PORT`.
package struct ServerAddress: Equatable, Sendable {
    /// A host name or an address, without brackets.
    package let host: String
    package let port: UInt16?

    /// Reads an address; a bare IPv6 address may stand without brackets.
    package init?(_ text: String) {
        let host: Substring
        let port: Substring?
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<close]
            let rest = text[text.index(after: close)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
            guard IPAddress(String(host))?.family == .v6 else { return nil }
        } else if IPAddress(text) != nil {
            host = text[...]
            port = nil
        } else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard (1...2).contains(parts.count) else { return nil }
            host = parts[0]
            port = parts.count == 2 ? parts[1] : nil
        }
        guard Self.isHost(String(host)) else { return nil }
        self.host = String(host)
        guard let port else {
            self.port = nil
            return
        }
        guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(port),
            number > 0
        else { return nil }
        self.port = number
    }

    /// The address as it is written, an IPv6 address with a port in brackets.
    package var text: String {
        guard let port else { return host }
        return literal?.family == .v6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// The host as an address, where it is one and not a name.
    package var literal: IPAddress? { IPAddress(host) }

    private static func isHost(_ host: String) -> Bool {
        if IPAddress(host) != nil { return true }
        guard (1...253).contains(host.utf8.count) else { return false }
        let labels = (host.hasSuffix(".") ? host.dropLast() : host[...])
            .split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                && label.utf8.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"),
                        UInt8(ascii: "_"):
                        true
                    default: false
                    }
                }
            // A last label of digits only would be a mistyped IPv4 address.
        } && !(labels.last?.utf8.allSatisfy { (0x30...0x39).contains($0) } ?? true)
    }
}
