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

static const double normal_end = 3.6541528853610087963519472518, inverse_normal_end = 0.27366123732975827203338247596;
static const double exponential_end = 7.6971174701310497140446280481;
static const float normal_end32 = 3.6541528853610087963519472518f;
static const float inverse_normal_end32 = 0.27366123732975827203338247596f;
static const float exponential_end32 = 7.6971174701310497140446280481f;

/* ---- Normal numbers: 8 bits of layer, one of sign, 52 of place. */

static inline uint64_t normal_place(uint64_t w) { return w >> 9 & 0xfffffffffffff; }

/* x, which is not negative, with this sign: half of the signs would be predicted wrongly by a branch. */
static inline double signed_by(double x, uint64_t sign)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    u |= sign << 63;
    memcpy(&x, &u, sizeof u);
    return x;
}

static inline float signed_by32(float x, uint32_t sign)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    u |= sign << 31;
    memcpy(&x, &u, sizeof u);
    return x;
}

static inline double normal_candidate(uint64_t w, bool *inside)
{
    const knrng_layer *layer = &knrng_normal_layer[w & 0xff];
    double x = (double)(int64_t)normal_place(w) * layer->width;
    *inside = normal_place(w) < layer->inside;
    return signed_by(x, w >> 8 & 1);
}

/* A word whose place does not lie inside for certain: the tail, the edge of a layer, or another word. */
static __attribute__((noinline)) double normal_from(knrng_reader *r, uint64_t w)
{
    for (;;) {
        bool inside;
        double x = normal_candidate(w, &inside);
        unsigned layer = w & 0xff;
        if (inside)
            return x;
        if (layer == 0)
            for (;;) { /* one minus the unit: there is no logarithm of 0 */
                double beyond = -inverse_normal_end * knrng_log1p(-knrng_unit(r));
                double y = -knrng_log1p(-knrng_unit(r));
                if (y + y > beyond * beyond)
                    return normal_place(w) >> 8 & 1 ? -(normal_end + beyond) : normal_end + beyond;
            }
        const double *height = &knrng_normal_height[layer];
        if ((height[-1] - height[0]) * knrng_unit(r) + height[0] < knrng_exp(-0.5 * x * x))
            return x;
        w = knrng_next64(r);
    }
}

double knrng_normal(knrng_reader *r)
{
    bool inside;
    uint64_t w = knrng_next64(r);
    double x = normal_candidate(w, &inside);
    return __builtin_expect(inside, 1) ? x : normal_from(r, w);
}

static inline float normal_candidate32(uint32_t w, bool *inside)
{
    const knrng_layer32 *layer = &knrng_normal_layer32[w & 0xff];
    float x = (float)(int32_t)(w >> 9) * layer->width;
    *inside = w >> 9 < layer->inside;
    return signed_by32(x, w >> 8 & 1);
}

static __attribute__((noinline)) float normal_from32(knrng_reader *r, uint32_t w)
{
    for (;;) {
        bool inside;
        float x = normal_candidate32(w, &inside);
        unsigned layer = w & 0xff;
        if (inside)
            return x;
        if (layer == 0)
            for (;;) {
                float beyond = -inverse_normal_end32 * knrng_log1pf(-knrng_unit32(r));
                float y = -knrng_log1pf(-knrng_unit32(r));
                if (y + y > beyond * beyond)
                    return w >> 17 & 1 ? -(normal_end32 + beyond) : normal_end32 + beyond;
            }
        const float *height = &knrng_normal_height32[layer];
        if ((double)((height[-1] - height[0]) * knrng_unit32(r) + height[0]) < knrng_exp(-0.5 * (double)x * (double)x))
            return x;
        w = knrng_next32(r);
    }
}

float knrng_normal32(knrng_reader *r)
{
    bool inside;
    uint32_t w = knrng_next32(r);
    float x = normal_candidate32(w, &inside);
    return __builtin_expect(inside, 1) ? x : normal_from32(r, w);
}

