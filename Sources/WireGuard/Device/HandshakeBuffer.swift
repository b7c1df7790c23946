/// Memory in which a handshake message is written before it is sent.
struct HandshakeBuffer: ~Copyable {
    let start: UnsafeMutableRawPointer
    private let count: Int

    /// Room for so many bytes.
    init(count: Int) {
        start = .allocate(byteCount: count, alignment: 8)
        start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        self.count = count
    }

    deinit {
        start.deallocate()
    }

    /// The room as a buffer.
    var bytes: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: start, count: count)
    }

    /// The message as it goes out.
    borrowing func message() -> [UInt8] {
        Array(bytes)
    }
}
