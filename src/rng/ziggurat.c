/* SPDX-License-Identifier: Apache-2.0
 * ziggurat.c -- normal and exponential numbers by ziggurats (G. Marsaglia and W. W. Tsang, in J. Doornik's form), and
 * fills with these and with uniform numbers.
 *
 * A word says layer, sign and place in the layer. Ninety-nine times in a hundred the place lies under the curve for
 * certain; the rest takes more words. So fills look at many words at once, and at those that need more one by one. */
#include "rng/candidates.h"
#include "rng/functions.h"
#include "rng/reader.h"
#include <string.h>

/* The first position from i on whose candidate does not lie inside; count if there is none. */
static inline size_t next_outside(const uint64_t *outside, size_t i, size_t count)
{
    uint64_t bits = outside[i / 64] >> i % 64;
    if (bits)
        return i + (size_t)__builtin_ctzll(bits);
    for (size_t k = i / 64 + 1; k * 64 < count; k++)
        if (outside[k])
            return k * 64 + (size_t)__builtin_ctzll(outside[k]);
    return count;
}

#define T       double
#define W       uint64_t
#define N(name) name
#define F(name) name
#define NEXT    knrng_next64
#include "rng/ziggurat_loops.h"

#define T       float
#define W       uint32_t
#define N(name) name##32
#define F(name) name##f
#define NEXT    knrng_next32
#include "rng/ziggurat_loops.h"

/* ---- Fills with uniform numbers, and what is made of one each. */

void knrng_fill_units(knrng_reader *r, size_t n, double *out)
{
    for (size_t i = 0; i < n; i += KNRNG_AHEAD) {
        size_t count = n - i < KNRNG_AHEAD ? n - i : KNRNG_AHEAD;
        if (r->pairs) {
            r->g->kind->fill32(r->g, 2 * count, r->ahead32);
            knrng_function()->fills->units_of_pairs(r->ahead32, count, out + i);
        } else {
            r->g->kind->fill(r->g, count, r->ahead);
            knrng_function()->fills->units(r->ahead, count, out + i);
        }
    }
}

void knrng_fill_units32(knrng_reader *r, size_t n, float *out)
{
    for (size_t i = 0; i < n; i += KNRNG_AHEAD) {
        size_t count = n - i < KNRNG_AHEAD ? n - i : KNRNG_AHEAD;
        knrng_halves(r->g, count, r->ahead32);
        knrng_function()->fills->units32(r->ahead32, count, out + i);
    }
}

void knrng_fill_inverse_exponentials(knrng_reader *r, size_t n, double *out)
{
    knrng_fill_units(r, n, out);
    for (size_t i = 0; i < n; i++)
        out[i] = -knrng_log1p(-out[i]);
}

void knrng_fill_inverse_exponentials32(knrng_reader *r, size_t n, float *out)
{
    knrng_fill_units32(r, n, out);
    for (size_t i = 0; i < n; i++)
        out[i] = (float)-knrng_log1p(-(double)out[i]); /* of a float64, as in NumPy */
}
