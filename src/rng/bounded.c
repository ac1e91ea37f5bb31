/* SPDX-License-Identifier: Apache-2.0
 * bounded.c -- integers from 0 to a bound: words multiplied by D. Lemire's method, or masked, until one fits.
 *
 * Fills make words ahead, never more than there are integers left: each takes one word or more. So all of a batch are
 * used up, and those that do not fit are left out without a branch. */
#include "rng/functions.h"
#include "rng/reader.h"

/* ---- One by one. */

static uint32_t piece(knrng_reader *r, int bits, knrng_pieces *p)
{
    if (p->left == 0) {
        p->word = knrng_next32(r);
        p->left = 32 / bits - 1;
    } else {
        p->word >>= bits;
        p->left--;
    }
    return p->word & (bits == 32 ? UINT32_MAX : ((uint32_t)1 << bits) - 1);
}

static uint64_t bounded64(knrng_reader *r, uint64_t most, bool masked)
{
    if (masked) {
        uint64_t mask = knrng_mask_of(most), v;
        do
            v = knrng_next64(r) & mask;
        while (v > most);
        return v;
    }
    uint64_t count = most + 1, high, low = knrng_multiply_words(knrng_next64(r), count, &high);
    if (low < count) /* only then can it lie below the threshold, which takes a division */
        for (uint64_t threshold = (UINT64_MAX - most) % count; low < threshold;)
            low = knrng_multiply_words(knrng_next64(r), count, &high);
    return high;
}

/* Of 8, 16 or 32 bits. */
static uint64_t bounded_piece(knrng_reader *r, int bits, uint32_t most, bool masked, knrng_pieces *pieces)
{
    uint32_t all = bits == 32 ? UINT32_MAX : ((uint32_t)1 << bits) - 1;
    if (most == all)
        return piece(r, bits, pieces);
    if (masked) {
        uint32_t mask = (uint32_t)knrng_mask_of(most), v;
        do
            v = piece(r, bits, pieces) & mask;
        while (v > most);
        return v;
    }
    uint64_t count = (uint64_t)most + 1, m = piece(r, bits, pieces) * count;
    if ((m & all) < count)
        for (uint64_t threshold = (all - most) % count; (m & all) < threshold;)
            m = piece(r, bits, pieces) * count;
    return m >> bits;
}

uint64_t knrng_bounded(knrng_reader *r, int bits, uint64_t most, bool masked, knrng_pieces *pieces)
{
    if (most == 0)
        return 0;
    if (bits == 1)
        return piece(r, 1, pieces);
    if (bits == 64 && most > UINT32_MAX)
        return most == UINT64_MAX ? knrng_next64(r) : bounded64(r, most, masked);
    return bounded_piece(r, bits == 64 ? 32 : bits, (uint32_t)most, masked, pieces);
}

/* ---- Fills. */

static void fill_wide(knrng_reader *r, uint64_t from, uint64_t most, bool masked, size_t n, uint64_t *out)
{
    uint64_t count = most + 1, threshold = count ? (UINT64_MAX - most) % count : 0, mask = knrng_mask_of(most);
    for (size_t k = 0; k < n;) {
        size_t words = n - k < KNRNG_AHEAD ? n - k : KNRNG_AHEAD;
        const uint64_t *w = r->ahead;
        r->g->kind->fill(r->g, words, r->ahead);
        if (count == 0)
            for (size_t i = 0; i < words; i++)
                out[k++] = from + w[i];
        else if (masked)
            for (size_t i = 0; i < words; i++) {
                out[k] = from + (w[i] & mask);
                k += (w[i] & mask) <= most;
            }
        else
            for (size_t i = 0; i < words; i++) {
                uint64_t high, low = knrng_multiply_words(w[i], count, &high);
                out[k] = from + high;
                k += low >= threshold;
            }
    }
}

/* Of words of 32 bits; how they are stored is what differs. If all of a batch fit, which is likely, they were stored
 * already. */
#define FILL_NARROW(name, T, loop)                                                                          \
    static void name(knrng_reader *r, uint64_t from, uint32_t most, bool masked, size_t n, T *out)          \
    {                                                                                                       \
        uint64_t count = (uint64_t)most + 1;                                                                \
        uint32_t threshold = (uint32_t)((UINT32_MAX - most) % count), mask = (uint32_t)knrng_mask_of(most); \
        for (size_t k = 0; k < n;) {                                                                        \
            size_t words = n - k < 2 * KNRNG_AHEAD ? n - k : 2 * KNRNG_AHEAD;                               \
            const uint32_t *w = r->ahead32;                                                                 \
            knrng_halves(r->g, words, r->ahead32);                                                          \
            if (!masked && most < UINT32_MAX &&                                                             \
                knrng_function()->fills->loop(w, words, from, (uint32_t)count, threshold, out + k)) {       \
                k += words;                                                                                 \
                continue;                                                                                   \
            }                                                                                               \
            for (size_t i = 0; i < words; i++) {                                                            \
                uint64_t m = masked ? 0 : w[i] * count;                                                     \
                uint32_t v = masked ? w[i] & mask : (uint32_t)(m >> 32);                                    \
                out[k] = (T)(from + v);                                                                     \
                k += masked ? v <= most : (uint32_t)m >= threshold;                                         \
            }                                                                                               \
        }                                                                                                   \
    }
