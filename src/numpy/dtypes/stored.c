/* SPDX-License-Identifier: Apache-2.0
 * stored.c -- numbers of dtypes that are only stored (float8, int4 and their kin), to and from those that compute: a
 * few operations on bits, as ml_dtypes has them. */
#include "lib/internal.h"
#include <math.h>

/* ---- Small helpers: x with a constant. */

static kni_atom and_with(kni_builder *b, kni_atom x, uint32_t c) { return knb_and(b, x, knb_like(b, x, c)); }
static kni_atom or_with(kni_builder *b, kni_atom x, uint32_t c) { return knb_or(b, x, knb_like(b, x, c)); }
static kni_atom less(kni_builder *b, kni_atom x, uint32_t c) { return knb_lt(b, x, knb_like(b, x, c)); }
static kni_atom is(kni_builder *b, kni_atom x, uint32_t c) { return knb_eq(b, x, knb_like(b, x, c)); }
static kni_atom left(kni_builder *b, kni_atom x, int n) { return knb_shift_left(b, x, knb_like(b, x, n)); }
static kni_atom right(kni_builder *b, kni_atom x, int n) { return knb_shift_right_logical(b, x, knb_like(b, x, n)); }
static kni_atom at_most(kni_builder *b, kni_atom x, uint32_t c) { return knb_min(b, x, knb_like(b, x, c)); }

/* yes where `which`, else no; both are constants or have its shape */
static kni_atom choose(kni_builder *b, kni_atom which, uint32_t yes, kni_atom no)
{
    return knb_select(b, which, knb_like(b, no, yes), no);
}

/* ---- Codes to numbers. */

enum { INFINITY_BITS = 0x7f800000, NAN_BITS = 0x7fc00000 };

/* What the code of a positive number means, as bits of a float32. */
static kni_atom magnitude(kni_builder *b, kni_atom code, const knx_coding *c)
{
    const int up = 23 - c->fraction;
    const uint32_t most = (1u << (c->exponent + c->fraction)) - 1, infinity = most >> c->fraction << c->fraction;
    kni_atom low = left(b, code, up);
    if (c->code == KNX_SCALE) {
        low = choose(b, is(b, code, 0), 1u << 22, low);
        return choose(b, is(b, code, most), NAN_BITS, low);
    }
    kni_atom scale = knb_number(b, KN_DT(F32), ldexp(1, 127 - c->bias));
    kni_atom bits = knb_bitcast(b, knb_mul(b, knb_bitcast(b, low, KN_DT(F32)), scale), KN_DT(U32));
    if (c->code == KNX_IEEE)
        return knb_select(b, less(b, code, infinity), bits, or_with(b, low, INFINITY_BITS));
    return c->code == KNX_FN ? choose(b, is(b, code, most), NAN_BITS, bits) : bits;
}

kni_atom knl_stored_value(kni_builder *b, kni_atom x)
{
    const knx_coding *c = knx_coding_of(knb_type(b, x).dtype);
    const int width = c->exponent + c->fraction;
    kni_atom byte = knb_bitcast(b, x, KN_DT(U8));
    if (c->code == KNX_UNSIGNED)
        return and_with(b, byte, (1u << width) - 1);
    if (c->code == KNX_SIGNED) {
        kni_atom high = knb_bitcast(b, left(b, byte, 8 - width), KN_DT(I8));
        return knb_shift_right_arithmetic(b, high, knb_like(b, high, 8 - width));
    }
    kni_atom code = knb_convert(b, byte, KN_DT(U32));
    kni_atom bits = magnitude(b, and_with(b, code, (1u << width) - 1), c);
    if (c->code != KNX_SCALE) /* any bit above the number is a sign */
        bits = knb_select(b, less(b, code, 1u << width), bits, or_with(b, bits, 1u << 31));
    if (c->code == KNX_FNUZ)
        bits = choose(b, is(b, code, 0x80), NAN_BITS, bits);
    return knb_bitcast(b, bits, KN_DT(F32));
}

/* ---- Numbers to codes. */

/* The code of the nearest number, half to even, of a float that is not negative (by its bits); too large ones have
 * larger codes. */
