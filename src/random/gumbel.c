/* SPDX-License-Identifier: Apache-2.0
 * gumbel.c -- numbers of the Gumbel distribution, with three ways to get at its long tail, and what is drawn with
 * them: categories. Step for step what jax.random does. */
#include "kiln/random.h"
#include "random/draw.h"
#include <string.h>

static kni_atom minus_log(kni_builder *b, kni_atom x) { return knb_neg(b, knb_log(b, x)); }
static kni_atom minus_log1p(kni_builder *b, kni_atom minus_x) { return knb_neg(b, knb_log1p(b, minus_x)); }

/* Row i of an array. */
static kni_atom row(kni_builder *b, kni_atom x, int64_t i)
{
    kni_type t = knb_type(b, x);
    int64_t start[KN_MAX_NDIM] = {i}, limit[KN_MAX_NDIM] = {i + 1}, axis = 0;
    if (!kni_is_var(x))
        return KN_ATOM_NONE;
    for (int d = 1; d < t.ndim; d++)
        limit[d] = t.dim[d];
    return knb_squeeze(b, knb_slice(b, x, start, limit, NULL), 1, &axis);
}

static kn_shape two_of(const kn_shape *shape)
{
    kn_shape two = {.ndim = shape->ndim < KN_MAX_NDIM ? shape->ndim + 1 : KN_MAX_NDIM, .dim = {2}};
    for (int i = 1; i < two.ndim; i++)
        two.dim[i] = shape->dim[i - 1];
    return two;
}

static kni_atom low(kni_builder *b, kni_atom key, kn_dtype d, const kn_shape *shape)
{
    kni_atom tiny = knb_number(b, d, knrandom_form_of(d).tiny), one = knb_number(b, d, 1);
    return minus_log(b, minus_log(b, knrandom_between(b, key, d, shape, tiny, one)));
}

/* Below one half a second uniform number gives the bits that the first one does not have. */
static kni_atom high(kni_builder *b, kni_atom key, kn_dtype d, const kn_shape *shape)
{
    kn_shape two = two_of(shape);
    knrandom_form form = knrandom_form_of(d);
    kni_atom both = knrandom_unit(b, key, d, &two), u = row(b, both, 0), more = row(b, both, 1);
    kni_atom fine = knb_add(b, u, knb_mul(b, knb_number(b, d, form.eps), more));
    fine = knb_add(b, fine, knb_number(b, d, form.tiny));
    kni_atom x = knb_select(b, knb_ge(b, u, knb_number(b, d, 0.5)), u, fine);
    return minus_log(b, minus_log1p(b, knb_neg(b, x)));
}

static kni_atom word(kni_builder *b, int64_t v) { return knb_integer(b, KN_DT(U32), v); }

/* The fixed-point number hi lo / 2^64 as a float32, rounded towards zero. */
static kni_atom fixed_to_float(kni_builder *b, kni_atom hi, kni_atom lo)
{
    kni_atom hi_zeros = knb_clz(b, hi), lo_zeros = knb_clz(b, lo), none = knb_eq(b, hi_zeros, word(b, 32));
    kni_atom below = knb_select(b, none, knb_shift_left(b, lo, lo_zeros),
                                knb_shift_right_logical(b, lo, knb_sub(b, word(b, 32), hi_zeros)));
    kni_atom mantissa = knb_or(b, knb_shift_left(b, hi, hi_zeros), below);
    mantissa = knb_and(b, knb_shift_right_logical(b, mantissa, word(b, 8)), word(b, 0x7fffff));
    kni_atom zeros = knb_select(b, none, knb_add(b, word(b, 32), lo_zeros), hi_zeros);
    kni_atom exponent = knb_shift_left(b, knb_sub(b, word(b, 126), zeros), word(b, 23));
    exponent = knb_and(b, exponent, word(b, (1 << 30) - (1 << 22)));
    return knb_bitcast(b, knb_or(b, exponent, mantissa), KN_DT(F32));
}

/* float32 from 64 bits: x or 1 - x, whichever is small. */
static kni_atom highest(kni_builder *b, kni_atom key, const kn_shape *shape)
{
    kn_shape two = two_of(shape);
    kni_atom bits = knb_random_bits(b, key, 32, two.ndim, two.dim), hi = row(b, bits, 0), lo = row(b, bits, 1);
    kni_atom not_hi = knb_not(b, hi), not_lo = knb_not(b, lo);
    kni_atom carry = knb_convert(b, knb_eq(b, not_lo, word(b, UINT32_MAX)), KN_DT(U32));
    not_hi = knb_add(b, not_hi, carry);
    not_lo = knb_add(b, not_lo, word(b, 1));
    kni_atom small = knb_lt(b, hi, word(b, (int64_t)1 << 31));
    kni_atom x = fixed_to_float(b, knb_select(b, small, hi, not_hi), knb_select(b, small, lo, not_lo));
    return knb_select(b, small, minus_log(b, minus_log1p(b, knb_neg(b, x))), minus_log(b, minus_log(b, x)));
}

