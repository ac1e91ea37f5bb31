/* SPDX-License-Identifier: Apache-2.0
 * seed.c -- seed sequences (np.random.SeedSequence, after M. E. O'Neill's seed_seq_fe).
 *
 * Words of entropy are hashed into a pool of words, each pool word is mixed into each other one, and further entropy
 * into all of them. Words of a state are hashed again from the pool, round and round. */
#include "array/handle.h"
#include "base/clock.h"
#include "rng/seed.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { POOL = 4 };
#define INIT_A    0x43b0d7e5u
#define MULT_A    0x931e8875u
#define INIT_B    0x8b51f9ddu
#define MULT_B    0x58f38dedu
#define MIX_LEFT  0xca01f9ddu
#define MIX_RIGHT 0x4973f715u

static uint32_t hash(uint32_t value, uint32_t *constant, uint32_t factor)
{
    value ^= *constant;
    *constant *= factor;
    value *= *constant;
    return value ^ value >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y)
{
    uint32_t r = MIX_LEFT * x - MIX_RIGHT * y;
    return r ^ r >> 16;
}

/* ---- Entropy. */

static void from_system(uint32_t *word, size_t n)
{
    FILE *f = fopen("/dev/urandom", "rb");
    size_t got = f ? fread(word, sizeof *word, n, f) : 0;
    if (f)
        fclose(f);
    if (got == n)
        return;
    static atomic_uint calls; /* without a source of the system: the time, an address and a count, mixed later */
    uint64_t t = (uint64_t)knx_nanoseconds(), a = (uint64_t)(uintptr_t)&f;
    for (size_t i = 0; i < n; i++)
        word[i] = (uint32_t)(t >> (i % 2 * 32)) ^ (uint32_t)(a >> (i / 2 % 2 * 32)) * 0x9e3779b1u ^
                  atomic_fetch_add(&calls, 1) << 16;
}

/* The words of integers, each as few as it needs, one at least. `out` NULL: only counts. */
static size_t words_of(const uint64_t *v, size_t n, uint32_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (int half = 0; half < 1 + (v[i] >> 32 != 0); half++, count++)
            if (out)
                out[count] = (uint32_t)(v[i] >> half * 32);
    return count;
}

static void fill_pool(knrng_seed *s, const uint32_t *word, size_t n)
{
    uint32_t constant = INIT_A, *pool = s->pool;
    size_t size = s->pool_size;
    for (size_t i = 0; i < size; i++)
        pool[i] = hash(i < n ? word[i] : 0, &constant, MULT_A);
    for (size_t from = 0; from < size; from++)
        for (size_t to = 0; to < size; to++)
            if (from != to)
                pool[to] = mix(pool[to], hash(pool[from], &constant, MULT_A));
    for (size_t from = size; from < n; from++)
        for (size_t to = 0; to < size; to++)
            pool[to] = mix(pool[to], hash(word[from], &constant, MULT_A));
}

static knx_error *mix_entropy(knrng_seed *s)
{
    size_t run = words_of(s->entropy, s->n_entropy, NULL), key = words_of(s->spawn_key, s->n_spawn_key, NULL);
    size_t padded = key && run < s->pool_size ? s->pool_size : run; /* so that no key looks like entropy */
    uint32_t *word = knx_alloc_zero((padded + key + 1) * sizeof *word);
    if (!word)
        return knx_error_nomem();
    words_of(s->entropy, s->n_entropy, word);
    words_of(s->spawn_key, s->n_spawn_key, word + padded);
    fill_pool(s, word, padded + key);
    knx_free(word);
    return NULL;
}

knx_error *knrng_seed_new(const uint64_t *entropy, size_t n_entropy, bool is_number, const uint64_t *spawn_key,
                          size_t n_spawn_key, uint32_t pool_size, knrng_seed **out)
{
    size_t n = entropy ? n_entropy : pool_size;
    size_t integers = (n + n_spawn_key) * sizeof(uint64_t);
    knrng_seed *s = knx_alloc_zero(sizeof *s + integers + pool_size * sizeof *s->pool);
    if (!s)
        return knx_error_nomem();
    *s = (knrng_seed){.refs = 1,
                      .is_number = is_number && entropy,
                      .n_entropy = n,
                      .n_spawn_key = n_spawn_key,
                      .pool_size = pool_size};
    s->entropy = (uint64_t *)(s + 1);
    s->spawn_key = s->entropy + n;
    s->pool = (uint32_t *)(s->spawn_key + n_spawn_key);
    if (entropy && n) {
        memcpy(s->entropy, entropy, n * sizeof *entropy);
    } else if (!entropy) {
        from_system(s->pool, pool_size);
        for (size_t i = 0; i < n; i++)
            s->entropy[i] = s->pool[i];
    }
    if (n_spawn_key)
        memcpy(s->spawn_key, spawn_key, n_spawn_key * sizeof *spawn_key);
    knx_error *e = mix_entropy(s);
    if (e)
        knx_free(s);
    else
        *out = s;
    return e;
}

