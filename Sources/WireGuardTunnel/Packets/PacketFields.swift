import ProviderKit

/// Where the fields of IP, TCP and UDP are, as byte offsets, and the numbers in them.
enum PacketFields {
    static let tcp: UInt8 = 6
    static let udp: UInt8 = 17

    enum V4 {
        static let length = 2, identification = 4, fragment = 6, lifetime = 8, transport = 9
        static let checksum = 10
        static let headerLength = 20
    }

    enum V6 {
        static let payloadLength = 4, transport = 6, lifetime = 7
        static let headerLength = 40
    }

    enum TCP {
        static let sequence = 4, acknowledged = 8, dataOffset = 12, flags = 13, window = 14
        static let checksum = 16
        static let headerLength = 20
        static let fin: UInt8 = 0x01, push: UInt8 = 0x08, acknowledge: UInt8 = 0x10
        static let congestionReduced: UInt8 = 0x80
    }

    enum UDP {
        static let length = 4, checksum = 6
        static let headerLength = 8
    }
}

extension UnsafeRawPointer {
    /// A 16-bit number in network order.
    @inline(__always)
    func number16(_ offset: Int) -> UInt16 {
        UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// A 32-bit number in network order.
    @inline(__always)
    func number32(_ offset: Int) -> UInt32 {
        UInt32(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    func byte(_ offset: Int) -> UInt8 {
        load(fromByteOffset: offset, as: UInt8.self)
    }
}

extension UnsafeMutableRawPointer {
    /// Stores a 16-bit number in network order.
    @inline(__always)
    func store16(_ number: UInt16, _ offset: Int) {
        storeBytes(of: number.bigEndian, toByteOffset: offset, as: UInt16.self)
    }

    /// Stores a 32-bit number in network order.
    @inline(__always)
    func store32(_ number: UInt32, _ offset: Int) {
        storeBytes(of: number.bigEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// Stores a checksum from the sum of what it covers.
    @inline(__always)
    func storeChecksum(_ sum: UInt64, _ offset: Int) {
        storeBytes(of: ~PacketSum.fold(sum), toByteOffset: offset, as: UInt16.self)
    }
}
