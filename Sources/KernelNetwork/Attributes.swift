import CNetlink
import TunnelModel

/// One attribute of a received message; valid only as long as the message.
struct Attribute {
    fileprivate let raw: UnsafeMutablePointer<nlattr>

    var type: Int { Int(nla_type(raw)) }

    var uint8: UInt8? { load() }

    var uint16: UInt16? { load() }

    var uint32: UInt32? { load() }

    var int32: Int32? { load() }

    var text: String {
        String(decoding: content.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// The address that fills the attribute.
    var address: IPAddress? {
        switch content.count {
        case 4: load().map { (value: UInt32) in IPAddress(v4: UInt32(bigEndian: value)) }
        case 16: load().map { (value: UInt128) in IPAddress(v6: UInt128(bigEndian: value)) }
        default: nil
        }
    }

    /// The attributes nested in this one, after so many bytes of something else.
    func nested(after offset: Int = 0) -> Attributes {
        Attributes(UnsafeRawBufferPointer(rebasing: content.dropFirst(offset)))
    }

    var content: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nla_data(raw), count: max(0, Int(nla_len(raw))))
    }

    private func load<Value: BitwiseCopyable>() -> Value? {
        guard content.count >= MemoryLayout<Value>.size else { return nil }
        return content.loadUnaligned(as: Value.self)
    }
}

/// The attributes of a received message, in order; valid only as long as the message.
struct Attributes: Sequence, IteratorProtocol {
    private var cursor: UnsafeMutablePointer<nlattr>?
    private var remaining: CInt

    init(_ content: UnsafeRawBufferPointer) {
        let start = UnsafeMutableRawPointer(mutating: content.baseAddress)
        cursor = start?.assumingMemoryBound(to: nlattr.self)
        remaining = CInt(content.count)
    }

    /// No attributes.
    static var none: Attributes { Attributes(UnsafeRawBufferPointer(start: nil, count: 0)) }

    /// The attributes behind a message's family header; nil where the message is too short for it.
    init?<Header: BitwiseCopyable>(of message: OpaquePointer, after _: Header.Type) {
        let header = nlmsg_hdr(message)
        let size = CInt(MemoryLayout<Header>.size)
        guard nlmsg_valid_hdr(header, size) != 0 else { return nil }
        cursor = nlmsg_attrdata(header, size)
        remaining = nlmsg_attrlen(header, size)
    }

    mutating func next() -> Attribute? {
        guard let current = cursor, nla_ok(current, remaining) != 0 else { return nil }
        cursor = nla_next(current, &remaining)
        return Attribute(raw: current)
    }
}
