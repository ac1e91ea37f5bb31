/* SPDX-License-Identifier: Apache-2.0
 * philox.c -- Philox 4x64 of ten rounds, after J. Salmon and others: four words are a counter that is enciphered. */
#include "rng/bits.h"
#include <string.h>

enum { ROUNDS = 10 };
#define FACTOR_0 0xd2e7470ee14c6c93u
#define FACTOR_1 0xca5a826395121157u
#define BUMP_0   0x9e3779b97f4a7c15u
#define BUMP_1   0xbb67ae8584caa73bu

typedef struct block {
    uint64_t a, b, c, d;
} block;

static inline __attribute__((always_inline)) block round_of(block x, uint64_t k0, uint64_t k1)
{
    uint64_t high0, high1, low0 = knrng_multiply_words(FACTOR_0, x.a, &high0);
    uint64_t low1 = knrng_multiply_words(FACTOR_1, x.c, &high1);
    return (block){high1 ^ x.b ^ k0, low1, high0 ^ x.d ^ k1, low0};
}

static inline void store(block x, uint64_t out[4])
{
    out[0] = x.a;
    out[1] = x.b;
    out[2] = x.c;
    out[3] = x.d;
}

static void cipher(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4])
{
    block x = {counter[0], counter[1], counter[2], counter[3]};
    uint64_t k0 = key[0], k1 = key[1];
    for (int r = 0; r < ROUNDS; r++, k0 += BUMP_0, k1 += BUMP_1)
        x = round_of(x, k0, k1);
    store(x, out);
}

/* Two counters at a time: each product waits for the one before it. */
static void cipher_two(const uint64_t counter[2][4], const uint64_t key[2], uint64_t out[8])
{
    block x = {counter[0][0], counter[0][1], counter[0][2], counter[0][3]};
    block y = {counter[1][0], counter[1][1], counter[1][2], counter[1][3]};
    uint64_t k0 = key[0], k1 = key[1];
    for (int r = 0; r < ROUNDS; r++, k0 += BUMP_0, k1 += BUMP_1) {
        x = round_of(x, k0, k1);
        y = round_of(y, k0, k1);
    }
    store(x, out);
    store(y, out + 4);
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
    for (uint64_t two[2][4]; n - i > 8; i += 8) {
        add(p->counter, one);
        memcpy(two[0], p->counter, sizeof two[0]);
        add(p->counter, one);
        memcpy(two[1], p->counter, sizeof two[1]);
        cipher_two((const uint64_t(*)[4])two, p->key, out + i);
    }
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
    .block = 4,
    .seed = seed,
    .fill = fill,
    .advance = advance,
    .jump = jump,
    .get = get,
    .set = set,
};
