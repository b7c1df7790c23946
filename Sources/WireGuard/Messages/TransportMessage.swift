/// A message with a sealed packet, where it lies in memory.
package struct TransportMessage {
    /// The first four bytes: a type and three zeros.
    static let type: UInt32 = 4

    /// How many bytes lie before the sealed packet.
    package static let headerCount = 16

    /// How many bytes a message without a packet has: header and tag.
    package static let leastByteCount = headerCount + sealedTagCount

    enum Offset {
        static let receiver = 4
        static let counter = 8
    }

    let bytes: UnsafeRawPointer

    /// How many bytes follow the header: the sealed packet and its tag.
    package let sealedCount: Int

    init(_ bytes: UnsafeRawPointer, count: Int) {
        self.bytes = bytes
        sealedCount = count - Self.headerCount
    }

    /// The view of a datagram; nil when it is no transport message.
    package init?(_ datagram: UnsafeRawBufferPointer) {
        guard let start = datagram.baseAddress, datagram.count >= Self.leastByteCount,
            UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)) == Self.type
        else { return nil }
        self.init(start, count: datagram.count)
    }

    /// The index of the receiver's session.
    package var receiver: UInt32 { bytes.littleEndianWord(at: Offset.receiver) }

    /// The nonce of the sealed packet.
    package var counter: UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: Offset.counter, as: UInt64.self))
    }

    /// Writes the 16 bytes that go before a sealed packet.
    package static func writeHeader(
        receiver: UInt32, counter: UInt64, to bytes: UnsafeMutableRawPointer
    ) {
        bytes.storeLittleEndianWord(type, at: 0)
        bytes.storeLittleEndianWord(receiver, at: Offset.receiver)
        bytes.storeBytes(of: counter.littleEndian, toByteOffset: Offset.counter, as: UInt64.self)
    }
}
