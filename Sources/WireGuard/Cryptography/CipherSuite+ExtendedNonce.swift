extension CipherSuite {
    /// How many bytes the nonce of XChaCha20-Poly1305 has.
    package static let extendedNonceCount = 24

    /// ChaCha20-Poly1305 in place, the tag behind the text; the nonce is four zeros and a counter.
    func seal(
        key: borrowing SecretKey, counter: UInt64, additional: UnsafeRawBufferPointer,
        buffer: UnsafeMutableRawPointer, count: Int
    ) {
        let nonce = Self.nonce(counter)
        withUnsafeBytes(of: nonce) { nonce in
            guard let nonce = nonce.baseAddress else { return }
            cipher.seal(
                key: key.pointer, nonce: nonce, additional: additional, buffer: buffer,
                count: count)
        }
    }

    /// The reverse: whether `count` bytes, tag included, are authentic.
    func open(
        key: borrowing SecretKey, counter: UInt64, additional: UnsafeRawBufferPointer,
        buffer: UnsafeMutableRawPointer, count: Int
    ) -> Bool {
        let nonce = Self.nonce(counter)
        return withUnsafeBytes(of: nonce) { nonce in
            guard let nonce = nonce.baseAddress else { return false }
            return cipher.open(
                key: key.pointer, nonce: nonce, additional: additional, buffer: buffer,
                count: count)
        }
    }

    /// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha) in place, the tag behind the text.
    func sealExtended(
        key: borrowing SecretKey, nonce: UnsafeRawPointer, additional: UnsafeRawBufferPointer,
        buffer: UnsafeMutableRawPointer, count: Int
    ) {
        seal(
            key: Self.subkey(key, nonce: nonce), counter: Self.counter(nonce),
            additional: additional, buffer: buffer, count: count)
    }

    /// The reverse: whether `count` bytes, tag included, are authentic.
    func openExtended(
        key: borrowing SecretKey, nonce: UnsafeRawPointer, additional: UnsafeRawBufferPointer,
        buffer: UnsafeMutableRawPointer, count: Int
    ) -> Bool {
        open(
            key: Self.subkey(key, nonce: nonce), counter: Self.counter(nonce),
            additional: additional, buffer: buffer, count: count)
    }

    private static func nonce(_ counter: UInt64) -> SIMD3<UInt32> {
        SIMD3(
            0, UInt32(truncatingIfNeeded: counter).littleEndian,
            UInt32(truncatingIfNeeded: counter >> 32).littleEndian)
    }

    private static func counter(_ nonce: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: nonce.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    }

    /// HChaCha20 of the key and the first 16 bytes of the nonce.
    static func subkey(_ key: borrowing SecretKey, nonce: UnsafeRawPointer) -> SecretKey {
        func word(_ bytes: UnsafeRawPointer, _ index: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self))
        }
        func vector(_ bytes: UnsafeRawPointer, _ index: Int) -> SIMD4<UInt32> {
            SIMD4(
                word(bytes, index), word(bytes, index + 1), word(bytes, index + 2),
                word(bytes, index + 3))
        }
        // "expand 32-byte k"
        var a = SIMD4<UInt32>(0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574)
        var b = vector(key.pointer, 0)
        var c = vector(key.pointer, 4)
        var d = vector(nonce, 0)
        for _ in 0..<10 {
            quarterRounds(&a, &b, &c, &d)
            (b, c, d) = (rotated(b, 1), rotated(c, 2), rotated(d, 3))
            quarterRounds(&a, &b, &c, &d)
            (b, c, d) = (rotated(b, 3), rotated(c, 2), rotated(d, 1))
        }
        let subkey = SecretKey()
        for index in 0..<4 {
            subkey.storage.storeBytes(
                of: a[index].littleEndian, toByteOffset: 4 * index, as: UInt32.self)
            subkey.storage.storeBytes(
                of: d[index].littleEndian, toByteOffset: 16 + 4 * index, as: UInt32.self)
        }
        return subkey
    }

    /// The quarter round of ChaCha20 on all four columns at once.
    private static func quarterRounds(
        _ a: inout SIMD4<UInt32>, _ b: inout SIMD4<UInt32>, _ c: inout SIMD4<UInt32>,
        _ d: inout SIMD4<UInt32>
    ) {
        a &+= b
        d = turned(d ^ a, 16)
        c &+= d
        b = turned(b ^ c, 12)
        a &+= b
        d = turned(d ^ a, 8)
        c &+= d
        b = turned(b ^ c, 7)
    }

    private static func turned(_ vector: SIMD4<UInt32>, _ count: UInt32) -> SIMD4<UInt32> {
        vector &<< SIMD4(repeating: count) | vector &>> SIMD4(repeating: 32 - count)
    }

    /// The lanes moved towards the first by so many: what turns columns into diagonals.
    private static func rotated(_ vector: SIMD4<UInt32>, _ count: Int) -> SIMD4<UInt32> {
        SIMD4(
            vector[count & 3], vector[(count + 1) & 3], vector[(count + 2) & 3],
            vector[(count + 3) & 3])
    }
}
