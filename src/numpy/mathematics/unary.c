/* SPDX-License-Identifier: Apache-2.0
 * unary.c -- the functions of one or three arrays that go element by element. Operands are converted to one dtype by
 * NumPy's rules; a scalar beside an array goes in as it is. */
#include "array/storage.h"
#include "lib/formulas.h"
#include "lib/kept.h"
#include <string.h>

/* ---- One argument: the rows of unary.def whose public functions are NumPy's. */

#define UNARY_SPECIAL(...)
#define UNARY_LAX(...)

#define UNARY(name, function, traits, ...) \
    kn_array function(kn_array x) { return knl_unary(x, &#function[sizeof "kn_" - 1], knb_##name, traits); }
#include "ir/unary.def"
#undef UNARY

kn_array kn_neg(kn_array x) { return kn_negative(x); }
kn_array kn_abs(kn_array x) { return kn_absolute(x); }
kn_array kn_asin(kn_array x) { return kn_arcsin(x); }
kn_array kn_acos(kn_array x) { return kn_arccos(x); }
kn_array kn_atan(kn_array x) { return kn_arctan(x); }
kn_array kn_asinh(kn_array x) { return kn_arcsinh(x); }
kn_array kn_acosh(kn_array x) { return kn_arccosh(x); }
kn_array kn_atanh(kn_array x) { return kn_arctanh(x); }

static kn_array no_loop_for_bool(kna_op *op, const char *name)
{
    kna_fail(op, KN_ERROR_TYPE, "ufunc '%s' did not contain a loop with signature matching types %s -> None", name,
             "<class 'numpy.dtypes.BoolDType'>");
    return kna_end(op, KN_ATOM_NONE);
}

kn_array kn_positive(kn_array x)
{
    kna_op op;
    kna_begin(&op, "positive");
    kni_type t = kna_type(&op, x);
    if (!kna_failed(&op) && t.dtype->kind == KN_KIND_BOOL)
        return no_loop_for_bool(&op, "positive");
    return kna_end_in_order(&op, kna_in(&op, x), 1, &x);
}

kn_array kn_sign(kn_array x)
{
    kna_op op;
    kna_begin(&op, "sign");
    kni_type t = kna_type(&op, x);
    if (!kna_failed(&op) && t.dtype->kind == KN_KIND_BOOL)
        return no_loop_for_bool(&op, "sign");
    return kna_end_in_order(&op, knb_sign(op.b, kna_in(&op, x)), 1, &x);
}

kn_array kn_reciprocal(kn_array x)
{
    kna_op op;
    kna_begin(&op, "reciprocal");
    kni_atom a = knl_in_number(&op, x);
    kn_dtype d = kna_failed(&op) ? NULL : knb_type(op.b, a).dtype;
    bool whole = d && knx_is_integer(d);
    knl_hush hush = whole ? knl_hush_begin(op.b) : (knl_hush){.before = op.b->place};
    kni_atom y = knb_div(op.b, knb_like(op.b, a, 1), a);
    if (whole) { /* infinity as NumPy converts it on x86 */
        double none = d == KN_DT(I32) ? INT32_MIN : d == KN_DT(I64) ? (double)INT64_MIN : 0;
        y = knb_select(op.b, knb_eq(op.b, a, knb_like(op.b, a, 0)), knb_like(op.b, a, none), y);
    }
    return kna_end_in_order(&op, knl_hush_end(op.b, &hush, "reciprocal", 1, &a, y), 1, &x);
}

kn_array kn_conjugate(kn_array x)
{
    kna_op op;
    kna_begin(&op, "conjugate");
    return kna_end_in_order(&op, knb_conj(op.b, knl_in_number(&op, x)), 1, &x);
}

kn_array kn_conj(kn_array x) { return kn_conjugate(x); }

/* ---- Three arguments; those of two are in ufunc.c. */

/* An extent as a bound, which may lie beyond all values. */
static kn_array bound_within(kna_op *op, kn_array bound, kn_dtype d, bool lower)
{
    int64_t extent;
    if (!bound || !knx_is_integer(d) || d == KN_DT(I64) || (d == KN_DT(U64) && !lower) ||
        !knl_names_extent(op, bound, &extent))
        return bound;
    int64_t end = (int64_t)knx_scalar_to_double(d, knx_scalar_extreme(d, !lower)); /* of so few bits it is exact */
    return kn_like_int(lower ? knx_dim_max(extent, end) : knx_dim_min(extent, end));
}

/* Is the bound a C integer that no value of integer dtype d is beyond? */
static bool bounds_nothing(kna_op *op, kn_array bound, kn_dtype d, bool lower)
{
    bool is_unsigned;
    knx_scalar_bits bits = {{0}}, end = {{0}}, last = {{0}};
    int side = bound ? knl_beyond(op, bound, d) : 0;
    if (side || !bound || !knx_is_integer(d) || !knl_weak_integer(op, bound, &is_unsigned, &bits))
        return side == (lower ? -1 : 1);
    end = knx_scalar_extreme(d, !lower);
    knx_convert(d, &end, is_unsigned ? KN_DT(U64) : KN_DT(I64), &last);
    return bits.u64 == last.u64;
}

static kn_array clip(const kn_array *all, const void *options)
{
    kn_array x = all[0], lo = all[1], hi = all[2];
    (void)options;
    kna_op op;
    kna_begin(&op, "clip");
    kn_shape shape;
    kn_dtype d = kna_join(&op, 3, all, &shape);
    if (kna_failed(&op) || knl_not_a_number(&op, "clip", d))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = kna_type(&op, x);
    kn_dtype own = knx_is_integer(t.dtype) && !t.weak ? t.dtype : d;
    lo = bounds_nothing(&op, lo, own, true) ? NULL : bound_within(&op, lo, d, true);
    hi = bounds_nothing(&op, hi, own, false) ? NULL : bound_within(&op, hi, d, false);
    kni_atom a = knl_operand(&op, x, d, &shape);
    if (lo)
        a = knb_max(op.b, a, knl_operand(&op, lo, d, &shape));
    if (hi)
        a = knb_min(op.b, a, knl_operand(&op, hi, d, &shape));
    return kna_end_in_order(&op, a, 3, all);
}

kn_array kn_clip(kn_array x, kn_array lo, kn_array hi)
{
    return knl_kept(&(knl_call){.name = "clip", .f = clip, .n = 3, .x = (const kn_array[]){x, lo, hi}});
}
