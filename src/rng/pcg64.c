/* SPDX-License-Identifier: Apache-2.0
 * pcg64.c -- PCG64 (XSL-RR) and PCG64DXSM, after M. E. O'Neill: a linear congruential generator of 128 bits, whose
 * state is scrambled to a word.
 *
 * Each state waits for the one before it, so long fills go through four series of every fourth state. */
#include "rng/bits.h"
#include "rng/functions.h"

static const knrng_word128 wide = {0x4385df649fccf645u, 0x2360ed051fc65da4u}; /* the factor of PCG64 */
static const knrng_word128 cheap = {0xda942042e4dd58b5u, 0};                  /* that of PCG64DXSM */
static const knrng_word128 one = {1, 0};
static const knrng_word128 jump = {0xf39cc0605cedc835u, 0x9e3779b97f4a7c15u}; /* the golden ratio of 2^128 */

static inline uint64_t turned(uint64_t v, unsigned by) { return v >> by | v << (-by & 63); }

static inline uint64_t xsl_rr(knrng_word128 s) { return turned(s.high ^ s.low, (unsigned)(s.high >> 58)); }

static inline uint64_t dxsm(knrng_word128 s)
{
    uint64_t high = s.high;
    high ^= high >> 32;
    high *= cheap.low;
    high ^= high >> 48;
    return high * (s.low | 1);
}

static inline knrng_word128 step(knrng_word128 s, knrng_word128 factor, knrng_word128 increment)
{
    return knrng_add(knrng_multiply(s, factor), increment);
}

/* `delta` steps at once: the composition of steps of powers of two. */
static knrng_word128 many_steps(knrng_word128 s, knrng_word128 factor, knrng_word128 increment, knrng_word128 delta)
{
    knrng_word128 f = one, c = {0, 0};
    while (delta.low | delta.high) {
        if (delta.low & 1) {
            f = knrng_multiply(f, factor);
            c = step(c, factor, increment);
        }
        increment = knrng_multiply(knrng_add(factor, one), increment);
        factor = knrng_multiply(factor, factor);
        delta.low = delta.low >> 1 | delta.high << 63;
        delta.high >>= 1;
    }
    return step(s, f, c);
}

enum { SERIES = 4 };

/* `before`: a word is made of the state before its step, not of the one behind it. */
static inline __attribute__((always_inline)) void fill(knrng_pcg *p, size_t n, uint64_t *out, knrng_word128 factor,
                                                       bool before)
{
    knrng_word128 s = p->state, c = p->increment;
    size_t i = 0;
    if (n >= 4 * SERIES) {
        knrng_word128 f2 = knrng_multiply(factor, factor), c2 = step(c, factor, c);
        knrng_word128 f4 = knrng_multiply(f2, f2), c4 = step(c2, f2, c2);
        knrng_word128 a = before ? s : step(s, factor, c), b = step(a, factor, c);
        knrng_word128 d = step(b, factor, c), e = step(d, factor, c);
        for (; i + SERIES <= n; i += SERIES) {
            out[i] = before ? dxsm(a) : xsl_rr(a);
            out[i + 1] = before ? dxsm(b) : xsl_rr(b);
            out[i + 2] = before ? dxsm(d) : xsl_rr(d);
            out[i + 3] = before ? dxsm(e) : xsl_rr(e);
            s = before ? a : e;
            a = step(a, f4, c4);
            b = step(b, f4, c4);
            d = step(d, f4, c4);
            e = step(e, f4, c4);
        }
        s = before ? a : s;
    }
    for (; i < n; i++) {
        knrng_word128 next = step(s, factor, c);
        out[i] = before ? dxsm(s) : xsl_rr(next);
        s = next;
    }
    p->state = s;
}

/* 2^doublings steps as one. */
static void join_steps(knrng_word128 *factor, knrng_word128 *increment, int doublings)
{
    for (int i = 0; i < doublings; i++) {
        *increment = step(*increment, *factor, *increment);
        *factor = knrng_multiply(*factor, *factor);
    }
}

