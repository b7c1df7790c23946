internal import CCrypto

/// ChaCha20-Poly1305 (RFC 8439) by libcrypto, for the use of one thread.
package struct LibcryptoCipher: ~Copyable {
    private let context: OpaquePointer
    private let nonce: UnsafeMutablePointer<UInt8>

    /// Looks the cipher up in libcrypto.
    package init() throws(CryptographyError) {
        guard let cipher = EVP_CIPHER_fetch(nil, "ChaCha20-Poly1305", nil) else {
            throw .missingAlgorithm("ChaCha20-Poly1305")
        }
        defer { EVP_CIPHER_free(cipher) }
        guard let context = EVP_CIPHER_CTX_new() else { throw .missingAlgorithm("a cipher") }
        guard EVP_EncryptInit_ex2(context, cipher, nil, nil, nil) == 1 else {
            EVP_CIPHER_CTX_free(context)
            throw .missingAlgorithm("ChaCha20-Poly1305")
        }
        self.context = context
        nonce = .allocate(capacity: 12)
        nonce.initialize(repeating: 0, count: 12)
    }

    deinit {
        nonce.deallocate()
        EVP_CIPHER_CTX_free(context)
    }

    /// Encrypts `count` bytes in place and puts the tag of 16 bytes behind them.
    package func seal(
        key: UnsafeRawPointer, counter: UInt64, buffer: UnsafeMutableRawPointer, count: Int
    ) {
        setCounter(counter)
        seal(
            key: key, nonce: nonce, additional: UnsafeRawBufferPointer(start: nil, count: 0),
            buffer: buffer, count: count)
    }

    /// Decrypts `count` bytes in place, tag included, and tells whether they are authentic.
    ///
    /// What the buffer holds after false is not the plain text of anybody.
    package func open(
        key: UnsafeRawPointer, counter: UInt64, buffer: UnsafeMutableRawPointer, count: Int
    ) -> Bool {
        setCounter(counter)
        return open(
            key: key, nonce: nonce, additional: UnsafeRawBufferPointer(start: nil, count: 0),
            buffer: buffer, count: count)
    }

    /// Like the other `seal`, with a nonce of 12 bytes and bytes that only the tag covers.
    package func seal(
        key: UnsafeRawPointer, nonce: UnsafeRawPointer, additional: UnsafeRawBufferPointer,
        buffer: UnsafeMutableRawPointer, count: Int
    ) {
        let text = buffer.assumingMemoryBound(to: UInt8.self)
        let extra = additional.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var written: CInt = 0
        let isDone =
            EVP_EncryptInit_ex2(
                context, nil, key.assumingMemoryBound(to: UInt8.self),
                nonce.assumingMemoryBound(to: UInt8.self), nil) == 1
            && (additional.isEmpty
                || EVP_EncryptUpdate(context, nil, &written, extra, CInt(additional.count)) == 1)
            && EVP_EncryptUpdate(context, text, &written, text, CInt(count)) == 1
            && EVP_EncryptFinal_ex(context, text + count, &written) == 1
            && EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, CInt(sealedTagCount), buffer + count) == 1
        precondition(isDone)
    }

    /// Like the other `open`, with a nonce of 12 bytes and bytes that only the tag covers.
    package func open(
        key: UnsafeRawPointer, nonce: UnsafeRawPointer, additional: UnsafeRawBufferPointer,
        buffer: UnsafeMutableRawPointer, count: Int
    ) -> Bool {
        guard count >= sealedTagCount else { return false }
        let textCount = count - sealedTagCount
        let text = buffer.assumingMemoryBound(to: UInt8.self)
        let extra = additional.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var written: CInt = 0
        return
            EVP_DecryptInit_ex2(
                context, nil, key.assumingMemoryBound(to: UInt8.self),
                nonce.assumingMemoryBound(to: UInt8.self), nil) == 1
            && EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_SET_TAG, CInt(sealedTagCount), buffer + textCount) == 1
            && (additional.isEmpty
                || EVP_DecryptUpdate(context, nil, &written, extra, CInt(additional.count)) == 1)
            && EVP_DecryptUpdate(context, text, &written, text, CInt(textCount)) == 1
            && EVP_DecryptFinal_ex(context, text + textCount, &written) == 1
    }

    private func setCounter(_ counter: UInt64) {
        UnsafeMutableRawPointer(nonce).storeBytes(
            of: counter.littleEndian, toByteOffset: 4, as: UInt64.self)
    }
}
