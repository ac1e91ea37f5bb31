/* SPDX-License-Identifier: Apache-2.0
 * reference_random.c -- keys, random integers, samples of the gamma distribution: one number at a time. */
#include "cases.h"

#include <math.h>
#include <string.h>

static uint64_t mixed(uint64_t key, uint64_t counter) /* words of both: the high one first */
{
    uint32_t k[2] = {(uint32_t)(key >> 32), (uint32_t)key}, x[2] = {(uint32_t)(counter >> 32), (uint32_t)counter};
    ref_threefry(k, x);
    return (uint64_t)x[0] << 32 | x[1];
}

void ref_random_seed(call *c)
{
    const tensor *x = &c->x[0];
    tensor *y = result(c, KN_DT(KEY), x->ndim, x->dim);
    for (int64_t i = 0; i < x->n; i++)
        y->at[i].bits = x->dtype->size == 8 ? x->at[i].bits : (uint32_t)x->at[i].bits;
}

void ref_random_fold_in(call *c)
{
    const tensor *key = &c->x[0], *x = &c->x[1], *shape = key->ndim ? key : x;
    tensor *y = result(c, KN_DT(KEY), shape->ndim, shape->dim);
    for (int64_t i = 0; i < y->n; i++)
        y->at[i].bits = mixed(key->at[key->ndim ? i : 0].bits, x->at[x->ndim ? i : 0].bits);
}

void ref_random_split(call *c)
{
    kni_ints shape = ((const kni_p_random_split *)c->params)->shape;
    const tensor *key = &c->x[0];
    int64_t dim[MAX_RANK], each = 1;
    int n = 0;
    for (; n < key->ndim; n++)
        dim[n] = key->dim[n];
    for (int k = 0; k < shape.n; k++) {
        each *= shape.v[k];
        dim[n++] = shape.v[k];
    }
    tensor *y = result(c, KN_DT(KEY), n, dim);
    for (int64_t i = 0; i < y->n; i++)
        y->at[i].bits = mixed(key->at[i / each].bits, (uint64_t)(i % each));
}

/* --- rng_bit_generator ------------------------------------------------------------------------ */

static uint64_t swapped(uint64_t x) { return x << 32 | x >> 32; }

/* Word `which` of a block of threefry. The low word of a state comes first. */
static uint32_t threefry_word(uint64_t key, uint64_t counter, int64_t which)
{
    uint64_t y = mixed(swapped(key), swapped(counter));
    return (uint32_t)(which ? y : y >> 32);
}

static uint32_t philox_word(uint64_t key, uint64_t counter, bool carry, int64_t which)
{
    uint64_t high = key + carry;
    uint32_t x[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)high, (uint32_t)(high >> 32)};
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)x[0] * 0xD2511F53u, q = (uint64_t)x[2] * 0xCD9E8D57u;
        uint32_t y[4] = {(uint32_t)(q >> 32) ^ x[1] ^ k0, (uint32_t)q, (uint32_t)(p >> 32) ^ x[3] ^ k1, (uint32_t)p};
        memcpy(x, y, sizeof x);
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return x[which];
}

/* The axis whose numbers are pairs: the first even one, else the largest. */
static int pairs(kni_ints shape)
{
    int largest = 0;
    for (int k = 0; k < shape.n; k++)
        if (shape.v[k] % 2 == 0)
            return k;
    for (int k = 0; k < shape.n; k++)
        largest = shape.v[k] > shape.v[largest] ? k : largest;
    return largest;
}

typedef struct place {
    int64_t block, word;
} place;

static place threefry_place(kni_ints shape, const int64_t *at)
{
    int axis = pairs(shape);
    place p = {0, 0};
    for (int k = 0; k < shape.n; k++) {
        int64_t extent = k == axis ? (shape.v[k] + 1) / 2 : shape.v[k];
        p.block = p.block * extent + (k == axis ? at[k] / 2 : at[k]);
    }
    p.word = shape.n ? at[axis] % 2 : 0;
    return p;
}

static int64_t blocks_of(const kni_p_rng_bit_generator *p)
{
    int64_t n = 1;
    bool wide = p->dtype == KN_DT(U64), philox = p->algorithm != KN_RNG_THREE_FRY;
    for (int k = 0; k < p->shape.n; k++)
        n *= !philox && !wide && k == pairs(p->shape) ? (p->shape.v[k] + 1) / 2 : p->shape.v[k];
    int64_t each = philox ? (wide ? 2 : 4) : 1;
    return (n + each - 1) / each;
}

