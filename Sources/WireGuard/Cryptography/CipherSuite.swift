internal import CCrypto

/// The algorithms in the name `Noise_IKpsk2_25519_ChaChaPoly_BLAKE2s`, for the use of one thread.
///
/// All objects of libcrypto are looked up once and used again. What fails after that is an
/// argument of ours or the last byte of memory, and ends the process rather than a key.
package final class CipherSuite {
    /// How many bytes a BLAKE2s hash, and so a chaining key, has.
    package static let hashCount = 32

    /// How many bytes a MAC has.
    package static let macCount = 16

    let cipher: PacketCipher
    let digest: OpaquePointer
    let digestContext: OpaquePointer
    let macContext: OpaquePointer

    /// Looks the algorithms up.
    package init() throws(CryptographyError) {
        _ = Self.isInitialized
        cipher = try PacketCipher()
        guard let digest = EVP_MD_fetch(nil, "BLAKE2S-256", nil) else {
            throw .missingAlgorithm("BLAKE2S-256")
        }
        guard let digestContext = EVP_MD_CTX_new() else {
            EVP_MD_free(digest)
            throw .missingAlgorithm("a digest")
        }
        guard let macContext = ut_blake2s_mac_context(Self.macCount) else {
            EVP_MD_CTX_free(digestContext)
            EVP_MD_free(digest)
            throw .missingAlgorithm("BLAKE2SMAC")
        }
        self.digest = digest
        self.digestContext = digestContext
        self.macContext = macContext
        guard let key = EVP_PKEY_CTX_new_from_name(nil, "X25519", nil) else {
            throw .missingAlgorithm("X25519")
        }
        EVP_PKEY_CTX_free(key)
    }

    deinit {
        EVP_MAC_CTX_free(macContext)
        EVP_MD_CTX_free(digestContext)
        EVP_MD_free(digest)
    }

    /// Once for the process: libcrypto reads no file of settings, which no peer would know of,
    /// and keeps its copies of private keys, one or two at a time, in locked memory that no
    /// dump has.
    private static let isInitialized =
        OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1
        && CRYPTO_secure_malloc_init(16384, 32) > 0
}
