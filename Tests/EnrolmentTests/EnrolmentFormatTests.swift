import Enrolment
import Testing

/// What a file is, by what it holds.
@Suite struct EnrolmentFormatTests {
    @Test(
        arguments: [
            ("{}", .profile), ("  \r\n\t{", .profile), ("\u{FEFF}{", .profile),
            ("<?xml", .mobileconfig), ("\n<plist>", .mobileconfig), ("bplist00\0", .mobileconfig),
            ("bplist", .quick), ("[Interface]", .quick), ("", .quick), ("# {", .quick),
            ("\0", .quick),
        ] as [(String, EnrolmentFormat)])
    func theFirstCharacterTellsTheFormat(text: String, format: EnrolmentFormat) {
        #expect(EnrolmentFormat(detecting: Array(text.utf8)) == format)
    }

    private static func message(_ type: [UInt8], length: [UInt8] = [0x82, 3, 1]) -> [UInt8] {
        [0x30] + length + [0x06, UInt8(type.count)] + type + [0xA0, 0x80]
    }

    private static let signed: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    @Test(
        arguments: [
            ([0x80], .signed), ([0x82, 3, 1], .signed), ([0x83, 3, 1, 1], .signed), ([7], .signed),
        ] as [([UInt8], CMSMessage.Content)])
    func aSignedMessageIsOneInAnyLength(length: [UInt8], content: CMSMessage.Content) {
        let message = CMSMessage(detecting: Self.message(Self.signed, length: length))
        #expect(message?.encoding == .der && message?.content == content)
    }

    @Test func otherMessagesAreToldApart() {
        func content(_ last: UInt8) -> CMSMessage.Content? {
            CMSMessage(detecting: Self.message(Self.signed.dropLast() + [last]))?.content
        }
        #expect(content(1) == .other && content(5) == .other)
        #expect(content(3) == .encrypted && content(4) == .encrypted && content(6) == .encrypted)
        let later: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x09, 0x10, 0x01]
        #expect(CMSMessage(detecting: Self.message(later + [23]))?.content == .encrypted)
        #expect(CMSMessage(detecting: Self.message(later + [9]))?.content == .other)
    }

    @Test func whatIsNoMessageIsNone() {
        for bytes in [
            [], [0x30], [0x30, 0x82], [0x30, 0xFF, 6, 9], [0x30, 3, 2, 1, 0], Array("0x".utf8),
            Array("-----BEGIN CERTIFICATE-----".utf8), Self.message([0x2A, 0x86]),
            Self.message(Self.signed + [1]),
        ] as [[UInt8]] {
            #expect(CMSMessage(detecting: bytes) == nil, "\(bytes)")
        }
        let whole = Self.message(Self.signed)
        for length in 0..<(whole.count - 2) {
            #expect(CMSMessage(detecting: Array(whole.prefix(length))) == nil)
        }
        for label in ["CMS", "PKCS7", "PKCS #7 SIGNED DATA"] {
            let message = CMSMessage(detecting: Array("\n-----BEGIN \(label)-----\n".utf8))
            #expect(message?.encoding == .pem && message?.content == nil)
        }
    }
}
