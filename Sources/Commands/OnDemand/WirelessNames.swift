internal import Glibc
internal import KernelNetwork
internal import LinuxSystem

/// Where the names of wireless networks come from: the kernel, or a file in its place.
enum WirelessNames {
    case kernel
    /// Lines of an interface and the name of its network, where the radio is in another network
    /// namespace, say.
    case file(String)

    private static let longestFile = 1 << 16

    /// The name of the network that a link is in; `nil` where it is in none.
    func name(of link: Link) throws(Failure) -> String? {
        switch self {
        case .kernel:
            do throws(NetlinkError) {
                return try WirelessSocket.open()?.networkName(ofLink: link.index)
                    .map(Self.text)
            } catch {
                throw Failure(error)
            }
        case .file(let path):
            let bytes: [UInt8]
            // Whoever writes it decides where the host is taken to be.
            do throws(TrustedFile.Failure) {
                bytes = try TrustedFile.read(path, limit: Self.longestFile)
            } catch {
                // Before anything is written to it nothing is known.
                if case .system(let error) = error, error.errno == ENOENT { return nil }
                throw Failure(.notPossible, "ssidFileUnusable", error.text)
            }
            return Self.name(of: link.name, in: bytes)
        }
    }

    private static func name(of interface: String, in bytes: [UInt8]) -> String? {
        for line in bytes.split(separator: 0x0A) {
            let word = line.prefix { $0 != 0x20 && $0 != 0x09 }
            guard word.elementsEqual(interface.utf8) else { continue }
            let name = line.dropFirst(word.count).drop { $0 == 0x20 || $0 == 0x09 }
            if !name.isEmpty { return text(Array(name)) }
        }
        return nil
    }

    /// A name as text; one that is none has its bytes written as `\xNN`.
    static func text(_ name: [UInt8]) -> String {
        if !name.contains(0), let text = String(validating: name, as: UTF8.self) { return text }
        return name.reduce(into: "") { text, byte in
            guard !(0x20...0x7E).contains(byte) || byte == UInt8(ascii: "\\") else {
                return text.unicodeScalars.append(Unicode.Scalar(byte))
            }
            let digits = String(byte, radix: 16)
            text += "\\x" + (digits.count < 2 ? "0" : "") + digits
        }
    }
}
