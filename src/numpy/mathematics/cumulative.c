/* SPDX-License-Identifier: Apache-2.0
 * cumulative.c -- sums and products of all elements up to each one. */
#include "lib/kept.h"
#include <string.h>

typedef struct cumulation {
    const char *name;
    bool product, ignore_nan, array_api; /* the last: with the rules of cumulative_sum */
} cumulation;

static kn_dtype joined_dtype(kn_dtype d)
{
    return d->kind == KN_KIND_BOOL || d->kind == KN_KIND_INT ? KN_DT(I64) : d->kind == KN_KIND_UINT ? KN_DT(U64) : d;
}

static kni_atom without_nan(kni_builder *b, kni_atom a, bool product)
{
    if (!knx_is_inexact(knb_type(b, a).dtype))
        return a;
    return knb_select(b, knb_eq(b, a, a), a, knb_like(b, a, product));
}

/* What is joined along *axis. */
static kni_atom operand(kna_op *op, const cumulation *c, kn_array x, kn_axes given, kn_dtype dtype, int *axis)
{
    kni_atom a = kna_in(op, x);
    if (kna_failed(op) || knl_not_a_number(op, c->name, knb_type(op->b, a).dtype))
        return KN_ATOM_NONE;
    kni_type t = knb_type(op->b, a);
    if (c->array_api && given.n <= 0 && t.ndim > 1)
        kna_fail(op, KN_ERROR_VALUE, "For arrays which have more than one dimension ``axis`` argument is required.");
    if (given.n <= 0 || !t.ndim)
        a = knl_flatten(op, a);
    if (kna_failed(op))
        return KN_ATOM_NONE;
    t = knb_type(op->b, a);
    *axis = kna_axis(op, given.n < 0 ? (kn_axes){.n = 0} : given, t.ndim, 0);
    if (c->ignore_nan)
        a = without_nan(op->b, a, c->product);
    if (dtype && dtype->kind == KN_KIND_BOOL) { /* or, and */
        a = knl_truth(op, a);
        a = kna_failed(op) ? a : knb_astype(op->b, a, KN_DT(I8));
        return a;
    }
    return kna_failed(op) ? KN_ATOM_NONE : knb_astype(op->b, a, dtype ? dtype : joined_dtype(t.dtype));
}

static kn_array cumulate(const cumulation *c, kn_array x, kn_axes given, kn_dtype dtype, bool initial)
{
    kna_op op;
    int axis = 0;
    kna_begin(&op, c->name);
    kni_atom a = operand(&op, c, x, given, dtype, &axis);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    bool truth = dtype && dtype->kind == KN_KIND_BOOL;
    if (truth)
        a = (c->product ? knb_cummin : knb_cummax)(op.b, a, axis, false);
    else
        a = (c->product ? knb_cumprod : knb_cumsum)(op.b, a, axis, false);
    if (initial) {
        int64_t one[KN_MAX_NDIM] = {0}, none[KN_MAX_NDIM] = {0};
        one[axis] = 1;
        a = knb_pad(op.b, a, knb_like(op.b, a, c->product), one, none, NULL);
    }
    return kna_end_in_order(&op, truth ? knb_astype(op.b, a, dtype) : a, 1, &x);
}

#define CUMSUM(function, name, product, ignore_nan)                     \
    static kn_array name(const kn_array *x, const void *options)        \
    {                                                                   \
        const kn_cumsum_opts *o = options;                              \
        const cumulation c = {#name, product, ignore_nan, false};       \
        return cumulate(&c, *x, o->axis, o->dtype, false);              \
    }                                                                   \
    kn_array function(kn_array x, const kn_cumsum_opts *opts)           \
    {                                                                   \
        KNX_OPTS(kn_cumsum_opts, o, opts);                              \
        return knl_kept(&(knl_call){#name, name, 1, &x, &o, sizeof o}); \
    }
CUMSUM(kn_cumsum, cumsum, false, false)
CUMSUM(kn_cumprod, cumprod, true, false)
CUMSUM(kn_nancumsum, nancumsum, false, true)
CUMSUM(kn_nancumprod, nancumprod, true, true)

#define CUMULATIVE(function, product)                                              \
    kn_array function(kn_array x, const kn_cumulative_sum_opts *opts)              \
    {                                                                              \
        KNX_OPTS(kn_cumulative_sum_opts, o, opts);                                 \
        const cumulation c = {&#function[sizeof "kn_" - 1], product, false, true}; \
        return cumulate(&c, x, o.axis, o.dtype, o.include_initial);                \
    }
CUMULATIVE(kn_cumulative_sum, false)
CUMULATIVE(kn_cumulative_prod, true)
