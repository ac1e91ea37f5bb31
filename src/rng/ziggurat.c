/* SPDX-License-Identifier: Apache-2.0
 * ziggurat.c -- normal and exponential numbers by ziggurats (G. Marsaglia and W. W. Tsang, in J. Doornik's form), and
 * fills with these and with uniform numbers.
 *
 * A word says layer, sign and place in the layer. Ninety-nine times in a hundred the place lies under the curve for
 * certain; the rest takes more words. So fills look at many words at once, and at those that need more one by one. */
#include "rng/functions.h"
#include "rng/reader.h"
#include "rng/tables.h"
#include <string.h>

#define T                   double
#define W                   uint64_t
#define N(name)             name
#define F(name)             name
#define NEXT                knrng_next64
#define NORMAL_PLACE(w)     ((w) >> 9 & 0xfffffffffffff) /* 52 bits */
#define EXPONENTIAL_AT(w)   ((w) >> 3)                   /* three bits are not used */
#define EXPONENTIAL_LEFT(w) ((int64_t)((w) >> 11))       /* 53 bits */
#include "rng/ziggurat_loops.h"

#define T                   float
#define W                   uint32_t
#define N(name)             name##32
#define F(name)             name##f
#define NEXT                knrng_next32
#define NORMAL_PLACE(w)     ((w) >> 9) /* 23 bits */
#define EXPONENTIAL_AT(w)   ((w) >> 1)
#define EXPONENTIAL_LEFT(w) ((int32_t)((w) >> 9)) /* 23 bits */
#include "rng/ziggurat_loops.h"

/* ---- Fills with uniform numbers, and what is made of one each. */

void knrng_fill_units(knrng_reader *r, size_t n, double *out)
{
    for (size_t i = 0; i < n; i += KNRNG_AHEAD) {
        size_t count = n - i < KNRNG_AHEAD ? n - i : KNRNG_AHEAD;
        r->g->kind->fill(r->g, count, r->ahead);
        if (r->pairs)
            for (size_t k = 0; k < count; k++)
                out[i + k] = knrng_unit_of(r->ahead[k], true);
        else
            for (size_t k = 0; k < count; k++)
                out[i + k] = knrng_unit_of(r->ahead[k], false);
    }
}

void knrng_fill_units32(knrng_reader *r, size_t n, float *out)
{
    for (size_t i = 0; i < n; i += KNRNG_AHEAD) {
        size_t count = n - i < KNRNG_AHEAD ? n - i : KNRNG_AHEAD;
        knrng_halves(r->g, count, r->ahead32);
        for (size_t k = 0; k < count; k++)
            out[i + k] = (float)(int32_t)(r->ahead32[k] >> 8) * 0x1p-24f;
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
