/// The format of a file that is enrolled, told by what it holds and never by its name.
package enum EnrolmentFormat: Equatable, Sendable {
    /// A profile of this program, in JSON.
    case profile
    /// A configuration profile of Apple, a property list in XML or in binary form.
    case mobileconfig
    /// A configuration file of wg-quick(8), which is what nothing else is.
    case quick

    /// Looks at the first bytes.
    package init(detecting bytes: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
        let content = text.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        switch content.first {
        case UInt8(ascii: "{"): self = .profile
        case UInt8(ascii: "<"): self = .mobileconfig
        default: self = bytes.starts(with: "bplist00".utf8) ? .mobileconfig : .quick
        }
    }

    /// Whether files of the format hold secrets by their purpose.
    package var holdsSecrets: Bool {
        switch self {
        case .profile: false
        case .mobileconfig, .quick: true
        }
    }
}
