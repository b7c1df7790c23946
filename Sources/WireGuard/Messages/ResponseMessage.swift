/// The second message of a handshake, where it lies in memory.
package struct ResponseMessage {
    /// The first four bytes: a type and three zeros.
    static let type: UInt32 = 2

    /// How many bytes it has.
    package static let byteCount = 92

    enum Offset {
        static let sender = 4
        static let receiver = 8
        static let ephemeral = 12
        static let sealedNothing = 44
        static let mac1 = 60
    }

    let bytes: UnsafeRawPointer

    init(_ bytes: UnsafeRawPointer) {
        self.bytes = bytes
    }

    /// The index by which the sender wants its packets.
    package var sender: UInt32 { bytes.littleEndianWord(at: Offset.sender) }

    /// The index of the initiation that is answered.
    package var receiver: UInt32 { bytes.littleEndianWord(at: Offset.receiver) }

    /// The whole message.
    package var datagram: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: bytes, count: Self.byteCount)
    }
}
