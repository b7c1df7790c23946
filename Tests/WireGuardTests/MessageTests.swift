import Testing

@testable import WireGuard

@Suite("Messages")
struct MessageTests {
    /// What a datagram was taken for.
    private enum Kind: Equatable {
        case initiation, response, cookieReply, transport
    }

    private func kind(_ datagram: [UInt8]) -> Kind? {
        datagram.withUnsafeBytes { buffer in
            switch Message(buffer) {
            case .initiation: .initiation
            case .response: .response
            case .cookieReply: .cookieReply
            case .transport: .transport
            case nil: nil
            }
        }
    }

    private func datagram(type: UInt8, count: Int) -> [UInt8] {
        Array(([type, 0, 0, 0] + [UInt8](repeating: 0, count: max(0, count - 4))).prefix(count))
    }

    @Test("Each type has its exact length, and a transport message at least 32 bytes")
    func lengths() {
        for count in 0...1600 {
            #expect(kind(datagram(type: 1, count: count)) == (count == 148 ? .initiation : nil))
            #expect(kind(datagram(type: 2, count: count)) == (count == 92 ? .response : nil))
            #expect(kind(datagram(type: 3, count: count)) == (count == 64 ? .cookieReply : nil))
            #expect(kind(datagram(type: 4, count: count)) == (count >= 32 ? .transport : nil))
        }
        #expect(kind(datagram(type: 4, count: 65535)) == .transport)
    }

    @Test("Other types, and the known ones with a reserved byte set, are nothing")
    func types() {
        for count in [32, 64, 92, 148] {
            for type in UInt8.min...UInt8.max where !(1...4).contains(type) {
                #expect(kind(datagram(type: type, count: count)) == nil)
            }
            for type in UInt8(1)...4 {
                for index in 1...3 {
                    var bytes = datagram(type: type, count: count)
                    bytes[index] = 1
                    #expect(kind(bytes) == nil)
                }
            }
        }
    }

    @Test("A buffer of nothing is nothing")
    func nothing() {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        #expect(Message(empty) == nil && TransportMessage(empty) == nil)
    }

    @Test("A datagram is read where it lies, aligned or not")
    func fields() throws {
        var bytes: [UInt8] = [0xff] + datagram(type: 4, count: 48)
        try bytes.withUnsafeMutableBytes { buffer in
            let start = try #require(buffer.baseAddress) + 1
            TransportMessage.writeHeader(
                receiver: 0x0a0b_0c0d, counter: 0x0102_0304_0506_0708, to: start)
            let view = try #require(
                TransportMessage(UnsafeRawBufferPointer(start: start, count: 48)))
            #expect(view.receiver == 0x0a0b_0c0d)
            #expect(view.counter == 0x0102_0304_0506_0708)
            #expect(view.sealedCount == 32)
        }
        #expect(hex(bytes.prefix(17)) == "ff04000000" + "0d0c0b0a" + "0807060504030201")
    }

    @Test("Only a transport message passes for one")
    func transportOnly() {
        for type in UInt8(0)...5 {
            for count in [31, 32, 148] {
                let isTransport = datagram(type: type, count: count).withUnsafeBytes {
                    TransportMessage($0) != nil
                }
                #expect(isTransport == (type == 4 && count >= 32))
            }
        }
    }

    @Test("Indices of the handshake messages")
    func indices() {
        Golden.initiation.withUnsafeBytes { buffer in
            guard case .initiation(let view)? = Message(buffer) else {
                Issue.record("no initiation")
                return
            }
            #expect(view.sender == 0x0102_0304 && view.datagram.count == 148)
        }
        Golden.response.withUnsafeBytes { buffer in
            guard case .response(let view)? = Message(buffer) else {
                Issue.record("no response")
                return
            }
            #expect(view.sender == 0x0506_0708 && view.receiver == 0x0102_0304)
            #expect(view.datagram.count == 92)
        }
        Golden.cookieReply.withUnsafeBytes { buffer in
            guard case .cookieReply(let view)? = Message(buffer) else {
                Issue.record("no cookie reply")
                return
            }
            #expect(view.receiver == 0x0102_0304)
        }
    }

    @Test("A session's keys carry packets of all sizes, none included")
    func transport() throws {
        let cipher = try PacketCipher()
        let keys = Golden.initiatorKeys
        for count in [0, 16, 1424] {
            let text = [UInt8](repeating: 0xab, count: count)
            let sealed = cipher.sealed(text, key: keys.sending, counter: 3)
            #expect(cipher.opened(sealed, key: Golden.responderKeys.receiving, counter: 3) == text)
            #expect(cipher.opened(sealed, key: keys.receiving, counter: 3) == nil)
        }
    }
}
