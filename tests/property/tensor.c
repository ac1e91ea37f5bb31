/* SPDX-License-Identifier: Apache-2.0
 * tensor.c -- arrays of the rule tests: memory, widening, comparing, filling. */
#include "tensor.h"
#include "support/bits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *tensor_alloc(knx_arena *a, size_t bytes)
{
    void *p = knx_arena_zero(a, bytes ? bytes : 1);
    if (!p) {
        fputs("rules: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

static tensor shaped(kn_dtype d, int ndim, const int64_t *dim)
{
    tensor t = {.dtype = d, .ndim = ndim, .n = 1};
    for (int k = 0; k < ndim; k++) {
        t.dim[k] = dim[k];
        t.n *= dim[k];
    }
    return t;
}

tensor tensor_new(knx_arena *a, kn_dtype d, int ndim, const int64_t *dim)
{
    tensor t = shaped(d, ndim, dim);
    t.data = tensor_alloc(a, (size_t)t.n * d->size);
    return t;
}

tensor tensor_wide(knx_arena *a, kn_dtype d, int ndim, const int64_t *dim)
{
    tensor t = shaped(d, ndim, dim);
    t.at = tensor_alloc(a, (size_t)t.n * sizeof *t.at);
    return t;
}

void tensor_widen(knx_arena *a, tensor *t)
{
    if (t->at)
        return;
    t->at = tensor_alloc(a, (size_t)t->n * sizeof *t->at);
    for (int64_t i = 0; i < t->n; i++)
        t->at[i] = tensor_load(t->dtype, tensor_at(t, i));
}

void tensor_narrow(knx_arena *a, tensor *t)
{
    t->data = tensor_alloc(a, (size_t)t->n * t->dtype->size);
    for (int64_t i = 0; i < t->n; i++)
        tensor_store(t->dtype, t->at[i], tensor_at(t, i));
}

kni_type tensor_type(const tensor *t) { return kni_type_of(t->dtype, t->ndim, t->dim); }

bool tensor_has_type(const tensor *t, kni_type type)
{
    return t->dtype == type.dtype && t->ndim == type.ndim &&
           (!t->ndim || !memcmp(t->dim, type.dim, (size_t)t->ndim * sizeof *t->dim));
}

int64_t tensor_offset(const tensor *t, const int64_t *index)
{
    int64_t at = 0;
    for (int k = 0; k < t->ndim; k++)
        at = at * t->dim[k] + index[k];
    return at;
}

void tensor_index(const tensor *t, int64_t offset, int64_t *index)
{
    for (int k = t->ndim; k-- > 0; offset /= t->dim[k])
        index[k] = offset % t->dim[k];
}

/* Loading and storing */

static long double load_float(kn_dtype d, const char *from)
{
    uint16_t h;
    float f;
    double g;
    switch (d->size) {
    case 2: memcpy(&h, from, 2); return d == KN_DT(F16) ? knx_half_to_float(h) : knx_bf16_to_float(h);
    case 4: memcpy(&f, from, 4); return f;
    default: memcpy(&g, from, 8); return g;
    }
}

static void store_float(kn_dtype d, long double v, char *to)
{
    float f = (float)v;
    double g = (double)v;
    uint16_t h = d == KN_DT(F16) ? knx_double_to_half(g) : knx_double_to_bf16(g);
    memcpy(to, d->size == 2 ? (void *)&h : d->size == 4 ? (void *)&f : (void *)&g, d->size);
}

num tensor_load(kn_dtype d, const void *from)
{
    num v = {0};
    uint32_t key[2];
    if (knx_is_float(d)) {
        v.re = load_float(d, from);
    } else if (knx_is_complex(d)) {
        v.re = load_float(knx_component(d), from);
        v.im = load_float(knx_component(d), (const char *)from + d->size / 2);
    } else if (d->kind == KN_KIND_KEY) {
        memcpy(key, from, 8);
        v.bits = (uint64_t)key[0] << 32 | key[1];
    } else {
        v.bits = bits_at(from, d->size);
        int unused = 64 - 8 * d->size;
        if (d->kind == KN_KIND_INT)
            v.bits = (uint64_t)((int64_t)(v.bits << unused) >> unused);
    }
    return v;
}

void tensor_store(kn_dtype d, num v, void *to)
{
    if (knx_is_float(d)) {
        store_float(d, v.re, to);
    } else if (knx_is_complex(d)) {
        store_float(knx_component(d), v.re, to);
        store_float(knx_component(d), v.im, (char *)to + d->size / 2);
    } else if (d->kind == KN_KIND_KEY) {
        uint32_t key[2] = {(uint32_t)(v.bits >> 32), (uint32_t)v.bits};
        memcpy(to, key, 8);
    } else {
        bits_put(to, v.bits, d->size);
    }
}

/* Comparing */

int64_t tensor_difference(const tensor *a, const tensor *b)
{
    kn_dtype d = a->dtype;
    size_t size = d->size;
    for (int64_t i = 0; i < a->n; i++) {
        const char *p = tensor_at(a, i), *q = tensor_at(b, i);
        if (!memcmp(p, q, size))
            continue;
        if (!knx_is_inexact(d) || !tensor_close(d, tensor_load(d, p), tensor_load(d, q), 0, false))
            return i;
    }
    return -1;
}

long double tensor_epsilon(kn_dtype d)
{
    d = knx_component(d);
    return d == KN_DT(F64) ? 0x1p-52L : d == KN_DT(F32) ? 0x1p-23L : d == KN_DT(F16) ? 0x1p-10L : 0x1p-7L;
}

static long double unit_at(kn_dtype d, long double v) /* the distance between numbers of the float dtype around v */
{
    int low = d == KN_DT(F64) ? -1022 : d == KN_DT(F16) ? -14 : -126, e = low;
    if (v != 0 && isfinite(v))
        e = ilogbl(v);
    return ldexpl(tensor_epsilon(d), e < low ? low : e);
}

static long double rounded(kn_dtype d, long double v)
{
    char bytes[8];
    store_float(d, v, bytes);
    return load_float(d, bytes);
}

static bool close_float(kn_dtype d, long double expected, long double got, long double scale, double ulp, bool any_zero)
{
    long double e = rounded(d, expected);
    if (isnan(e) || isnan(got))
        return isnan(e) && isnan(got);
    if (e == 0 && got == 0)
        return any_zero || !signbit(e) == !signbit(got);
    if (e == got)
        return true;
    if (ulp == 0 || isinf(e) || isinf(got)) /* around the largest number either may be right */
        return ulp > 0 && isfinite(expected) && isinf(e) != isinf(got) && (e < 0) == (got < 0) &&
               fabsl(isinf(e) ? got : e) > 0.99L * rounded(d, d == KN_DT(F64)   ? (long double)DBL_MAX
                                                              : d == KN_DT(F16) ? 65504.0L
                                                                                : 0x1.fep127L);
    return fabsl(got - expected) <= ulp * unit_at(d, scale);
}

bool tensor_close(kn_dtype d, num expected, num got, double ulp, bool any_zero)
{
    if (!knx_is_inexact(d))
        return expected.bits == got.bits;
    kn_dtype part = knx_component(d);
    if (isnan(expected.scale))
        return true;
    if (part == d)
        return close_float(d, expected.re, got.re, expected.scale > 0 ? expected.scale : expected.re, ulp, any_zero);
    long double scale = expected.scale > 0 ? expected.scale : hypotl(expected.re, expected.im);
    bool free_zero = any_zero || ulp > 0; /* parts of complex numbers cancel */
    bool finite = isfinite(scale);
    return close_float(part, expected.re, got.re, finite ? scale : expected.re, ulp, free_zero) &&
           close_float(part, expected.im, got.im, finite ? scale : expected.im, ulp, free_zero);
}

const char *tensor_show(kn_dtype d, num v, char out[96])
{
    if (knx_is_float(d))
        snprintf(out, 96, "%.17Lg", v.re);
    else if (knx_is_complex(d))
        snprintf(out, 96, "(%.17Lg, %.17Lg)", v.re, v.im);
    else if (d->kind == KN_KIND_INT)
        snprintf(out, 96, "%lld", (long long)v.bits);
    else
        snprintf(out, 96, "%llu", (unsigned long long)v.bits);
    return out;
}

/* Data */

uint64_t test_hash(const char *s)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (; *s; s++)
        h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return h;
}

uint64_t test_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double test_uniform(uint64_t *state, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(test_random(state) >> 11) * 0x1p-53);
}

static long double special_float(kn_dtype d, unsigned how, uint64_t *seed)
{
    static const long double common[] = {NAN, INFINITY, -INFINITY, 0.0L, -0.0L, 1, -1};
    long double largest = d == KN_DT(F64)   ? (long double)DBL_MAX
                          : d == KN_DT(F16) ? 65504.0L
                          : d == KN_DT(F32) ? (long double)FLT_MAX
                                            : 0x1.fep127L;
    long double least = d == KN_DT(F64) ? (long double)DBL_MIN : d == KN_DT(F16) ? 0x1p-14L : 0x1p-126L;
    long double extreme[] = {largest, -largest, least, -least, least * tensor_epsilon(d), -least * tensor_epsilon(d)};
    uint64_t r = test_random(seed) % 13;
    bool has_common = how & FILL_SPECIAL, has_extreme = how & FILL_EXTREME;
    return has_common && (r < 7 || !has_extreme) ? common[r % 7] : extreme[r % 6];
}

/* Element i of `n`: a random number, or with `distinct` the one with the rank that a permutation gives it. */
static long double plain_float(int64_t rank, int64_t n, double lo, double hi, unsigned how, int operand, uint64_t *seed)
{
    double v = how & FILL_DISTINCT ? lo + (hi - lo) * ((double)rank + 0.5) / (double)n : test_uniform(seed, lo, hi);
    if ((how & FILL_APART) && !(how & FILL_DISTINCT))
        v = 0.05 * (floor(v / 0.05) + (operand + 1) / 4.0);
    if ((how & FILL_APART) && (how & FILL_DISTINCT))
        v += 0.01 * operand;
    if ((how & FILL_APART) && fabs(v) < 0.0125)
        v = v < 0 ? -0.0125 : 0.0125;
    return v;
}

static uint64_t special_integer(kn_dtype d, uint64_t *seed)
{
    int bits = 8 * d->size;
    uint64_t top = (uint64_t)1 << (bits - 1), low = d->kind == KN_KIND_INT ? (uint64_t)0 - top : 0;
    uint64_t high = d->kind == KN_KIND_INT ? top - 1 : top - 1 + top;
    uint64_t choice[] = {low, high, 0, low + 1, high - 1, 1, d->kind == KN_KIND_INT ? ~(uint64_t)0 : 2};
    return choice[test_random(seed) % 7];
}

static num plain_number(kn_dtype d, int64_t rank, int64_t n, double lo, double hi, unsigned how, int operand,
                        uint64_t *seed)
{
    num v = {0};
    if (knx_is_inexact(d)) {
        v.re = plain_float(rank, n, lo, hi, how, operand, seed);
        if (knx_is_complex(d))
            v.im = plain_float(test_random(seed) % (uint64_t)n, n, lo, hi, how, operand, seed);
    } else if (d->kind == KN_KIND_KEY) {
        v.bits = test_random(seed);
    } else if (d->kind == KN_KIND_BOOL) {
        v.bits = test_random(seed) >> 63;
    } else {
        if (d->kind == KN_KIND_UINT && lo < 0)
            lo = 0;
        if (how & FILL_DISTINCT) {
            v.bits = (uint64_t)((int64_t)lo + rank);
        } else {
            double x = floor(test_uniform(seed, lo, hi + 1));
            v.bits = x < 0 ? (uint64_t)(int64_t)x : x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
        }
    }
    return v;
}

static void make_special(kn_dtype d, num *v, unsigned how, uint64_t *seed)
{
    if (knx_is_float(d) || knx_is_complex(d)) {
        bool both = test_random(seed) % 2;
        v->re = special_float(knx_component(d), how, seed);
        if (knx_is_complex(d) && both)
            v->im = special_float(knx_component(d), how, seed);
    } else if (knx_is_integer(d)) {
        v->bits = special_integer(d, seed);
    }
}

void tensor_fill(tensor *t, double lo, double hi, unsigned how, int operand, uint64_t *seed)
{
    int64_t *rank = malloc(((size_t)t->n + 1) * sizeof *rank);
    for (int64_t i = 0; rank && i < t->n; i++) { /* a random permutation */
        int64_t k = (int64_t)(test_random(seed) % (uint64_t)(i + 1));
        rank[i] = rank[k];
        rank[k] = i;
    }
    for (int64_t i = 0; rank && i < t->n; i++) {
        num v = plain_number(t->dtype, rank[i], t->n, lo, hi, how, operand, seed);
        if ((how & (FILL_SPECIAL | FILL_EXTREME)) && test_random(seed) % 3 == 0)
            make_special(t->dtype, &v, how, seed);
        tensor_store(t->dtype, v, tensor_at(t, i));
    }
    free(rank);
    t->at = NULL;
}
