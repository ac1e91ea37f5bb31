/* SPDX-License-Identifier: Apache-2.0
 * key.c -- what equations are found by, in one walk over their parameters. */
#include "ir/key.h"
#include "base/hash.h"
#include "ir/prim.h"
#include <string.h>

#define FIELD(type, base, field) (*(const type *)((const char *)(base) + (field)->offset))

static bool key_list(kni_key *k, kni_ints list, bool extents)
{
    size_t n = list.n > 0 ? (size_t)list.n : 0;
    if (!KN_VEC_RESERVE(&k->word, n + 1) || !KN_VEC_RESERVE(&k->extent, n))
        return false;
    int64_t *word = (int64_t *)k->word.at + k->word.n, *to = extents ? k->extent.at + k->extent.n : word + 1;
    *word = (int64_t)n;
    for (size_t i = 0; i < n; i++)
        to[i] = list.v[i];
    k->word.n += extents ? 1 : n + 1;
    k->extent.n += extents ? n : 0;
    return true;
}

static uint64_t places(uint64_t h, const kni_param_field *f, const void *params)
{
    kni_jaxprs inner = kni_field_jaxprs(f, params);
    for (int k = 0; k < inner.n; k++)
        for (uint32_t i = 0; i < inner.v[k]->n_eqn; i++) {
            const kni_eqn *e = &inner.v[k]->eqn[i];
            h = knx_hash_mix(h, (uint64_t)(uintptr_t)e->place);
            for (const kni_param_field *g = e->prim->fields; g && g->name; g++)
                h = places(h, g, e->params);
        }
    return h;
}

KNX_HOT bool kni_key_params(kni_key *k, const kni_prim *p, const void *params)
{
    if (!params)
        return true;
    for (const kni_param_field *f = p->fields; f && f->name; f++) {
        uint64_t word = 0;
        bool extents = f->flags & KN_PF_EXTENTS;
        if (f->flags & (KN_PF_NAME | KN_PF_DERIVED))
            continue;
        switch (f->kind) {
        case KN_P_INTS:
            if (!key_list(k, FIELD(kni_ints, params, f), extents))
                return false;
            continue;
        case KN_P_INT:
            if (extents && !KN_VEC_PUSH(&k->extent, FIELD(int64_t, params, f)))
                return false;
            word = extents ? 0 : (uint64_t)FIELD(int64_t, params, f);
            break;
        case KN_P_ENUM: word = (uint64_t)FIELD(int64_t, params, f); break;
        case KN_P_BOOL: word = FIELD(bool, params, f); break;
        case KN_P_DTYPE: word = (uintptr_t)FIELD(kn_dtype, params, f); break;
        case KN_P_DOUBLE: memcpy(&word, &FIELD(double, params, f), sizeof word); break;
        case KN_P_MESH: word = (uintptr_t)FIELD(kni_mesh *, params, f); break;
        case KN_P_SHARDING: word = (uintptr_t)FIELD(kni_sharding *, params, f); break;
        case KN_P_TEXT: continue;
        case KN_P_DOUBLES:
        case KN_P_STRING:
        case KN_P_JAXPR:
        case KN_P_JAXPRS:
        case KN_P_THUNK:
        case KN_P_NAMES:
        case KN_P_SHARDINGS:
            word = kni_field_hash(f, params, 0);
            word = k->fuse ? word : places(word, f, params);
            k->loose = true;
            break;
        }
        if (!KN_VEC_PUSH(&k->word, word))
            return false;
    }
    return true;
}

static bool same(const void *a, size_t n, const void *b, size_t m)
{
    return n == m && (!n || !memcmp(a, b, n * sizeof(uint64_t)));
}

KNX_HOT bool kni_key_same_words(const kni_key *a, const kni_key *b)
{
    return same(a->word.at, a->word.n, b->word.at, b->word.n);
}

KNX_HOT bool kni_key_same_extents(const kni_key *a, const kni_key *b)
{
    return same(a->extent.at, a->extent.n, b->extent.at, b->extent.n);
}

KNX_HOT uint64_t kni_key_hash(const kni_key *k)
{
    uint64_t first = 11, second = 12, third = 13;
    const uint64_t *w = k->word.at, *end = w + k->word.n;
    for (; end - w >= 3; w += 3) { /* three at a time: each waits for the one before it */
        first = knx_hash_mix(first, w[0]);
        second = knx_hash_mix(second, w[1]);
        third = knx_hash_mix(third, w[2]);
    }
    for (; w < end; w++)
        first = knx_hash_mix(first, *w);
    return knx_hash_mix(knx_hash_mix(first, second), third);
}

bool kni_key_copy(const kni_key *k, kni_key *out)
{
    *out = (kni_key){.loose = k->loose};
    if (!KN_VEC_RESERVE(&out->word, k->word.n) || !KN_VEC_RESERVE(&out->extent, k->extent.n)) {
        kni_key_free(out);
        return false;
    }
    if ((out->word.n = k->word.n))
        memcpy(out->word.at, k->word.at, k->word.n * sizeof *k->word.at);
    if ((out->extent.n = k->extent.n))
        memcpy(out->extent.at, k->extent.at, k->extent.n * sizeof *k->extent.at);
    return true;
}

void kni_key_free(kni_key *k)
{
    KN_VEC_FREE(&k->word);
    KN_VEC_FREE(&k->extent);
}

size_t kni_key_bytes(const kni_key *k)
{
    return k->word.cap * sizeof *k->word.at + k->extent.cap * sizeof *k->extent.at;
}
