/// What is still to be done to a packet: the `virtio_net_hdr` before it.
///
/// Each packet of a queue with IFF_VNET_HDR has one. Numbers are in the byte order of the host.
struct OffloadHeader {
    /// How a packet is to be cut (VIRTIO_NET_HDR_GSO_*).
    enum Cut {
        static let none: UInt8 = 0
        static let tcpV4: UInt8 = 1
        static let tcpV6: UInt8 = 4
        static let udp: UInt8 = 5
        /// Set beside TCP when the packet has seen congestion (ECN).
        static let congestion: UInt8 = 0x80
    }

    /// The length of the header in bytes.
    static let byteCount = 10
    /// VIRTIO_NET_HDR_F_NEEDS_CSUM: the checksum covers the pseudo header only as yet.
    static let needsChecksum: UInt8 = 1

    var flags: UInt8 = 0
    var cut = Cut.none
    /// Bytes that each segment begins with.
    var headerLength: UInt16 = 0
    /// Bytes of payload of each segment but the last.
    var segment: UInt16 = 0
    /// Where the checksum begins, and where from there it is stored.
    var checksumStart: UInt16 = 0
    var checksumOffset: UInt16 = 0

    /// The header of a packet that is complete.
    init() {}

    /// Reads a header.
    @inline(__always)
    init(_ bytes: UnsafeRawPointer) {
        flags = bytes.load(as: UInt8.self)
        cut = bytes.load(fromByteOffset: 1, as: UInt8.self)
        headerLength = bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)
        segment = bytes.loadUnaligned(fromByteOffset: 4, as: UInt16.self)
        checksumStart = bytes.loadUnaligned(fromByteOffset: 6, as: UInt16.self)
        checksumOffset = bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self)
    }

    /// Writes the header.
    @inline(__always)
    func write(to bytes: UnsafeMutableRawPointer) {
        bytes.storeBytes(of: flags, as: UInt8.self)
        bytes.storeBytes(of: cut, toByteOffset: 1, as: UInt8.self)
        bytes.storeBytes(of: headerLength, toByteOffset: 2, as: UInt16.self)
        bytes.storeBytes(of: segment, toByteOffset: 4, as: UInt16.self)
        bytes.storeBytes(of: checksumStart, toByteOffset: 6, as: UInt16.self)
        bytes.storeBytes(of: checksumOffset, toByteOffset: 8, as: UInt16.self)
    }

    /// How the packet is to be cut, the congestion bit aside.
    var cutKind: UInt8 { cut & ~Cut.congestion }
}