void ref_rng_bit_generator(call *c)
{
    const kni_p_rng_bit_generator *p = c->params;
    const tensor *x = &c->x[0];
    bool wide = p->dtype == KN_DT(U64), philox = p->algorithm != KN_RNG_THREE_FRY, words = x->dtype == KN_DT(U32);
    tensor *state = result(c, x->dtype, x->ndim, x->dim), *y = result(c, p->dtype, p->shape.n, p->shape.v);
    uint64_t key = words ? x->at[0].bits | x->at[1].bits << 32 : x->at[0].bits;
    uint64_t counter = words ? x->at[2].bits | x->at[3].bits << 32 : x->at[1].bits, next = counter;
    next += (uint64_t)blocks_of(p);
    for (int64_t i = 0; i < x->n; i++)
        state->at[i] = x->at[i];
    if (words) {
        state->at[2].bits = (uint32_t)next;
        state->at[3].bits = next >> 32;
    } else {
        state->at[1].bits = next;
    }
    for (int64_t i = 0; i < y->n; i++) {
        int64_t at[MAX_RANK], each = philox ? (wide ? 2 : 4) : 1;
        place where = {i / each, i % each * (wide ? 2 : 1)};
        tensor_index(y, i, at);
        if (!philox && !wide)
            where = threefry_place(p->shape, at);
        uint64_t v = 0, n = counter + (uint64_t)where.block;
        for (int k = 0; k <= wide; k++)
            v |= (uint64_t)(philox ? philox_word(key, n, n < counter, where.word + k)
                                   : threefry_word(key, n, where.word + k))
                 << 32 * k;
        y->at[i] = of_int(p->dtype, v);
    }
}

/* --- random_gamma ----------------------------------------------------------------------------- */

static int stored_bits(kn_dtype d) { return d == KN_DT(F64) ? 52 : d == KN_DT(F32) ? 23 : d == KN_DT(F16) ? 10 : 7; }

static long double unit_of(uint64_t key, kn_dtype d)
{
    uint64_t y = mixed(key, 0);
    int m = stored_bits(d), width = m < 8 ? 8 : d->size * 8;
    if (d->size < 8)
        y = ((y >> 32) ^ y) & (((uint64_t)1 << width) - 1);
    return ldexpl((long double)(y >> (width - m)), -m);
}

/* By bisection. */
static long double erf_inverse(long double y)
{
    long double lo = -8, hi = 8;
    for (int i = 0; i < 90; i++) {
        long double middle = (lo + hi) / 2;
        *(erfl(middle) < y ? &lo : &hi) = middle;
    }
    return (lo + hi) / 2;
}

static long double normal_of(uint64_t key, kn_dtype d)
{
    long double lo = ldexpl(1, -stored_bits(d) - 1) - 1, u = 2 * unit_of(key, d) + lo;
    u = d == KN_DT(F64) ? (long double)(double)u : (long double)num_convert(KN_DT(F64), (num){.re = u}, d).re;
    return sqrtl(2) * erf_inverse(fmaxl(lo, u));
}

/* Marsaglia and Tsang. *last: the key of the number that makes samples of a out of those of a + 1. */
static long double gamma_at_least_one(uint64_t key, long double a, kn_dtype d, uint64_t *last)
{
    long double shift = a - 1 / 3.0L, c = 1 / (3 * sqrtl(shift));
    *last = mixed(key, 1);
    for (key = mixed(key, 0);; key = mixed(key, 0)) {
        uint64_t k = mixed(key, 1);
        long double u = unit_of(mixed(key, 2), d), x, v;
        do {
            x = normal_of(mixed(k, 1), d);
            v = 1 + c * x;
            k = mixed(k, 0);
        } while (v <= 0);
        v = v * v * v;
        if (u < 1 - 0.0331L * x * x * x * x || logl(u) < x * x / 2 + shift * (1 - v + logl(v)))
            return shift * v;
    }
}

void ref_random_gamma(call *c)
{
    const kni_p_random_gamma *p = c->params;
    const tensor *key = &c->x[0], *a = &c->x[1];
    tensor *y = result(c, a->dtype, a->ndim, a->dim);
    int64_t each = key->n ? y->n / key->n : 0;
    for (int64_t i = 0; i < y->n; i++) {
        long double at = a->at[i].re;
        uint64_t last;
        long double drawn = gamma_at_least_one(mixed(key->at[i / each].bits, (uint64_t)(i % each)),
                                               at < 1 ? at + 1 : at, a->dtype, &last);
        long double boost = at < 1 ? logl(1 - unit_of(last, a->dtype)) / at : 0;
        long double log = logl(drawn) + boost;
        y->at[i] = p->log_space ? (num){.re = log, .scale = fmaxl(fabsl(log), 1)} : (num){.re = drawn * expl(boost)};
        if (!p->log_space)
            y->at[i].scale = fabsl(y->at[i].re);
    }
}
