import Loopback
import Testing

@Suite struct InternetChecksumTests {
    private static let vectors: [(bytes: [UInt8], checksum: UInt16)] = [
        ([], 0xFFFF),
        // The example of RFC 1071, 3: the sum is 0xddf2.
        ([0x00, 0x01, 0xF2, 0x03, 0xF4, 0xF5, 0xF6, 0xF7], 0x220D),
        ([0x00], 0xFFFF),
        ([0x01], 0xFEFF),
        ([0x00, 0x01], 0xFFFE),
        ([0xFF, 0xFF], 0x0000),
        ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 0x0000),
        ([0xFF, 0xFF, 0x00, 0x01], 0xFFFE),
        ([0x12, 0x34, 0x56], 0x97CB),
        // A header of IPv4 without its checksum.
        (
            [
                0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0x00, 0x00,
                0xC0, 0xA8, 0x00, 0x01, 0xC0, 0xA8, 0x00, 0xC7,
            ], 0xB861
        ),
    ]

    @Test(arguments: vectors)
    func vector(bytes: [UInt8], checksum: UInt16) {
        #expect(InternetChecksum(of: bytes).value == checksum)
    }

    @Test func anIntactMessageSumsToAllOnes() {
        #expect(InternetChecksum(of: Packets.icmp.prefix(20)).isIntact)
        #expect(!InternetChecksum(of: Packets.icmp.prefix(19)).isIntact)
        #expect(!InternetChecksum().isIntact)
    }

    @Test func wordsAndBytesAgree() {
        var words = InternetChecksum()
        words.add(word: 0x0001)
        words.add(word: 0xF203)
        #expect(words.value == InternetChecksum(of: [0x00, 0x01, 0xF2, 0x03]).value)
    }

    @Test func allLengthsAndEvenSplitsAgreeWithThePlainSum() {
        var random = SplitMix(state: 1)
        for length in 0...67 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            let plain = UInt16(~Reference.sum(bytes) & 0xFFFF)
            #expect(InternetChecksum(of: bytes).value == plain)
            for split in stride(from: 0, through: length, by: 2) {
                var checksum = InternetChecksum(of: bytes[..<split])
                checksum.add(bytes.span.bytes.extracting(split..<length))
                #expect(checksum.value == plain)
            }
        }
    }

    @Test func theLargestPacketOfOnesDoesNotOverflow() {
        #expect(InternetChecksum(of: [UInt8](repeating: 0xFF, count: 65_535)).value == 0x00FF)
        #expect(InternetChecksum(of: [UInt8](repeating: 0xFF, count: 65_534)).value == 0x0000)
    }
}

extension InternetChecksum {
    fileprivate init(of bytes: some Collection<UInt8>) {
        self.init()
        let array = Array(bytes)
        add(array.span.bytes)
    }
}
