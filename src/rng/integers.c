/* SPDX-License-Identifier: Apache-2.0
 * integers.c -- integers between bounds of any integer dtype, and bytes. */
#include "rng/draw.h"
#include "rng/pieces.h"
#include <math.h>
#include <string.h>

/* An integer between -2^63 and 2^64 - 1, and one more: bounds before they are looked at. */
typedef struct bound {
    bool negative;
    uint64_t bits; /* two's complement */
} bound;

typedef struct bounds {
    bound *v;
    int64_t n;
    kn_shape shape;
} bounds;

static int compare(bound x, bound y)
{
    if (x.negative != y.negative)
        return x.negative ? -1 : 1;
    return x.bits < y.bits ? -1 : x.bits > y.bits;
}

static bool take_bounds(knrng_call *c, kn_array x, bounds *out)
{
    kni_type t = kna_type(&c->op, x);
    if (!kna_failed(&c->op) && (knx_is_complex(t.dtype) || t.dtype->kind == KN_KIND_KEY))
        kna_fail(&c->op, KN_ERROR_TYPE, "bounds of integers must be integers, not %s", t.dtype->name);
    const char *at = kna_failed(&c->op) ? NULL : kna_look(&c->op, x, &t);
    if (!at)
        return false;
    out->n = kni_type_size(t);
    knrng_set_shape(&out->shape, t);
    out->v = knx_alloc((size_t)out->n * sizeof *out->v + 1);
    if (!out->v)
        kna_fail_with(&c->op, knx_error_nomem());
    for (int64_t i = 0; i < out->n && !kna_failed(&c->op); i++) {
        const char *element = at + (size_t)i * t.dtype->size;
        bool is_unsigned = t.dtype->kind == KN_KIND_UINT;
        double v = 0;
        if (knx_is_float(t.dtype)) { /* Python's int(): towards zero */
            knx_convert(t.dtype, element, KN_DT(F64), &v);
            is_unsigned = v > 0;
            if (isnan(v))
                kna_fail(&c->op, KN_ERROR_VALUE, "cannot convert float NaN to integer");
            else if (v >= 0x1p64 || v < -0x1p63)
                kna_fail(&c->op, KN_ERROR_VALUE, "a bound of integers is out of bounds: %g", v);
        }
        knx_convert(t.dtype, element, is_unsigned ? KN_DT(U64) : KN_DT(I64), &out->v[i].bits);
        out->v[i].negative = !is_unsigned && out->v[i].bits >> 63;
    }
    return !kna_failed(&c->op);
}

/* The largest and the smallest integer of a dtype; bool has 0 and 1. */
static void ends_of(kn_dtype d, bound *lowest, bound *highest)
{
    int bits = 8 * d->size;
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    bool is_signed = d->kind == KN_KIND_INT;
    *highest = (bound){false, d->kind == KN_KIND_BOOL ? 1 : is_signed ? all >> 1 : all};
    *lowest = is_signed ? (bound){true, ~(all >> 1)} : (bound){false, 0};
}

typedef struct request {
    const char *name; /* of the dtype */
    bool closed, scalars, from_zero;
    int bits;
    bound lowest, highest;
} request;

static void bounds_error(kna_op *op, const request *q)
{
    if (q->from_zero)
        kna_fail(op, KN_ERROR_VALUE, "high %s 0", q->closed ? "<" : "<=");
    else
        kna_fail(op, KN_ERROR_VALUE, "low %s high", q->closed ? ">" : ">=");
}

/* Makes the ends inclusive, and checks each bound alone. A high of the lowest integer, exclusive, would have its
 * end below all: it is told by the comparison with low. */
static bool check_ends(kna_op *op, const request *q, bounds *low, bounds *high)
{
    for (int64_t i = 0; i < low->n && !kna_failed(op); i++)
        if (compare(low->v[i], q->lowest) < 0 || (!q->scalars && q->bits == 64 && compare(low->v[i], q->highest) > 0))
            kna_fail(op, KN_ERROR_VALUE, "low is out of bounds for %s", q->name);
    for (int64_t i = 0; i < high->n && !kna_failed(op); i++) {
        bound *h = &high->v[i];
        bool none = !q->closed && compare(*h, q->lowest) <= 0; /* nothing lies below */
        if (!q->closed && !none)
            *h = h->bits == 0 ? (bound){true, UINT64_MAX} : (bound){h->negative, h->bits - 1};
        if (compare(*h, q->highest) > 0)
            kna_fail(op, KN_ERROR_VALUE, "high is out of bounds for %s", q->name);
        else if (none || compare(*h, q->lowest) < 0)
            bounds_error(op, q);
    }
    return !kna_failed(op);
}