knx_error *knrng_seed_child(knrng_seed *s, knrng_seed **out)
{
    size_t n = s->n_spawn_key;
    uint64_t *key = knx_alloc((n + 1) * sizeof *key);
    if (!key)
        return knx_error_nomem();
    if (n)
        memcpy(key, s->spawn_key, n * sizeof *key);
    key[n] = (uint64_t)s->n_children;
    knx_error *e = knrng_seed_new(s->entropy, s->n_entropy, s->is_number, key, n + 1, s->pool_size, out);
    knx_free(key);
    if (!e)
        s->n_children++;
    return e;
}

knrng_seed *knrng_seed_retain(knrng_seed *s)
{
    if (s)
        s->refs++;
    return s;
}

void knrng_seed_release(knrng_seed *s)
{
    if (s && --s->refs == 0)
        knx_free(s);
}

void knrng_seed_words(const knrng_seed *s, size_t n, uint32_t *out)
{
    uint32_t constant = INIT_B;
    for (size_t i = 0; i < n; i++)
        out[i] = hash(s->pool[i % s->pool_size], &constant, MULT_B);
}

void knrng_seed_words64(const knrng_seed *s, size_t n, uint64_t *out)
{
    uint32_t constant = INIT_B;
    for (size_t i = 0; i < n; i++) {
        uint64_t low = hash(s->pool[2 * i % s->pool_size], &constant, MULT_B);
        out[i] = low | (uint64_t)hash(s->pool[(2 * i + 1) % s->pool_size], &constant, MULT_B) << 32;
    }
}

/* ---- Arguments. */

uint64_t *knrng_integers_in(kna_op *op, kn_array x, size_t *n, bool *is_number)
{
    kni_type t = kna_type(op, x);
    if (kna_failed(op))
        return NULL;
    if (!knx_is_integer(t.dtype) && t.dtype->kind != KN_KIND_BOOL && kni_type_size(t)) {
        kna_fail(op, KN_ERROR_TYPE, "seed must be integer");
        return NULL;
    }
    const char *at = kna_look(op, x, &t);
    if (!at)
        return NULL;
    *n = (size_t)kni_type_size(t);
    *is_number = t.ndim == 0;
    uint64_t *v = knx_alloc(*n * sizeof *v + 1);
    if (!v)
        kna_fail_with(op, knx_error_nomem());
    for (size_t i = 0; v && i < *n; i++) {
        knx_convert(t.dtype, at + i * t.dtype->size, t.dtype->kind == KN_KIND_UINT ? KN_DT(U64) : KN_DT(I64), &v[i]);
        if (t.dtype->kind != KN_KIND_UINT && v[i] >> 63) {
            kna_fail(op, KN_ERROR_VALUE, "expected non-negative integer");
            knx_free(v);
            return NULL;
        }
    }
    return v;
}

static void drop_seed(void *p) { knrng_seed_release(p); }

kn_seed_sequence knrng_seed_handle(knrng_seed *s) { return kna_handle_new(KN_H_SEED_SEQUENCE, s, drop_seed); }

knrng_seed *knrng_seed_in(kna_op *op, kn_seed_sequence handle) { return kna_handle_in(op, KN_H_SEED_SEQUENCE, handle); }

knrng_seed *knrng_seed_of(kna_op *op, kn_array entropy)
{
    size_t n = 0;
    bool is_number = false;
    knrng_seed *s = NULL;
    uint64_t *v = entropy ? knrng_integers_in(op, entropy, &n, &is_number) : NULL;
    knx_error *e = kna_failed(op) ? NULL : knrng_seed_new(v, n, is_number, NULL, 0, POOL, &s);
    if (e)
        kna_fail_with(op, e);
    knx_free(v);
    return s;
}

kn_seed_sequence kn_SeedSequence(kn_array entropy, const kn_seed_sequence_opts *opts)
{
    kna_op op;
    kna_begin(&op, "SeedSequence");
    kn_seed_sequence_opts o = opts ? *opts : kn_seed_sequence_opts_default();
    size_t n = 0, n_key = 0;
    bool is_number = false, key_is_number = false;
    knrng_seed *s = NULL;
    if (o.pool_size < POOL)
        kna_fail(&op, KN_ERROR_VALUE, "The size of the entropy pool should be at least %d", POOL);
    else if (o.pool_size > INT32_MAX / 64)
        kna_fail(&op, KN_ERROR_VALUE, "pool_size is too large: %lld", (long long)o.pool_size);
    else if (o.n_children_spawned < 0)
        kna_fail(&op, KN_ERROR_VALUE, "n_children_spawned must be non-negative");
    uint64_t *v = entropy && !kna_failed(&op) ? knrng_integers_in(&op, entropy, &n, &is_number) : NULL;
    uint64_t *key =
        o.spawn_key && !kna_failed(&op) ? knrng_integers_in(&op, o.spawn_key, &n_key, &key_is_number) : NULL;
    knx_error *e = kna_failed(&op) ? NULL : knrng_seed_new(v, n, is_number, key, n_key, (uint32_t)o.pool_size, &s);
    if (e)
        kna_fail_with(&op, e);
    if (s)
        s->n_children = o.n_children_spawned;
    knx_free(v);
    knx_free(key);
    return kna_end_plain(&op) && s ? knrng_seed_handle(s) : NULL;
}

