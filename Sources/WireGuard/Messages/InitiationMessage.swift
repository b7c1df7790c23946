/// The first message of a handshake, where it lies in memory.
package struct InitiationMessage {
    /// The first four bytes: a type and three zeros.
    static let type: UInt32 = 1

    /// How many bytes it has.
    package static let byteCount = 148

    enum Offset {
        static let sender = 4
        static let ephemeral = 8
        static let sealedStatic = 40
        static let sealedTimestamp = 88
        static let mac1 = 116
    }

    static let sealedStaticCount = PublicKey.byteCount + sealedTagCount
    static let sealedTimestampCount = TAI64N.byteCount + sealedTagCount

    let bytes: UnsafeRawPointer

    init(_ bytes: UnsafeRawPointer) {
        self.bytes = bytes
    }

    /// The index by which the sender wants to be answered.
    package var sender: UInt32 { bytes.littleEndianWord(at: Offset.sender) }

    /// The whole message.
    package var datagram: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes, count: Self.byteCount)
    }
}
