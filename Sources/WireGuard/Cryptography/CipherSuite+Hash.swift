internal import CCrypto

extension CipherSuite {
    /// BLAKE2s-256 of one text after the other, written to the 32 bytes at `hash`.
    func hash(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        into hash: UnsafeMutableRawPointer
    ) {
        let isDone =
            EVP_DigestInit_ex2(digestContext, digest, nil) == 1
            && EVP_DigestUpdate(digestContext, first.baseAddress, first.count) == 1
            && EVP_DigestUpdate(digestContext, second.baseAddress, second.count) == 1
            && EVP_DigestFinal_ex(digestContext, hash.assumingMemoryBound(to: UInt8.self), nil) == 1
        precondition(isDone)
    }

    /// BLAKE2s-256 of a label and the text behind it, written to the 32 bytes at `hash`.
    func hash(
        label: StaticString,
        _ text: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        into hash: UnsafeMutableRawPointer
    ) {
        label.withUTF8Buffer { self.hash(UnsafeRawBufferPointer($0), text, into: hash) }
    }

    /// HMAC (RFC 2104) with BLAKE2s-256, written to the 32 bytes at `code`.
    ///
    /// Not libcrypto's, which looks the digest up by its name each time it gets a key.
    func authenticationCode(
        key: borrowing SecretKey, _ text: UnsafeRawBufferPointer, into code: UnsafeMutableRawPointer
    ) {
        let blockCount = 64
        let keyBytes = key.bytes
        withUnsafeTemporaryAllocation(byteCount: blockCount + Self.hashCount, alignment: 16) {
            scratch in
            let pad = UnsafeMutableRawBufferPointer(rebasing: scratch[..<blockCount])
            let inner = UnsafeMutableRawBufferPointer(rebasing: scratch[blockCount...])
            guard let innerStart = inner.baseAddress else { return }
            for index in pad.indices { pad[index] = 0x36 }
            for index in keyBytes.indices { pad[index] ^= keyBytes[index] }
            hash(UnsafeRawBufferPointer(pad), text, into: innerStart)
            for index in pad.indices { pad[index] ^= 0x36 ^ 0x5c }
            hash(UnsafeRawBufferPointer(pad), UnsafeRawBufferPointer(inner), into: code)
            OPENSSL_cleanse(scratch.baseAddress, scratch.count)
        }
    }

    /// KDF1, KDF2 or KDF3 of the WireGuard paper (section 5.4), by how many keys are asked for.
    ///
    /// A result may be written over the chaining key.
    func deriveKeys(
        chainingKey: borrowing SecretKey, input: UnsafeRawBufferPointer,
        _ first: borrowing SecretKey
    ) {
        let root = SecretKey()
        authenticationCode(key: chainingKey, input, into: root.storage)
        expand(root, after: nil, ordinal: 1, into: first)
    }

    /// KDF2.
    func deriveKeys(
        chainingKey: borrowing SecretKey, input: UnsafeRawBufferPointer,
        _ first: borrowing SecretKey, _ second: borrowing SecretKey
    ) {
        let root = SecretKey()
        authenticationCode(key: chainingKey, input, into: root.storage)
        expand(root, after: nil, ordinal: 1, into: first)
        expand(root, after: first.storage, ordinal: 2, into: second)
    }

    /// KDF3.
    func deriveKeys(
        chainingKey: borrowing SecretKey, input: UnsafeRawBufferPointer,
        _ first: borrowing SecretKey, _ second: borrowing SecretKey, _ third: borrowing SecretKey
    ) {
        let root = SecretKey()
        authenticationCode(key: chainingKey, input, into: root.storage)
        expand(root, after: nil, ordinal: 1, into: first)
        expand(root, after: first.storage, ordinal: 2, into: second)
        expand(root, after: second.storage, ordinal: 3, into: third)
    }

    private func expand(
        _ root: borrowing SecretKey, after previous: UnsafeMutableRawPointer?, ordinal: UInt8,
        into key: borrowing SecretKey
    ) {
        let previousCount = previous == nil ? 0 : Self.hashCount
        withUnsafeTemporaryAllocation(byteCount: previousCount + 1, alignment: 1) { text in
            if let previous {
                text.copyMemory(
                    from: UnsafeRawBufferPointer(start: previous, count: previousCount))
            }
            text[previousCount] = ordinal
            authenticationCode(key: root, UnsafeRawBufferPointer(text), into: key.storage)
            OPENSSL_cleanse(text.baseAddress, text.count)
        }
    }

    /// BLAKE2s keyed with 16 or 32 bytes, written to the 16 bytes at `code`.
    func mac(
        key: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer,
        into code: UnsafeMutableRawPointer
    ) {
        var written = 0
        let isDone =
            EVP_MAC_init(
                macContext, key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count, nil)
            == 1
            && EVP_MAC_update(
                macContext, text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count) == 1
            && EVP_MAC_final(
                macContext, code.assumingMemoryBound(to: UInt8.self), &written, Self.macCount) == 1
        precondition(isDone && written == Self.macCount)
    }
}
