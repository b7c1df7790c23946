#ifndef CCRYPTO_H
#define CCRYPTO_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

// An OSSL_PARAM keeps the pointers it is made of, to its name even: Swift has none of a string
// or a variable that would outlast the call that makes it.

// The X25519 key of both halves, without the computation of the public one; NULL when that
// could not be done.
static inline EVP_PKEY *ut_x25519_key_pair(const void *private_key, const void *public_key) {
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)private_key, 32),
        OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)public_key, 32),
        OSSL_PARAM_END,
    };
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "X25519", NULL);
    if (context && EVP_PKEY_fromdata_init(context) == 1)
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, (OSSL_PARAM *)parameters);
    EVP_PKEY_CTX_free(context);
    return key;
}

// A context for keyed BLAKE2s with codes of so many bytes; NULL when libcrypto has none.
static inline EVP_MAC_CTX *ut_blake2s_mac_context(size_t count) {
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_size_t(OSSL_MAC_PARAM_SIZE, &count),
        OSSL_PARAM_END,
    };
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "BLAKE2SMAC", NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac);
    if (context && EVP_MAC_CTX_set_params(context, parameters) != 1) {
        EVP_MAC_CTX_free(context);
        return NULL;
    }
    return context;
}

#endif