/* ---- Exponential numbers: 8 bits of layer above three unused ones, 53 of place. */

static inline double exponential_candidate(uint64_t w, bool *inside)
{
    const knrng_layer *layer = &knrng_exponential_layer[w >> 3 & 0xff];
    *inside = w >> 11 < layer->inside;
    return (double)(int64_t)(w >> 11) * layer->width;
}

static __attribute__((noinline)) double exponential_from(knrng_reader *r, uint64_t w)
{
    for (;;) {
        bool inside;
        double x = exponential_candidate(w, &inside);
        unsigned layer = w >> 3 & 0xff;
        if (inside)
            return x;
        if (layer == 0)
            return exponential_end - knrng_log1p(-knrng_unit(r));
        const double *height = &knrng_exponential_height[layer];
        if ((height[-1] - height[0]) * knrng_unit(r) + height[0] < knrng_exp(-x))
            return x;
        w = knrng_next64(r);
    }
}

double knrng_exponential(knrng_reader *r)
{
    bool inside;
    uint64_t w = knrng_next64(r);
    double x = exponential_candidate(w, &inside);
    return __builtin_expect(inside, 1) ? x : exponential_from(r, w);
}

static inline float exponential_candidate32(uint32_t w, bool *inside)
{
    const knrng_layer32 *layer = &knrng_exponential_layer32[w >> 1 & 0xff];
    *inside = w >> 9 < layer->inside;
    return (float)(int32_t)(w >> 9) * layer->width;
}

static __attribute__((noinline)) float exponential_from32(knrng_reader *r, uint32_t w)
{
    for (;;) {
        bool inside;
        float x = exponential_candidate32(w, &inside);
        unsigned layer = w >> 1 & 0xff;
        if (inside)
            return x;
        if (layer == 0)
            return exponential_end32 - knrng_log1pf(-knrng_unit32(r));
        const float *height = &knrng_exponential_height32[layer];
        if ((height[-1] - height[0]) * knrng_unit32(r) + height[0] < knrng_expf(-x))
            return x;
        w = knrng_next32(r);
    }
}

float knrng_exponential32(knrng_reader *r)
{
    bool inside;
    uint32_t w = knrng_next32(r);
    float x = exponential_candidate32(w, &inside);
    return __builtin_expect(inside, 1) ? x : exponential_from32(r, w);
}

/* ---- Fills. Each number takes a word at least, so words for all that are left may be made ahead. */

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

/* Batches of words; one that does not lie inside takes words of those that follow, which are fewer then. */
#define FILL(name, T, W, read, ahead, at, end_of, candidate, from) \
    void name(knrng_reader *r, size_t n, T *out)                   \
    {                                                              \
        for (T *last = out + n; out < last;) {                     \
            size_t left = (size_t)(last - out);                    \
            read(r, left < KNRNG_AHEAD ? left : KNRNG_AHEAD);      \
            const W *w = r->at, *end = r->end_of;                  \
            while (w < end) {                                      \
                bool inside;                                       \
                W v = *w++;                                        \
                T x = candidate(v, &inside);                       \
                if (__builtin_expect(!inside, 0)) {                \
                    r->at = w;                                     \
                    x = from(r, v);                                \
                    w = r->at;                                     \
                }                                                  \
                *out++ = x;                                        \
            }                                                      \
            r->at = end;                                           \
        }                                                          \
    }
FILL(knrng_fill_normals, double, uint64_t, knrng_read_ahead, ahead, at, end, normal_candidate, normal_from)
FILL(knrng_fill_exponentials, double, uint64_t, knrng_read_ahead, ahead, at, end, exponential_candidate,
     exponential_from)
FILL(knrng_fill_normals32, float, uint32_t, knrng_read_ahead32, ahead32, at32, end32, normal_candidate32, normal_from32)
FILL(knrng_fill_exponentials32, float, uint32_t, knrng_read_ahead32, ahead32, at32, end32, exponential_candidate32,
     exponential_from32)

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