FILL_NARROW(fill_narrow64, uint64_t, narrow64)
FILL_NARROW(fill_narrow32, uint32_t, narrow32)

/* Pieces of 16 or 8 bits. Words for those that are left, if all fit; the last one's rest is lost, as in NumPy. */
#define FILL_PIECES(name, T, BITS)                                                                 \
    static void name(knrng_reader *r, uint64_t from, uint32_t most, bool masked, size_t n, T *out) \
    {                                                                                              \
        enum { IN_WORD = 32 / BITS };                                                              \
        const uint32_t all = ((uint32_t)1 << BITS) - 1, count = most + 1;                          \
        const uint32_t mask = (uint32_t)knrng_mask_of(most), threshold = (all - most) % count;     \
        for (size_t k = 0; k < n;) {                                                               \
            size_t words = (n - k - 1) / IN_WORD + 1, whole = (n - k) / IN_WORD, i = 0;            \
            words = words < KNRNG_AHEAD ? words : KNRNG_AHEAD;                                     \
            whole = whole < words ? whole : words;                                                 \
            knrng_halves(r->g, words, r->ahead32);                                                 \
            if (most == all)                                                                       \
                for (; i < whole; i++)                                                             \
                    for (int j = 0; j < IN_WORD; j++)                                              \
                        out[k++] = (T)(from + (r->ahead32[i] >> j * BITS));                        \
            else if (masked)                                                                       \
                for (; i < whole; i++)                                                             \
                    for (int j = 0; j < IN_WORD; j++) {                                            \
                        uint32_t v = r->ahead32[i] >> j * BITS & mask;                             \
                        out[k] = (T)(from + v);                                                    \
                        k += v <= most;                                                            \
                    }                                                                              \
            else                                                                                   \
                for (; i < whole; i++)                                                             \
                    for (int j = 0; j < IN_WORD; j++) {                                            \
                        uint32_t m = (r->ahead32[i] >> j * BITS & all) * count;                    \
                        out[k] = (T)(from + (m >> BITS));                                          \
                        k += (m & all) >= threshold;                                               \
                    }                                                                              \
            for (; i < words; i++)                                                                 \
                for (int j = 0; j < IN_WORD && k < n; j++) {                                       \
                    uint32_t p = r->ahead32[i] >> j * BITS & all, m = p * count;                   \
                    out[k] = (T)(from + (most == all ? p : masked ? p & mask : m >> BITS));        \
                    k += most == all || (masked ? (p & mask) <= most : (m & all) >= threshold);    \
                }                                                                                  \
        }                                                                                          \
    }
FILL_PIECES(fill_16, uint16_t, 16)
FILL_PIECES(fill_8, uint8_t, 8)

/* Each bit is one of two truth values. */
static void fill_bits(knrng_reader *r, size_t n, uint8_t *out)
{
    for (size_t k = 0; k < n;) {
        size_t words = (n - k - 1) / 32 + 1, whole = (n - k) / 32;
        words = words < 2 * KNRNG_AHEAD ? words : 2 * KNRNG_AHEAD;
        whole = whole < words ? whole : words;
        knrng_halves(r->g, words, r->ahead32);
        knrng_function()->fills->bits(r->ahead32, whole, out + k);
        k += 32 * whole;
        for (size_t i = whole; i < words; i++)
            for (int j = 0; j < 32 && k < n; j++)
                out[k++] = r->ahead32[i] >> j & 1;
    }
}

static void fill_with(size_t size, uint64_t v, size_t n, void *out)
{
    for (size_t i = 0; i < n; i++)
        knrng_store(out, size, i, v);
}

void knrng_fill_bounded(knrng_reader *r, int bits, uint64_t from, uint64_t most, bool masked, size_t n, void *out)
{
    size_t size = bits == 1 ? 1 : (size_t)bits / 8;
    if (most == 0)
        fill_with(size, from, n, out);
    else if (bits == 64 && most > UINT32_MAX)
        fill_wide(r, from, most, masked && most != UINT64_MAX, n, out);
    else if (bits == 64)
        fill_narrow64(r, from, (uint32_t)most, masked, n, out);
    else if (bits == 32)
        fill_narrow32(r, from, (uint32_t)most, masked, n, out);
    else if (bits == 16)
        fill_16(r, from, (uint32_t)most, masked, n, out);
    else if (bits == 8)
        fill_8(r, from, (uint32_t)most, masked, n, out);
    else
        fill_bits(r, n, out);
}
