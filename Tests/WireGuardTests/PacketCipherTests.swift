import Glibc
import Testing

@testable import WireGuard

/// What both ciphers have, to run the same tests on them.
protocol Cipher: ~Copyable {
    init() throws(CryptographyError)
    func seal(
        key: UnsafeRawPointer, counter: UInt64, buffer: UnsafeMutableRawPointer, count: Int)
    func open(
        key: UnsafeRawPointer, counter: UInt64, buffer: UnsafeMutableRawPointer, count: Int
    ) -> Bool
    func seal(
        key: UnsafeRawPointer, nonce: UnsafeRawPointer, additional: UnsafeRawBufferPointer,
        buffer: UnsafeMutableRawPointer, count: Int)
    func open(
        key: UnsafeRawPointer, nonce: UnsafeRawPointer, additional: UnsafeRawBufferPointer,
        buffer: UnsafeMutableRawPointer, count: Int
    ) -> Bool
}

extension LibcryptoCipher: Cipher {}
#if canImport(CIPsecMB)
    extension IPsecMBCipher: Cipher {}
#endif

extension Cipher where Self: ~Copyable {
    func sealed(_ text: [UInt8], key: [UInt8], counter: UInt64) -> [UInt8] {
        var buffer = text + [UInt8](repeating: 0, count: sealedTagCount)
        buffer.withUnsafeMutableBytes {
            seal(
                key: key, counter: counter, buffer: $0.baseAddress.unsafelyUnwrapped,
                count: text.count)
        }
        return buffer
    }

    func opened(_ sealed: [UInt8], key: [UInt8], counter: UInt64) -> [UInt8]? {
        var buffer = sealed + [0]
        let isAuthentic = buffer.withUnsafeMutableBytes {
            open(
                key: key, counter: counter, buffer: $0.baseAddress.unsafelyUnwrapped,
                count: sealed.count)
        }
        return isAuthentic ? Array(buffer.prefix(sealed.count - sealedTagCount)) : nil
    }

    func sealed(_ text: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8] {
        var buffer = text + [UInt8](repeating: 0, count: sealedTagCount)
        buffer.withUnsafeMutableBytes { buffer in
            additional.withUnsafeBytes {
                seal(
                    key: key, nonce: nonce, additional: $0,
                    buffer: buffer.baseAddress.unsafelyUnwrapped, count: text.count)
            }
        }
        return buffer
    }

    func opened(_ sealed: [UInt8], key: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8]? {
        var buffer = sealed + [0]
        let isAuthentic = buffer.withUnsafeMutableBytes { buffer in
            additional.withUnsafeBytes {
                open(
                    key: key, nonce: nonce, additional: $0,
                    buffer: buffer.baseAddress.unsafelyUnwrapped, count: sealed.count)
            }
        }
        return isAuthentic ? Array(buffer.prefix(sealed.count - sealedTagCount)) : nil
    }
}

@Suite("Packet cipher")
struct PacketCipherTests {
    /// A library that does ChaCha20-Poly1305.
    enum Library: CaseIterable {
        case libcrypto
        #if canImport(CIPsecMB)
            case ipsecMB
        #endif

        func with(_ body: (borrowing any Cipher & ~Copyable) throws -> Void) throws {
            switch self {
            case .libcrypto: try body(try LibcryptoCipher())
            #if canImport(CIPsecMB)
                case .ipsecMB: try body(try IPsecMBCipher())
            #endif
            }
        }
    }

    @Test("The example of RFC 8439, section 2.8.2", arguments: Library.allCases)
    func example(_ library: Library) throws {
        let key = Array(UInt8(0x80)...0x9f)
        let nonce = bytes("070000004041424344454647")
        let additional = bytes("50515253c0c1c2c3c4c5c6c7")
        try library.with { cipher in
            let sealed = cipher.sealed(
                Sunscreen.text, key: key, nonce: nonce, additional: additional)
            #expect(hex(sealed) == hex(Sunscreen.sealed))
            let opened = cipher.opened(sealed, key: key, nonce: nonce, additional: additional)
            #expect(opened == Sunscreen.text)
        }
    }

    @Test("The decryption of RFC 8439, appendix A.5", arguments: Library.allCases)
    func decryption(_ library: Library) throws {
        try library.with { cipher in
            let opened = cipher.opened(
                Draft.sealed, key: Draft.key, nonce: Draft.nonce, additional: Draft.additional)
            #expect(opened.map { String(decoding: $0, as: UTF8.self) } == Draft.text)
        }
    }

