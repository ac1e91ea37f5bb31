/* SPDX-License-Identifier: Apache-2.0
 * mt19937.c -- MT19937, M. Matsumoto and T. Nishimura's Mersenne twister: 624 words of 32 bits that make the next
 * 624. */
#include "rng/bits.h"
#include "rng/functions.h"
#include "rng/tables.h"
#include <string.h>

enum { N = KNRNG_MT_WORDS, M = 397 };
#define UPPER 0x80000000u
#define LOWER 0x7fffffffu

static inline uint32_t twisted(uint32_t this, uint32_t next, uint32_t far)
{
    uint32_t y = (this & UPPER) | (next & LOWER);
    return far ^ y >> 1 ^ (-(y & 1) & 0x9908b0dfu);
}

static void fill32(knrng_bits *g, size_t n, uint32_t *out)
{
    knrng_mt *mt = &g->mt;
    const knrng_fills *fills = knrng_function()->fills;
    for (size_t i = 0; i < n;) {
        if (mt->position >= N) {
            fills->twist(mt->key);
            mt->position = 0;
        }
        size_t here = (size_t)(N - mt->position) < n - i ? (size_t)(N - mt->position) : n - i;
        fills->temper(mt->key + mt->position, here, out + i);
        mt->position += (int)here;
        i += here;
    }
}

static void fill(knrng_bits *g, size_t n, uint64_t *out)
{
    uint32_t half[128] = {0};
    for (size_t i = 0; i < n; i += 64) {
        size_t count = n - i < 64 ? n - i : 64;
        fill32(g, 2 * count, half);
        for (size_t j = 0; j < count; j++)
            out[i + j] = (uint64_t)half[2 * j] << 32 | half[2 * j + 1];
    }
}

static void seed(knrng_bits *g, const knrng_seed *s)
{
    knrng_seed_words(s, N, g->mt.key);
    g->mt.key[0] = UPPER;
    g->mt.position = N - 1; /* as in NumPy, where a loop's variable is left there */
}

void knrng_mt_seed(knrng_mt *mt, uint32_t seed)
{
    for (uint32_t i = 0; i < N; i++) {
        mt->key[i] = seed;
        seed = 1812433253u * (seed ^ seed >> 30) + i + 1;
    }
    mt->position = N;
}

/* One word of the key is changed by the one before it; the last one is put in front of the first. */
static uint32_t stir(uint32_t *key, uint32_t i, uint32_t factor, uint32_t add)
{
    key[i] = (key[i] ^ (key[i - 1] ^ key[i - 1] >> 30) * factor) + add;
    if (++i < N)
        return i;
    key[0] = key[N - 1];
    return 1;
}

void knrng_mt_seed_words(knrng_mt *mt, const uint32_t *word, size_t n)
{
    knrng_mt_seed(mt, 19650218u);
    uint32_t i = 1;
    size_t j = 0;
    for (size_t k = n > N ? n : N; k; k--) {
        i = stir(mt->key, i, 1664525u, word[j] + (uint32_t)j);
        j = j + 1 < n ? j + 1 : 0;
    }
    for (int k = N - 1; k; k--)
        i = stir(mt->key, i, 1566083941u, -i);
    mt->key[0] = UPPER;
}

void knrng_legacy_seed(kna_op *op, knrng_bits *g, kn_array seed_array)
{
    knrng_mt *mt = &g->mt;
    if (!seed_array) {
        knrng_seed *s = knrng_seed_of(op, NULL);
        if (!s)
            return;
        knrng_seed_words(s, N, mt->key);
        mt->key[0] = UPPER;
        knrng_seed_release(s);
    } else {
        size_t n = 0;
        kni_type t = kna_type(op, seed_array);
        if (!kna_failed(op) && kni_type_size(t) == 0)
            kna_fail(op, KN_ERROR_VALUE, "Seed must be non-empty");
        else if (!kna_failed(op) && !knx_is_integer(t.dtype) && t.dtype->kind != KN_KIND_BOOL)
            kna_fail(op, KN_ERROR_TYPE,
                     "Cannot cast scalar from dtype('%s') to dtype('int64') according to the rule 'safe'",
                     t.dtype->name);
        else if (!kna_failed(op) && t.ndim > 1 && kni_type_size(t) > 1)
            kna_fail(op, KN_ERROR_VALUE, "Seed array must be 1-d");
        const char *at = kna_failed(op) ? NULL : kna_look(op, seed_array, &t);
        n = at ? (size_t)kni_type_size(t) : 0;
        uint32_t *word = at ? knx_alloc(n * sizeof *word) : NULL;
        if (at && !word)
            kna_fail_with(op, knx_error_nomem());
        for (size_t i = 0; word && i < n; i++) {
            uint64_t v;
            knx_convert(t.dtype, at + i * t.dtype->size, t.dtype->kind == KN_KIND_UINT ? KN_DT(U64) : KN_DT(I64), &v);
            if (v >> 32 && !kna_failed(op))
                kna_fail(op, KN_ERROR_VALUE, "Seed must be between 0 and 2**32 - 1");
            word[i] = (uint32_t)v;
        }
        if (word && !kna_failed(op) && n == 1)
            knrng_mt_seed(mt, word[0]);
        else if (word && !kna_failed(op))
            knrng_mt_seed_words(mt, word, n);
        knx_free(word);
    }
    if (!kna_failed(op)) {
        knrng_seed_release(g->seed);
        g->seed = NULL;
    }
}

/* ---- Jumps: the state 2^128 words ahead is a polynomial of the step, applied to the state by Horner's rule. */

typedef struct ring {
    uint32_t key[N];
    int at; /* where the oldest word lies */
} ring;

static void turn(ring *r)
{
    int i = r->at, next = i + 1 < N ? i + 1 : 0, far = i + M < N ? i + M : i + M - N;
    r->key[i] = twisted(r->key[i], r->key[next], r->key[far]);
    r->at = next;
}

static void add(ring *r, const ring *s)
{
    for (int k = 0, i = r->at, j = s->at; k < N; k++) {
        r->key[i] ^= s->key[j];
        i = i + 1 < N ? i + 1 : 0;
        j = j + 1 < N ? j + 1 : 0;
    }
}

static void jump(knrng_bits *g, int64_t jumps)
{
    for (int64_t k = 0; k < jumps; k++) {
        ring start = {.at = g->mt.position >= N ? 0 : g->mt.position}, r;
        memcpy(start.key, g->mt.key, sizeof start.key);
        int i = 32 * N - 1;
        while (!(knrng_mt_jump[i / 32] >> i % 32 & 1))
            i--;
        for (r = start; i > 0;) {
            turn(&r);
            i--;
            if (knrng_mt_jump[i / 32] >> i % 32 & 1)
                add(&r, &start);
        }
        memcpy(g->mt.key, r.key, sizeof r.key);
        g->mt.position = r.at;
    }
}

static void get(const knrng_bits *g, kn_bit_generator_state *state)
{
    memcpy(state->mt_key, g->mt.key, sizeof g->mt.key);
    state->mt_pos = g->mt.position;
}

static void set(knrng_bits *g, const kn_bit_generator_state *state)
{
    memcpy(g->mt.key, state->mt_key, sizeof g->mt.key);
    g->mt.position = state->mt_pos;
}

const knrng_kind knrng_kind_mt19937 = {
    .name = "MT19937",
    .pairs = true,
    .bytes = sizeof(knrng_mt),
    .seed = seed,
    .fill = fill,
    .fill32 = fill32,
    .jump = jump,
    .get = get,
    .set = set,
};
