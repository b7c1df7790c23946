import CNetlink
import Glibc
import TunnelModel

/// A request under construction, freed with its owner.
struct Message: ~Copyable {
    private let raw: OpaquePointer

    init() throws(NetlinkError) {
        guard let raw = nlmsg_alloc() else {
            throw NetlinkError(operation: "building a netlink request", subject: "", errno: ENOMEM)
        }
        self.raw = raw
    }

    init<Header: BitwiseCopyable>(
        _ type: Int,
        flags: CInt = NLM_F_ACK,
        _ header: Header
    ) throws(NetlinkError) {
        try self.init()
        begin(type, flags: flags, header)
    }

    deinit { nlmsg_free(raw) }

    /// Starts over with another request in the same memory.
    func begin<Header: BitwiseCopyable>(_ type: Int, flags: CInt, _ header: Header) {
        nlmsg_hdr(raw).pointee.nlmsg_len = UInt32(nlmsg_size(0))
        nlmsg_put(raw, 0, 0, CInt(type), 0, NLM_F_REQUEST | flags)
        let result = withUnsafeBytes(of: header) {
            nlmsg_append(
                raw,
                UnsafeMutableRawPointer(mutating: $0.baseAddress),
                $0.count,
                CInt(NLMSG_ALIGNTO)
            )
        }
        precondition(result == 0, "a netlink request outgrew its memory")
    }

    func put<Value: BitwiseCopyable>(_ attribute: Int, _ value: Value) {
        let result = withUnsafeBytes(of: value) {
            nla_put(raw, CInt(attribute), CInt($0.count), $0.baseAddress)
        }
        precondition(result == 0, "a netlink request outgrew its memory")
    }

    /// Adds the bytes of a text without a final zero, so that an empty one clears what was there.
    func put(_ attribute: Int, text: String) {
        var text = text
        let result = text.withUTF8 {
            nla_put(raw, CInt(attribute), CInt($0.count), $0.baseAddress)
        }
        precondition(result == 0, "a netlink request outgrew its memory")
    }

    /// Adds the bytes of a text with a final zero.
    func put(_ attribute: Int, terminated text: String) {
        let result = nla_put_string(raw, CInt(attribute), text)
        precondition(result == 0, "a netlink request outgrew its memory")
    }

    func put(_ attribute: Int, _ address: IPAddress) {
        switch address.family {
        case .v4: put(attribute, UInt32(truncatingIfNeeded: address.number).bigEndian)
        case .v6: put(attribute, address.number.bigEndian)
        }
    }

    /// Adds a gateway of another family than the route's (`struct rtvia`).
    func put(via address: IPAddress) {
        let family = UInt16(address.family.number)
        let bytes = withUnsafeBytes(of: family) { Array($0) } + address.bytes
        let result = nla_put(raw, CInt(RTA_VIA.rawValue), CInt(bytes.count), bytes)
        precondition(result == 0, "a netlink request outgrew its memory")
    }

    func nest(_ attribute: Int, _ body: () -> Void) {
        let start = nla_nest_start(raw, CInt(attribute))
        body()
        nla_nest_end(raw, start)
    }

    var bytes: UnsafeRawBufferPointer {
        let header = nlmsg_hdr(raw)
        return UnsafeRawBufferPointer(start: header, count: Int(header?.pointee.nlmsg_len ?? 0))
    }

    func setSequence(_ sequence: UInt32) {
        nlmsg_hdr(raw).pointee.nlmsg_seq = sequence
    }
}

extension IPAddress.Family {
    var number: UInt8 {
        switch self {
        case .v4: UInt8(AF_INET)
        case .v6: UInt8(AF_INET6)
        }
    }
}