static void fill_wide(knrng_bits *g, size_t n, uint64_t *out)
{
    const knrng_fills *fills = knrng_function()->fills;
    size_t in_lanes = n & ~(size_t)(KNRNG_LANES - 1);
    if (fills->pcg64 && n >= 8 * KNRNG_LANES) {
        knrng_word128 f = wide, c = g->pcg.increment, s = g->pcg.state;
        knrng_lanes lanes;
        for (int i = 0; i < KNRNG_LANES; i++) {
            s = step(s, wide, g->pcg.increment);
            lanes.low[i] = s.low;
            lanes.high[i] = s.high;
        }
        join_steps(&f, &c, 3);
        fills->pcg64(&lanes, in_lanes - KNRNG_LANES, out, f, c);
        out += in_lanes - KNRNG_LANES;
        n -= in_lanes - KNRNG_LANES;
        /* the lanes' last states were not given yet */
        for (int i = 0; i < KNRNG_LANES; i++, n--)
            *out++ = xsl_rr((knrng_word128){lanes.low[i], lanes.high[i]});
        g->pcg.state = (knrng_word128){lanes.low[KNRNG_LANES - 1], lanes.high[KNRNG_LANES - 1]};
    }
    fill(&g->pcg, n, out, wide, false);
}

static void fill_cheap(knrng_bits *g, size_t n, uint64_t *out) { fill(&g->pcg, n, out, cheap, true); }

/* Of both kinds with the factor of PCG64, as in NumPy. */
static void seed(knrng_bits *g, const knrng_seed *s)
{
    uint64_t w[4];
    knrng_seed_words64(s, 4, w);
    knrng_word128 start = {w[1], w[0]}, c = {w[3] << 1 | 1, w[2] << 1 | w[3] >> 63};
    g->pcg = (knrng_pcg){step(knrng_add(c, start), wide, c), c};
}

static void advance(knrng_bits *g, knrng_word128 factor, knrng_word128 delta)
{
    g->pcg.state = many_steps(g->pcg.state, factor, g->pcg.increment, delta);
    g->has_half = false;
    g->half = 0;
}

static void advance_wide(knrng_bits *g, const uint64_t d[4]) { advance(g, wide, (knrng_word128){d[0], d[1]}); }

static void advance_cheap(knrng_bits *g, const uint64_t d[4]) { advance(g, cheap, (knrng_word128){d[0], d[1]}); }

static knrng_word128 steps_of(int64_t jumps)
{
    return knrng_multiply(jump, (knrng_word128){(uint64_t)jumps, jumps < 0 ? UINT64_MAX : 0});
}

static void jump_wide(knrng_bits *g, int64_t jumps) { advance(g, wide, steps_of(jumps)); }

static void jump_cheap(knrng_bits *g, int64_t jumps) { advance(g, cheap, steps_of(jumps)); }

static void get(const knrng_bits *g, kn_bit_generator_state *state)
{
    state->state[0] = g->pcg.state.low;
    state->state[1] = g->pcg.state.high;
    state->inc[0] = g->pcg.increment.low;
    state->inc[1] = g->pcg.increment.high;
}

static void set(knrng_bits *g, const kn_bit_generator_state *state)
{
    g->pcg = (knrng_pcg){{state->state[0], state->state[1]}, {state->inc[0], state->inc[1]}};
}

const knrng_kind knrng_kind_pcg64 = {
    .name = "PCG64",
    .bytes = sizeof(knrng_pcg),
    .seed = seed,
    .fill = fill_wide,
    .advance = advance_wide,
    .jump = jump_wide,
    .get = get,
    .set = set,
};
const knrng_kind knrng_kind_pcg64dxsm = {
    .name = "PCG64DXSM",
    .bytes = sizeof(knrng_pcg),
    .seed = seed,
    .fill = fill_cheap,
    .advance = advance_cheap,
    .jump = jump_cheap,
    .get = get,
    .set = set,
};