kn_array kn_seed_sequence_generate_state(kn_seed_sequence sequence, int64_t n_words,
                                         const kn_seed_sequence_generate_state_opts *opts)
{
    kna_op op;
    kna_begin(&op, "generate_state");
    knrng_seed *s = knrng_seed_in(&op, sequence);
    kn_dtype d = opts && opts->dtype ? opts->dtype : KN_DT(U32);
    if (d != KN_DT(U32) && d != KN_DT(U64))
        kna_fail(&op, KN_ERROR_VALUE, "only support uint32 or uint64");
    else if (n_words < 0)
        kna_fail(&op, KN_ERROR_VALUE, "negative dimensions are not allowed");
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = kni_type_of(d, 1, &n_words);
    knx_buffer *b = knx_buffer_new(kni_type_bytes(t));
    if (b && d == KN_DT(U32))
        knrng_seed_words(s, (size_t)n_words, b->data);
    else if (b)
        knrng_seed_words64(s, (size_t)n_words, b->data);
    return kna_from_buffer(&op, t, b);
}

int knrng_spawn(kna_op *op, void *parent, int n, void *children, knrng_make_child *make)
{
    if (n < 0)
        kna_fail(op, KN_ERROR_VALUE, "n_children must be non-negative");
    else if (n)
        kna_given_pointer(op, children, "children");
    for (int i = 0; i < n && !kna_failed(op); i++) {
        knx_error *e = make(parent, children, i);
        if (e)
            kna_fail_with(op, e);
    }
    return kna_end_plain(op) ? 0 : -1;
}

static knx_error *make_child(void *parent, void *children, int i)
{
    knrng_seed *child = NULL;
    kn_seed_sequence *to = (kn_seed_sequence *)children + i;
    *to = NULL;
    KN_TRY(knrng_seed_child(parent, &child));
    *to = knrng_seed_handle(child);
    return *to ? NULL : knx_error_nomem();
}

int kn_seed_sequence_spawn(kn_seed_sequence sequence, int n, kn_seed_sequence *children)
{
    kna_op op;
    kna_begin(&op, "spawn");
    return knrng_spawn(&op, knrng_seed_in(&op, sequence), n, children, make_child);
}

/* ---- What it was made of. */

static kn_array integers(kna_op *op, size_t n, const uint64_t *v, bool number)
{
    int64_t extent = (int64_t)n;
    kni_type t = kni_type_of(KN_DT(U64), number ? 0 : 1, &extent);
    knx_buffer *b = kna_failed(op) ? NULL : knx_buffer_new(n * sizeof *v);
    if (b && n)
        memcpy(b->data, v, n * sizeof *v);
    return kna_from_buffer(op, t, b);
}

kn_array kn_seed_sequence_entropy(kn_seed_sequence sequence)
{
    kna_op op;
    kna_begin(&op, "entropy");
    knrng_seed *s = knrng_seed_in(&op, sequence);
    return s ? integers(&op, s->n_entropy, s->entropy, s->is_number) : kna_end(&op, KN_ATOM_NONE);
}

kn_array kn_seed_sequence_spawn_key(kn_seed_sequence sequence)
{
    kna_op op;
    kna_begin(&op, "spawn_key");
    knrng_seed *s = knrng_seed_in(&op, sequence);
    return s ? integers(&op, s->n_spawn_key, s->spawn_key, false) : kna_end(&op, KN_ATOM_NONE);
}

kn_array kn_seed_sequence_pool(kn_seed_sequence sequence)
{
    kna_op op;
    kna_begin(&op, "pool");
    knrng_seed *s = knrng_seed_in(&op, sequence);
    if (!s)
        return kna_end(&op, KN_ATOM_NONE);
    int64_t n = s->pool_size;
    knx_buffer *b = knx_buffer_new(s->pool_size * sizeof *s->pool);
    if (b)
        memcpy(b->data, s->pool, s->pool_size * sizeof *s->pool);
    return kna_from_buffer(&op, kni_type_of(KN_DT(U32), 1, &n), b);
}

int64_t kn_seed_sequence_n_children_spawned(kn_seed_sequence sequence)
{
    kna_op op;
    kna_begin(&op, "n_children_spawned");
    knrng_seed *s = knrng_seed_in(&op, sequence);
    return kna_end_plain(&op) && s ? s->n_children : -1;
}

kn_seed_sequence_state kn_seed_sequence_get_state(kn_seed_sequence sequence)
{
    kna_op op;
    kn_seed_sequence_state state = {0};
    kna_begin(&op, "state");
    knrng_seed *s = knrng_seed_in(&op, sequence);
    if (kna_end_plain(&op) && s)
        state = (kn_seed_sequence_state){kn_seed_sequence_entropy(sequence), kn_seed_sequence_spawn_key(sequence),
                                         s->pool_size, s->n_children};
    return state;
}