static bool is_zero(const bounds *b)
{
    for (int64_t i = 0; i < b->n; i++)
        if (b->v[i].bits)
            return false;
    return true;
}

static void draw_each(knrng_call *c, int bits, bool masked, const bounds *low, const bounds *high, size_t n, void *out)
{
    knrng_param p[2] = {{.n = low->n, .shape = low->shape}, {.n = high->n, .shape = high->shape}};
    knrng_pieces pieces = {0};
    knrng_walk w;
    size_t size = bits == 1 ? 1 : (size_t)bits / 8;
    uint64_t all = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
    knrng_walk_begin(&w, &c->shape, 2, p);
    knrng_expect(&c->r, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t from = low->v[w.at[0]].bits, most = (high->v[w.at[1]].bits - from) & all;
        knrng_store(out, size, i, from + knrng_bounded(&c->r, bits, most, masked, &pieces));
        knrng_walk_next(&w);
    }
    knrng_give_back(&c->r);
}

static bool ordered(knrng_call *c, const request *q, const bounds *low, const bounds *high)
{
    knrng_param p[2] = {{.n = low->n, .shape = low->shape}, {.n = high->n, .shape = high->shape}};
    kn_shape shape = low->shape;
    knrng_walk w;
    bool fit = knrng_join_or_fail(&c->op, &shape, &high->shape);
    knrng_walk_begin(&w, &shape, 2, p);
    int64_t n = fit ? kni_type_size(kni_type_of(KN_DT(I64), shape.ndim, shape.dim)) : 0;
    for (int64_t i = 0; i < n; i++) {
        if (compare(low->v[w.at[0]], high->v[w.at[1]]) > 0) {
            bounds_error(&c->op, q);
            return false;
        }
        knrng_walk_next(&w);
    }
    return fit;
}

static bool is_empty(const knrng_call *c)
{
    for (int i = 0; i < c->shape.ndim; i++)
        if (c->sized && c->shape.dim[i] == 0)
            return true;
    return false;
}

typedef struct range {
    int bits;
    bool masked;
    uint64_t from, most;
} range;

static void fill_range(knrng_reader *r, size_t n, void *out, const void *env)
{
    const range *q = env;
    knrng_fill_bounded(r, q->bits, q->from, q->most, q->masked, n, out);
}

/* Does each number take one word, or half of one? A power of two of numbers leaves no word out. */
static bool takes_one(const range *q) { return q->bits >= 32 && q->most != 0 && (q->most & (q->most + 1)) == 0; }

static kn_array integers(knrng_call *c, kn_array low, kn_array high, kn_dtype d, bool closed)
{
    bounds l = {0}, h = {0};
    knx_buffer *b = NULL;
    request q = {.name = d->name, .closed = closed};
    bound zero = {0};
    ends_of(d, &q.lowest, &q.highest);
    int bits = q.bits = d->kind == KN_KIND_BOOL ? 1 : 8 * d->size;
    bool masked = c->g->legacy, empty = is_empty(c); /* then bounds are not looked at, as in NumPy */
    bool ok = !empty && take_bounds(c, high ? high : low, &h);
    if (ok && high)
        ok = take_bounds(c, low, &l);
    else if (ok)
        l = (bounds){&zero, 1, {0}};
    q.scalars = l.shape.ndim == 0 && h.shape.ndim == 0;
    q.from_zero = is_zero(&l);
    ok = ok && check_ends(&c->op, &q, &l, &h) && ordered(c, &q, &l, &h);
    knrng_param p[2] = {{.n = l.n, .shape = l.shape}, {.n = h.n, .shape = h.shape}};
    if (empty || (ok && knrng_result_shape(c, 2, p, false)))
        b = knrng_room(c, d);
    kni_type t = kni_type_of(d, c->shape.ndim, c->shape.dim);
    size_t n = (size_t)kni_type_size(t);
    range scalar = {.bits = bits, .masked = masked};
    if (b && !empty && q.scalars)
        scalar = (range){bits, masked, l.v[0].bits, h.v[0].bits - l.v[0].bits};
    bool wide = bits == 64 && scalar.most > UINT32_MAX;
    if (b && !empty && q.scalars && takes_one(&scalar))
        knrng_fill_in_pieces(&c->r, &(const knrng_task){fill_range, &scalar, d->size, !wide}, n, b->data);
    else if (b && !empty && q.scalars)
        fill_range(&c->r, n, b->data, &scalar);
    else if (b && !empty)
        draw_each(c, bits, masked, &l, &h, n, b->data);
    if (l.v != &zero)
        knx_free(l.v);
    knx_free(h.v);
    return b ? kna_from_buffer(&c->op, t, b) : knrng_failed(c);
}

