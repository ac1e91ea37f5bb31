/* SPDX-License-Identifier: Apache-2.0
 * discrete.c -- truth values, signs and integers. Step for step what jax.random does. */
#include "kiln/random.h"
#include "random/draw.h"
#include <math.h>
#include <string.h>

/* ---- Bernoulli. */

/* u < p, where a second uniform number gives u the bits that the first one does not have. */
static kni_atom below_finely(knrandom_draw *w, kn_dtype d, kni_atom p)
{
    kni_builder *b = w->b;
    kn_shape two = {.ndim = w->shape.ndim < KN_MAX_NDIM ? w->shape.ndim + 1 : KN_MAX_NDIM, .dim = {2}};
    for (int i = 1; i < two.ndim; i++)
        two.dim[i] = w->shape.dim[i - 1];
    kni_atom both = knrandom_unit(b, w->key, d, &two), u[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    knb_unstack(b, both, 0, 2, u);
    kni_atom fine = knb_mul(b, u[1], knb_number(b, d, knrandom_form_of(d).eps));
    return knb_lt(b, fine, knb_sub(b, p, u[0]));
}

kn_array kn_random_bernoulli(kn_array key, kn_array p, const kn_shape *shape, const kn_random_bernoulli_opts *opts)
{
    knrandom_draw w;
    kn_random_bernoulli_opts o = opts ? *opts : kn_random_bernoulli_opts_default();
    if (!knrandom_begin(&w, "random_bernoulli", key, KNRANDOM_ANY, NULL, shape, 1, &p))
        return knrandom_failed(&w);
    kni_atom at = kna_in(&w.op, p);
    kn_dtype d = knb_type(w.b, at).dtype;
    bool fine = o.mode && strcmp(o.mode, "high") == 0;
    if (!fine && (!o.mode || strcmp(o.mode, "low") != 0))
        kna_fail(&w.op, KN_ERROR_VALUE, "got mode='%s', expected 'high' or 'low'", o.mode ? o.mode : "");
    else if (!kna_failed(&w.op) && !knx_is_float(d))
        kna_fail(&w.op, KN_ERROR_TYPE, "bernoulli probability `p` must have a floating dtype, got %s.", d->name);
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    at = knrandom_spread(w.b, at, w.full);
    return kna_end(&w.op, fine ? below_finely(&w, d, at) : knb_lt(w.b, knrandom_unit(w.b, w.key, d, &w.shape), at));
}

kni_atom knrandom_rademacher(kni_builder *b, kni_atom key, kn_dtype d, const kn_shape *shape)
{
    kn_dtype f = kna_default_float();
    kni_atom yes = knb_lt(b, knrandom_unit(b, key, f, shape), knb_number(b, f, 0.5));
    kni_atom one = knb_convert(b, yes, d);
    return knb_sub(b, knb_add(b, one, one), knb_convert(b, knb_integer(b, KN_DT(I64), 1), d));
}

kn_array kn_random_rademacher(kn_array key, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    if (!knrandom_begin(&w, "random_rademacher", key, KNRANDOM_ANY, opts ? opts->dtype : NULL, shape, 0, NULL))
        return knrandom_failed(&w);
    if (w.d->kind == KN_KIND_BOOL) { /* 2 x - 1 is never false */
        kna_fail(&w.op, KN_ERROR_TYPE, "signs of dtype bool do not exist");
        return knrandom_failed(&w);
    }
    return kna_end(&w.op, knrandom_rademacher(w.b, w.key, w.d, &w.shape));
}

/* ---- Integers of a range. */

static int64_t least(kn_dtype d) { return d->kind == KN_KIND_UINT ? 0 : -((int64_t)1 << (d->size * 8 - 2)) * 2; }

static uint64_t most(kn_dtype d)
{
    int bits = d->size * 8 - (d->kind != KN_KIND_UINT);
    return bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

static kni_atom integer(kni_builder *b, kn_dtype d, uint64_t v)
{
    knx_scalar_bits bits = {.u64 = v}, out = {.u = {0}};
    knx_convert(KN_DT(U64), &bits, d, &out);
    return knb_literal(b, d, false, out);
}

static kni_atom clip(kni_builder *b, kni_atom x, kni_atom lo, kni_atom hi) { return knb_min(b, knb_max(b, x, lo), hi); }

/* x cut down to the range of dtype d, in its own dtype and (narrowed) in that one. */
static kni_atom cut(kni_builder *b, kni_atom x, kn_dtype d)
{
    kn_dtype of = knb_type(b, x).dtype;
    int64_t lo = least(d) > least(of) ? least(d) : least(of);
    uint64_t hi = most(d) < most(of) ? most(d) : most(of);
    return knb_convert(b, clip(b, x, knb_integer(b, of, lo), integer(b, of, hi)), d);
}

/* A limit as an array of integers: for dtypes below 32 bits in int32, where the range and one more fit. */
static kni_atom limit_in(knrandom_draw *w, kn_array x, kn_dtype d, bool upper)
{
    kni_builder *b = w->b;
    kni_atom a = kna_in(&w->op, x);
    if (d->size < 4) {
        kn_dtype i = KN_DT(I32);
        return clip(b, knb_convert(b, a, i), knb_integer(b, i, least(d)), knb_integer(b, i, (int64_t)most(d) + upper));
    }
    return knx_is_integer(knb_type(b, a).dtype) ? a : knb_convert(b, a, KN_DT(I64));
}

/* x % n; x itself for n = 0, which stands for 2^bits. */
static kni_atom remainder_of(kni_builder *b, kni_atom x, kni_atom n)
{
    kn_dtype d = knb_type(b, n).dtype;
    kni_atom zero = knb_eq(b, n, knb_integer(b, d, 0));
    kni_atom rem = knb_rem(b, x, knb_select(b, zero, knb_integer(b, d, 1), n));
    return knb_select(b, zero, x, rem);
}

/* How many numbers there are to choose from; one if the range is empty. */
static kni_atom span_of(kni_builder *b, kn_dtype u, kni_atom lo, kni_atom hi, kni_atom beyond)
{
    kni_atom empty = knb_le(b, hi, lo), one = knb_integer(b, u, 1);
    kni_atom span = knb_select(b, empty, one, knb_convert(b, knb_sub(b, hi, lo), u));
    return knb_select(b, knb_and(b, beyond, knb_gt(b, hi, lo)), knb_add(b, span, one), span);
}

/* lo + a number of twice the bits, modulo the span. d: of at least 32 bits; the limits are arrays of integers. */
static kni_atom in_range(knrandom_draw *w, kn_dtype d, kni_atom low, kni_atom high)
{
    kni_builder *b = w->b;
    int bits = d->size * 8;
    kn_dtype u = bits == 32 ? KN_DT(U32) : KN_DT(U64), of = knb_type(b, high).dtype;
    kni_type full = kni_type_of(d, w->shape.ndim, w->shape.dim);
    uint64_t top = most(d) < most(of) ? most(d) : most(of);
    kni_atom beyond = knrandom_spread(b, knb_gt(b, high, integer(b, of, top)), full);
    kni_atom lo = knrandom_spread(b, cut(b, low, d), full), hi = knrandom_spread(b, cut(b, high, d), full), keys[2],
             word[2];
    knrandom_split2(b, w->key, keys);
    for (int i = 0; i < 2; i++)
        word[i] = knb_random_bits(b, keys[i], bits, w->shape.ndim, w->shape.dim);
    kni_atom span = span_of(b, u, lo, hi, beyond);
    kni_atom half = remainder_of(b, integer(b, u, (uint64_t)1 << bits / 2), span);
    kni_atom factor = remainder_of(b, knb_mul(b, half, half), span);
    kni_atom offset = knb_add(b, knb_mul(b, remainder_of(b, word[0], span), factor), remainder_of(b, word[1], span));
    return knb_add(b, lo, knb_convert(b, remainder_of(b, offset, span), d));
}

kni_atom knrandom_below(knrandom_draw *w, int64_t n)
{
    return in_range(w, KN_DT(I64), knb_integer(w->b, KN_DT(I64), 0), knb_dimension(w->b, KN_DT(I64), n));
}

kn_array kn_random_randint(kn_array key, const kn_shape *shape, kn_array minval, kn_array maxval,
                           const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    kn_array limit[2] = {minval, maxval};
    kn_dtype d = opts && opts->dtype ? opts->dtype : KN_DT(I64);
    bool ok =
        knrandom_begin(&w, "random_randint", key, KNRANDOM_ANY, d, knrandom_not_given(shape) ? NULL : shape, 2, limit);
    if (ok && !knx_is_integer(d))
        kna_fail(&w.op, KN_ERROR_TYPE, "randint only accepts integer dtypes, got %s", d->name);
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    kni_atom lo = limit_in(&w, minval, d, false), hi = limit_in(&w, maxval, d, true);
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    return kna_end(&w.op, knb_convert(w.b, in_range(&w, d->size < 4 ? KN_DT(I32) : d, lo, hi), d));
}

/* ---- Trials until the first success. */

kn_array kn_random_geometric(kn_array key, kn_array p, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    if (!knrandom_begin(&w, "random_geometric", key, KNRANDOM_INTEGER, opts ? opts->dtype : NULL, shape, 1, &p))
        return knrandom_failed(&w);
    kni_builder *b = w.b;
    kni_atom at = knrandom_inexact(&w, p);
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    kn_dtype f = knb_type(b, at).dtype;
    kni_atom u = knrandom_unit(b, w.key, f, &w.shape), one = knb_number(b, f, 1);
    u = knb_select(b, knb_eq(b, u, knb_number(b, f, 0)), one, u);
    kni_atom failure = knrandom_spread(b, knb_log1p(b, knb_neg(b, at)), w.full);
    kni_atom trials = knb_add(b, knb_floor(b, knb_div(b, knb_log(b, u), failure)), one);
    return kna_end(&w.op, knb_convert(b, trials, w.d));
}