    @Test(
        "A counter is the last eight bytes of the nonce, least first", arguments: Library.allCases)
    func counter(_ library: Library) throws {
        let key = [UInt8](repeating: 7, count: 32)
        let text = Array("counter".utf8)
        try library.with { cipher in
            let long = cipher.sealed(
                text, key: key, nonce: bytes("00000000 0807060504030201"), additional: [])
            #expect(cipher.sealed(text, key: key, counter: 0x0102_0304_0506_0708) == long)
        }
    }

    @Test("Both libraries write the same for all lengths, and read each other")
    func agreement() throws {
        #if canImport(CIPsecMB)
            let one = try IPsecMBCipher()
            let other = try LibcryptoCipher()
            var dice = Dice(1)
            for count in 0...2000 {
                let key = dice.bytes(32)
                let counter = dice.next()
                let text = dice.bytes(count)
                let sealed = one.sealed(text, key: key, counter: counter)
                #expect(sealed == other.sealed(text, key: key, counter: counter), "\(count)")
                #expect(one.opened(sealed, key: key, counter: counter) == text, "\(count)")
                #expect(other.opened(sealed, key: key, counter: counter) == text, "\(count)")
            }
        #endif
    }

    @Test("Additional bytes of all lengths count", arguments: Library.allCases)
    func additional(_ library: Library) throws {
        let reference = try LibcryptoCipher()
        try library.with { cipher in
            var dice = Dice(2)
            for count in 0...70 {
                let key = dice.bytes(32)
                let nonce = dice.bytes(12)
                let text = dice.bytes(count % 5 * 17)
                var extra = dice.bytes(count)
                let sealed = cipher.sealed(text, key: key, nonce: nonce, additional: extra)
                let expected = reference.sealed(text, key: key, nonce: nonce, additional: extra)
                #expect(sealed == expected)
                let opened = cipher.opened(sealed, key: key, nonce: nonce, additional: extra)
                #expect(opened == text)
                guard count > 0 else { continue }
                extra[count - 1] ^= 0x80
                let fooled = cipher.opened(sealed, key: key, nonce: nonce, additional: extra)
                #expect(fooled == nil)
            }
        }
    }

    @Test("Every changed bit is refused, of the text and of the tag", arguments: Library.allCases)
    func flippedBits(_ library: Library) throws {
        let key = [UInt8](repeating: 9, count: 32)
        try library.with { cipher in
            for count in [0, 1, 63, 200] {
                let sealed = cipher.sealed(
                    [UInt8](repeating: 1, count: count), key: key, counter: 5)
                for bit in 0..<sealed.count * 8 {
                    var mangled = sealed
                    mangled[bit / 8] ^= 1 << UInt8(bit % 8)
                    let opened = cipher.opened(mangled, key: key, counter: 5)
                    #expect(opened == nil, "bit \(bit) of \(count) bytes")
                }
                let opened = cipher.opened(sealed, key: key, counter: 5)
                #expect(opened != nil)
            }
        }
    }

    @Test("Another key, another counter and missing bytes are refused", arguments: Library.allCases)
    func wrongKey(_ library: Library) throws {
        let key = [UInt8](repeating: 9, count: 32)
        var other = key
        other[31] ^= 1
        try library.with { cipher in
            let sealed = cipher.sealed([1, 2, 3], key: key, counter: 5)
            #expect(cipher.opened(sealed, key: other, counter: 5) == nil)
            #expect(cipher.opened(sealed, key: key, counter: 6) == nil)
            for count in 0..<sealed.count {
                #expect(cipher.opened(Array(sealed.prefix(count)), key: key, counter: 5) == nil)
            }
            #expect(cipher.opened(sealed + [0], key: key, counter: 5) == nil)
        }
    }

    @Test("No byte beyond the tag is touched, nor one before the text", arguments: Library.allCases)
    func bounds(_ library: Library) throws {
        let page = 4096
        let mapped = mmap(
            nil, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        let area = try #require(mapped)
        defer { munmap(area, 3 * page) }
        try #require(mprotect(area, page, PROT_NONE) == 0)
        try #require(mprotect(area + 2 * page, page, PROT_NONE) == 0)
        let key = [UInt8](repeating: 3, count: 32)
        try library.with { cipher in
            for count in [0, 1, 15, 16, 17, 64, 100, 1024, 1437, page - sealedTagCount] {
                // At the end of the page between the two that fault, then at its beginning.
                for start in [area + 2 * page - count - sealedTagCount, area + page] {
                    cipher.seal(key: key, counter: 1, buffer: start, count: count)
                    let isAuthentic = cipher.open(
                        key: key, counter: 1, buffer: start, count: count + sealedTagCount)
                    #expect(isAuthentic)
                }
            }
        }
    }
}
