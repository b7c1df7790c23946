#ifndef CIPSECMB_H
#define CIPSECMB_H

#include <intel-ipsec-mb.h>
#include <stdbool.h>

// A job is a structure of anonymous unions, and the manager holds 256 of them in an array:
// neither arrives in Swift in a form that could be filled in without copies.

// A manager set up for this processor; NULL when the processor lacks what the library needs
// or a self-test of the library fails.
static inline IMB_MGR *ut_ipsecmb_create(void) {
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (!manager) return NULL;
    init_mb_mgr_auto(manager, NULL);
    if (imb_get_errno(manager) != 0 || !manager->submit_job_nocheck) {
        free_mb_mgr(manager);
        return NULL;
    }
    return manager;
}

// Runs ChaCha20-Poly1305 in place. Whether it was done; of a tag it only says what it is.
static inline bool ut_ipsecmb_chacha20_poly1305(
    IMB_MGR *manager, bool encrypt, const void *key, const void *nonce,
    const void *additional, uint64_t additional_count, void *data, uint64_t count, void *tag) {
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    job->cipher_direction = encrypt ? IMB_DIR_ENCRYPT : IMB_DIR_DECRYPT;
    job->chain_order = encrypt ? IMB_ORDER_CIPHER_HASH : IMB_ORDER_HASH_CIPHER;
    job->enc_keys = key;
    job->dec_keys = key;
    job->key_len_in_bytes = 32;
    job->iv = (const uint8_t *)nonce;
    job->iv_len_in_bytes = 12;
    job->src = (const uint8_t *)data;
    job->dst = (uint8_t *)data;
    job->cipher_start_src_offset_in_bytes = 0;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = count;
    job->msg_len_to_hash_in_bytes = count;
    job->u.CHACHA20_POLY1305.aad = additional;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = additional_count;
    job->auth_tag_output = (uint8_t *)tag;
    job->auth_tag_output_len_in_bytes = 16;
    // Of all ciphers of the library this one is done when it has been submitted; a version
    // that keeps jobs back to run several at once would give this one out when flushed.
    job = IMB_SUBMIT_JOB_NOCHECK(manager);
    if (!job) job = IMB_FLUSH_JOB(manager);
    return job && job->status == IMB_STATUS_COMPLETED;
}

#endif
