/* SPDX-License-Identifier: Apache-2.0
 * sfc64.c -- SFC64, C. Doty-Humphrey's small fast chaotic generator: three words and a counter. */
#include "rng/bits.h"
#include <string.h>

static void fill(knrng_bits *g, size_t n, uint64_t *out)
{
    uint64_t a = g->sfc[0], b = g->sfc[1], c = g->sfc[2], counter = g->sfc[3];
    for (size_t i = 0; i < n; i++) {
        uint64_t sum = a + b + counter++;
        a = b ^ b >> 11;
        b = c + (c << 3);
        c = (c << 24 | c >> 40) + sum;
        out[i] = sum;
    }
    g->sfc[0] = a;
    g->sfc[1] = b;
    g->sfc[2] = c;
    g->sfc[3] = counter;
}

static void seed(knrng_bits *g, const knrng_seed *s)
{
    uint64_t skipped[12];
    knrng_seed_words64(s, 3, g->sfc);
    g->sfc[3] = 1;
    fill(g, 12, skipped);
}

static void get(const knrng_bits *g, kn_bit_generator_state *state) { memcpy(state->state, g->sfc, sizeof g->sfc); }

static void set(knrng_bits *g, const kn_bit_generator_state *state) { memcpy(g->sfc, state->state, sizeof g->sfc); }

const knrng_kind knrng_kind_sfc64 = {
    .name = "SFC64", .bytes = sizeof(uint64_t[4]), .seed = seed, .fill = fill, .get = get, .set = set};
