/* SPDX-License-Identifier: Apache-2.0
 * philox.c -- Philox 4x64 of ten rounds, after J. Salmon and others: four words are a counter that is enciphered. */
#include "rng/bits.h"
#include <string.h>

enum { ROUNDS = 10 };
#define FACTOR_0 0xd2e7470ee14c6c93u
#define FACTOR_1 0xca5a826395121157u
#define BUMP_0   0x9e3779b97f4a7c15u
#define BUMP_1   0xbb67ae8584caa73bu

static inline void cipher(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4])
{
    uint64_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], k0 = key[0], k1 = key[1];
    for (int r = 0; r < ROUNDS; r++) {
        uint64_t high0, high1, low0 = knrng_multiply_words(FACTOR_0, a, &high0);
        uint64_t low1 = knrng_multiply_words(FACTOR_1, c, &high1);
        a = high1 ^ b ^ k0;
        b = low1;
        c = high0 ^ d ^ k1;
        d = low0;
        k0 += BUMP_0;
        k1 += BUMP_1;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

static void add(uint64_t counter[4], const uint64_t step[4])
{
    bool carry = false;
    for (int i = 0; i < 4; i++) {
        uint64_t sum = counter[i] + step[i], all = sum + carry;
        carry = sum < step[i] || all < sum;
        counter[i] = all;
    }
}

static void fill(knrng_bits *g, size_t n, uint64_t *out)
{
    static const uint64_t one[4] = {1};
    knrng_philox *p = &g->philox;
    size_t i = 0;
    while (i < n && p->position < 4)
        out[i++] = p->buffer[p->position++];
    for (; n - i > 4; i += 4) { /* the last ones stay in the buffer, which is a part of the state */
        add(p->counter, one);
        cipher(p->counter, p->key, out + i);
    }
    if (i < n) {
        add(p->counter, one);
        cipher(p->counter, p->key, p->buffer);
        for (p->position = 0; i < n;)
            out[i++] = p->buffer[p->position++];
    }
}

static void reset(knrng_bits *g)
{
    g->has_half = false;
    g->half = 0;
    g->philox.position = 4;
    memset(g->philox.buffer, 0, sizeof g->philox.buffer);
}

static void seed(knrng_bits *g, const knrng_seed *s)
{
    knrng_seed_words64(s, 2, g->philox.key);
    memset(g->philox.counter, 0, sizeof g->philox.counter);
    reset(g);
}

static void advance(knrng_bits *g, const uint64_t step[4])
{
    add(g->philox.counter, step);
    reset(g);
}

static void jump(knrng_bits *g, int64_t jumps)
{
    const uint64_t step[4] = {0, 0, (uint64_t)jumps, jumps < 0 ? UINT64_MAX : 0};
    advance(g, step);
}

static void get(const knrng_bits *g, kn_bit_generator_state *state)
{
    memcpy(state->counter, g->philox.counter, sizeof state->counter);
    memcpy(state->key, g->philox.key, sizeof state->key);
    memcpy(state->buffer, g->philox.buffer, sizeof state->buffer);
    state->buffer_pos = g->philox.position;
}

static void set(knrng_bits *g, const kn_bit_generator_state *state)
{
    memcpy(g->philox.counter, state->counter, sizeof state->counter);
    memcpy(g->philox.key, state->key, sizeof state->key);
    memcpy(g->philox.buffer, state->buffer, sizeof state->buffer);
    g->philox.position = state->buffer_pos;
}

const knrng_kind knrng_kind_philox = {
    .name = "Philox",
    .bytes = sizeof(knrng_philox),
    .seed = seed,
    .fill = fill,
    .advance = advance,
    .jump = jump,
    .get = get,
    .set = set,
};