kni_atom knrandom_gumbel(kna_op *op, kni_atom key, kn_dtype d, const kn_shape *shape, const char *mode)
{
    if (!mode || strcmp(mode, "low") == 0)
        return low(op->b, key, d, shape);
    if (strcmp(mode, "highest") == 0 && d == KN_DT(F32))
        return highest(op->b, key, shape);
    if (strcmp(mode, "high") == 0 || strcmp(mode, "highest") == 0)
        return high(op->b, key, d, shape);
    kna_fail(op, KN_ERROR_VALUE, "Must provide valid mode for gumbel got: %s", mode);
    return KN_ATOM_NONE;
}

kn_array kn_random_gumbel(kn_array key, const kn_shape *shape, const kn_random_gumbel_opts *opts)
{
    knrandom_draw w;
    kn_random_gumbel_opts o = opts ? *opts : kn_random_gumbel_opts_default();
    if (!knrandom_begin(&w, "random_gumbel", key, KNRANDOM_FLOAT, o.dtype, shape, 0, NULL))
        return knrandom_failed(&w);
    return kna_end(&w.op, knrandom_gumbel(&w.op, w.key, w.d, &w.shape, o.mode));
}

/* ---- Categories: the largest of the logits with Gumbel noise added. */

/* The first axes of a shape: those in front of the batch axes. */
static kn_shape prefix_of(const kn_shape *shape, int n_batch)
{
    kn_shape prefix = *shape;
    prefix.ndim -= n_batch;
    return prefix;
}

static kni_atom with_replacement(knrandom_draw *w, kni_atom logits, int axis, const kn_shape *prefix, const char *mode)
{
    kni_type t = knb_type(w->b, logits);
    kn_shape all = *prefix;
    if (all.ndim + t.ndim > KN_MAX_NDIM) {
        kna_fail(&w->op, KN_ERROR_VALUE, "maximum supported dimension for an array is %d", KN_MAX_NDIM);
        return KN_ATOM_NONE;
    }
    for (int i = 0; i < t.ndim; i++) /* an axis of extent 1 may be wider in the shape */
        all.dim[all.ndim++] = i == axis ? t.dim[i] : w->shape.dim[prefix->ndim + i - (i > axis)];
    kni_atom noise = knrandom_gumbel(&w->op, w->key, t.dtype, &all, mode);
    if (kna_failed(&w->op))
        return KN_ATOM_NONE;
    kni_atom noisy = knb_add(w->b, noise, knb_broadcast_to(w->b, logits, knb_type(w->b, noise)));
    return knb_argmax(w->b, noisy, prefix->ndim + axis, KN_DT(I64));
}

static kni_atom without_replacement(knrandom_draw *w, kni_atom logits, int axis, const kn_shape *prefix,
                                    const char *mode)
{
    kni_builder *b = w->b;
    kni_type t = knb_type(b, logits);
    kn_shape all = {.ndim = t.ndim};
    int64_t k = 1, order[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++)
        all.dim[i] = t.dim[i];
    for (int i = 0; i < prefix->ndim; i++)
        k = knx_dim_mul(k, prefix->dim[i]);
    if (!knx_dim_le(k, t.dim[axis])) {
        knx_text few = {0}, many = {0};
        kna_fail(&w->op, KN_ERROR_VALUE,
                 "Number of samples without replacement (%s) cannot exceed number of categories (%s).",
                 knx_dim_show(&many, k), knx_dim_show(&few, t.dim[axis]));
        return KN_ATOM_NONE;
    }
    kni_atom noise = knrandom_gumbel(&w->op, w->key, t.dtype, &all, mode), top[2] = {KN_ATOM_NONE, KN_ATOM_NONE};
    if (kna_failed(&w->op))
        return KN_ATOM_NONE;
    knb_top_k(b, knb_move_axis(b, knb_add(b, logits, noise), axis, t.ndim - 1), t.ndim - 1, k, top);
    order[0] = t.ndim - 1;
    for (int i = 1; i < t.ndim; i++)
        order[i] = i - 1;
    return knb_reshape(b, knb_transpose(b, top[1], order), w->shape.ndim, w->shape.dim);
}

kn_array kn_random_categorical(kn_array key, kn_array logits, const kn_random_categorical_opts *opts)
{
    knrandom_draw w;
    kn_random_categorical_opts o = opts ? *opts : kn_random_categorical_opts_default();
    if (!knrandom_begin(&w, "random_categorical", key, KNRANDOM_ANY, NULL, NULL, 1, &logits))
        return knrandom_failed(&w);
    kni_type t = knb_type(w.b, kna_in(&w.op, logits));
    int axis = kna_axis(&w.op, o.axis, t.ndim, -1);
    if (!kna_failed(&w.op) && !knx_is_float(t.dtype))
        kna_fail(&w.op, KN_ERROR_VALUE, "dtype argument to `gumbel` must be a float dtype, got %s", t.dtype->name);
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    kn_shape batch = {.ndim = 0};
    for (int i = 0; i < t.ndim; i++)
        if (i != axis)
            batch.dim[batch.ndim++] = t.dim[i];
    int n_batch = batch.ndim;
    if (!knrandom_batch_shape(&w, o.shape.ndim > 0 ? &o.shape : NULL, &batch))
        return knrandom_failed(&w);
    kn_shape prefix = prefix_of(&w.shape, n_batch);
    kni_atom x = kna_in(&w.op, logits);
    return kna_end(&w.op, o.replace ? with_replacement(&w, x, axis, &prefix, o.mode)
                                    : without_replacement(&w, x, axis, &prefix, o.mode));
}
