internal import CCrypto

extension CipherSuite {
    /// The X25519 public key of a private key.
    package func publicKey(of privateKey: borrowing SecretKey) -> PublicKey {
        let key = EVP_PKEY_new_raw_private_key_ex(
            nil, "X25519", nil, privateKey.bytePointer, SecretKey.byteCount)
        defer { EVP_PKEY_free(key) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: PublicKey.byteCount) {
            bytes in
            var count = bytes.count
            let isDone = EVP_PKEY_get_raw_public_key(key, bytes.baseAddress, &count) == 1
            guard isDone, let start = bytes.baseAddress else { preconditionFailure("X25519") }
            return PublicKey(start)
        }
    }

    /// X25519: writes what both sides share; false when that is zero, as with a key of low order.
    ///
    /// With the public key to the private one at hand, libcrypto need not compute it once more,
    /// which would take as long as all the rest.
    func agree(
        privateKey: borrowing SecretKey, publicKey: PublicKey, peer: PublicKey,
        into secret: borrowing SecretKey
    ) -> Bool {
        let secretBytes = privateKey.pointer
        let own = publicKey.withBytes { ut_x25519_key_pair(secretBytes, $0) }
        defer { EVP_PKEY_free(own) }
        let other = peer.withBytes {
            EVP_PKEY_new_raw_public_key_ex(
                nil, "X25519", nil, $0.assumingMemoryBound(to: UInt8.self), PublicKey.byteCount)
        }
        defer { EVP_PKEY_free(other) }
        let context = EVP_PKEY_CTX_new_from_pkey(nil, own, nil)
        defer { EVP_PKEY_CTX_free(context) }
        let isReady =
            EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, other) == 1
        precondition(isReady)
        var count = SecretKey.byteCount
        let bytes = secret.storage.assumingMemoryBound(to: UInt8.self)
        guard EVP_PKEY_derive(context, bytes, &count) == 1, count == SecretKey.byteCount else {
            return false
        }
        return !secret.matches(SecretKey())
    }
}
