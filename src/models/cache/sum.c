/* SPDX-License-Identifier: Apache-2.0
 * sum.c -- SHA-256, by OpenSSL's libcrypto. */
#include "models/cache/cache.h"
#include <stdlib.h>

#if KN_HAVE_CRYPTO
#include <openssl/evp.h>

struct kncache_hash {
    EVP_MD_CTX *context;
    bool failed;
};

bool kncache_can_hash(void) { return true; }

kncache_hash *kncache_hash_begin(void)
{
    kncache_hash *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    h->context = EVP_MD_CTX_new();
    if (!h->context) {
        free(h);
        return NULL;
    }
    h->failed = EVP_DigestInit_ex(h->context, EVP_sha256(), NULL) != 1;
    return h;
}

void kncache_hash_add(kncache_hash *h, const void *bytes, size_t n)
{
    h->failed = h->failed || EVP_DigestUpdate(h->context, bytes, n) != 1;
}

bool kncache_hash_end(kncache_hash *h, kncache_sum *sum)
{
    static const char digit[] = "0123456789abcdef";
    unsigned char v[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (!h)
        return false;
    bool ok = !h->failed && EVP_DigestFinal_ex(h->context, v, &n) == 1 && n == KNCACHE_DIGITS / 2;
    for (unsigned i = 0; ok && sum && i < n; i++) {
        sum->hex[2 * i] = digit[v[i] >> 4];
        sum->hex[2 * i + 1] = digit[v[i] & 15];
    }
    if (sum)
        sum->hex[KNCACHE_DIGITS] = '\0';
    EVP_MD_CTX_free(h->context);
    free(h);
    return ok;
}
#else
bool kncache_can_hash(void) { return false; }
kncache_hash *kncache_hash_begin(void) { return NULL; }
void kncache_hash_add(kncache_hash *h, const void *bytes, size_t n) { (void)h, (void)bytes, (void)n; }
bool kncache_hash_end(kncache_hash *h, kncache_sum *sum) { return (void)h, (void)sum, false; }
#endif

bool kncache_sum_of(const void *bytes, size_t n, kncache_sum *sum)
{
    kncache_hash *h = kncache_hash_begin();
    if (h)
        kncache_hash_add(h, bytes, n);
    return kncache_hash_end(h, sum);
}