static bool integer_dtype(knrng_call *c, const char *name, kn_dtype d)
{
    if (!knx_is_integer(d) && d->kind != KN_KIND_BOOL)
        kna_fail(&c->op, KN_ERROR_TYPE, "Unsupported dtype dtype('%s') for %s", d->name, name);
    return !kna_failed(&c->op);
}

kn_array kn_rng_integers(kn_rng rng, kn_array low, kn_array high, const kn_shape *size,
                         const kn_rng_integers_opts *opts)
{
    knrng_call c;
    kn_dtype d = opts && opts->dtype ? opts->dtype : KN_DT(I64);
    if (!knrng_begin(&c, "integers", rng, false, size) || !integer_dtype(&c, "integers", d))
        return knrng_failed(&c);
    return integers(&c, low, high, d, opts && opts->endpoint);
}

kn_array kn_random_state_randint(kn_random_state state, kn_array low, kn_array high, const kn_shape *size,
                                 const kn_random_state_randint_opts *opts)
{
    knrng_call c;
    kn_dtype d = opts && opts->dtype ? opts->dtype : KN_DT(I64);
    if (!knrng_begin(&c, "randint", state, true, size) || !integer_dtype(&c, "randint", d))
        return knrng_failed(&c);
    return integers(&c, low, high, d, false);
}

kn_array kn_random_state_random_integers(kn_random_state state, kn_array low, kn_array high, const kn_shape *size)
{
    knrng_call c;
    if (!knrng_begin(&c, "random_integers", state, true, size))
        return knrng_failed(&c);
    kn_array one = high ? NULL : kna_from_number(KN_DT(I64), true, knx_scalar_from_int(KN_DT(I64), 1));
    kn_array y = integers(&c, high ? low : one, high ? high : low, KN_DT(I64), true);
    if (one)
        kn_release(one);
    return y;
}

/* Bytes are cut out of words of 32 bits, the low byte first. */
static kn_array bytes(const void *handle, bool legacy, int64_t length)
{
    knrng_call c;
    kn_shape size = {1, {length}};
    if (!knrng_begin(&c, "bytes", handle, legacy, &size))
        return knrng_failed(&c);
    knx_buffer *b = knrng_room(&c, KN_DT(U8));
    uint8_t *out = b ? b->data : NULL;
    int64_t whole = length / 4, i = 4 * whole;
    if (b)
        knrng_halves(c.r.g, (size_t)whole, b->data);
#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    for (int64_t k = 0; b && k < whole; k++) {
        uint32_t w = ((uint32_t *)b->data)[k];
        for (int j = 0; j < 4; j++)
            out[4 * k + j] = (uint8_t)(w >> 8 * j);
    }
#endif
    if (b && (i < length || length == 0)) { /* where there are no bytes, too: NumPy draws it */
        uint32_t w = knrng_half(c.r.g);
        for (int k = 0; i < length; k++)
            out[i++] = (uint8_t)(w >> 8 * k);
    }
    return b ? kna_from_buffer(&c.op, kni_type_of(KN_DT(U8), 1, &length), b) : knrng_failed(&c);
}

kn_array kn_rng_bytes(kn_rng rng, int64_t length) { return bytes(rng, false, length); }

kn_array kn_random_state_bytes(kn_random_state state, int64_t length) { return bytes(state, true, length); }

kn_array kn_random_state_tomaxint(kn_random_state state, const kn_shape *size)
{
    knrng_call c;
    if (!knrng_begin(&c, "tomaxint", state, true, size))
        return knrng_failed(&c);
    knx_buffer *b = knrng_room(&c, KN_DT(I64));
    kni_type t = kni_type_of(KN_DT(I64), c.shape.ndim, c.shape.dim);
    size_t n = (size_t)kni_type_size(t);
    if (b)
        c.r.g->kind->fill(c.r.g, n, b->data);
    for (size_t i = 0; b && i < n; i++)
        ((uint64_t *)b->data)[i] >>= 1;
    return b ? kna_from_buffer(&c.op, t, b) : knrng_failed(&c);
}