static kni_atom rounded(kni_builder *b, kni_atom a, const knx_coding *c)
{
    const int down = 23 - c->fraction;
    const double unit = ldexp(1, 24 - c->fraction - c->bias); /* its last place is the smallest number */
    kni_atom even = and_with(b, right(b, a, down), 1),
             sum = knb_add(b, knb_add(b, a, even), knb_like(b, a, (1u << (down - 1)) - 1));
    kni_atom normal = knb_sub(b, right(b, sum, down), knb_like(b, a, (double)((127 - c->bias) << c->fraction)));
    kni_atom base = knb_number(b, KN_DT(F32), unit), small = knb_add(b, knb_bitcast(b, a, KN_DT(F32)), base);
    kni_atom subnormal = knb_sub(b, knb_bitcast(b, small, KN_DT(U32)), knb_bitcast(b, base, KN_DT(U32)));
    return knb_select(b, less(b, a, (uint32_t)(128 - c->bias) << 23), subnormal, normal);
}

/* The power of two that is nearest to a float, half up; NaN for all that is not positive. */
static kni_atom scale_code(kni_builder *b, kni_atom bits)
{
    kni_atom half_up = right(b, knb_add(b, bits, knb_like(b, bits, 1 << 22)), 23);
    kni_atom code = knb_select(b, less(b, bits, 1u << 23),
                               knb_convert(b, knb_lt(b, knb_like(b, bits, 1 << 22), bits), KN_DT(U32)), half_up);
    kni_atom sound = knb_and(b, less(b, bits, INFINITY_BITS), knb_not(b, is(b, bits, 0)));
    return knb_select(b, sound, code, knb_like(b, bits, 0xff));
}

static kni_atom float_code(kni_builder *b, kni_atom bits, const knx_coding *c)
{
    const int width = c->exponent + c->fraction;
    const uint32_t most = (1u << width) - 1, infinity = most >> c->fraction << c->fraction;
    kni_atom a = and_with(b, bits, 0x7fffffff), sign = right(b, bits, 31), code = rounded(b, a, c);
    kni_atom nan = knb_lt(b, knb_like(b, a, INFINITY_BITS), a), top = left(b, sign, width);
    switch (c->code) {
    case KNX_IEEE: code = choose(b, nan, infinity | 1u << (c->fraction - 1), at_most(b, code, infinity)); break;
    case KNX_FN: code = at_most(b, code, most); break;
    case KNX_FNUZ: /* no -0: it is NaN */
        top = choose(b, knb_or(b, is(b, code, 0), knb_lt(b, knb_like(b, code, most), code)), 0, top);
        code = at_most(b, code, most + 1);
        break;
    default: /* without NaN, which becomes the zero of the other sign */
        code = choose(b, nan, 0, at_most(b, code, most));
        top = knb_select(b, nan, left(b, knb_xor(b, sign, knb_like(b, sign, 1)), width), top);
        break;
    }
    return knb_or(b, code, top);
}

kni_atom knl_store_value(kni_builder *b, kni_atom x, kn_dtype d)
{
    const knx_coding *c = knx_coding_of(d);
    if (c->code >= KNX_SIGNED) {
        kni_atom byte = knb_bitcast(b, knb_astype(b, x, KN_DT(I8)), KN_DT(U8));
        return knb_bitcast(b, and_with(b, byte, (1u << (c->exponent + c->fraction)) - 1), d);
    }
    if (knx_is_complex(knb_type(b, x).dtype))
        x = knb_real(b, x);
    x = knb_bitcast(b, knb_convert(b, x, KN_DT(F32)), KN_DT(U32)); /* ml_dtypes goes by way of float32, too */
    kni_atom code = c->code == KNX_SCALE ? scale_code(b, x) : float_code(b, x, c);
    return knb_bitcast(b, knb_convert(b, code, KN_DT(U8)), d);
}

kni_atom knl_as(kna_op *op, kn_array x, kn_dtype d)
{
    kni_type t = kna_type(op, x);
    if (kna_failed(op) || t.dtype == d || (!knx_is_stored(t.dtype) && !knx_is_stored(d)))
        return kna_in_as(op, x, d);
    kni_atom a = kna_in(op, x);
    if (t.dtype == KN_DT(KEY) || d == KN_DT(KEY)) {
        kna_fail(op, KN_ERROR_TYPE, "cannot convert %s to %s", t.dtype->name, d->name);
        return a;
    }
    if (knx_is_stored(t.dtype))
        a = knl_stored_value(op->b, a);
    return knx_is_stored(d) ? knl_store_value(op->b, a, d) : knb_astype(op->b, a, d);
}

kni_atom knl_full(kni_builder *b, kni_type t, double v)
{
    kn_dtype d = t.dtype;
    if (!knx_is_stored(d) || v == 0)
        return knb_full(b, t, v);
    t.dtype = KN_DT(F32);
    return knl_store_value(b, knb_full(b, t, v), d);
}
