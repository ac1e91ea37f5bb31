/* SPDX-License-Identifier: Apache-2.0
 * nan_to_num.c -- numbers in the place of NaN and infinities. */
#include "lib/formulas.h"
#include "lib/internal.h"
#include <math.h>

static double largest(kn_dtype d)
{
    if (d == KN_DT(F16))
        return 65504;
    return d == KN_DT(BF16) ? 0x1.fep127 : d == KN_DT(F32) ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
}

static kni_atom replacement(kna_op *op, kn_array given, kn_dtype d, double otherwise)
{
    return given ? kna_in_as(op, given, d) : knb_number(op->b, d, otherwise);
}

static kni_atom made_finite(kna_op *op, kni_atom a, const kn_nan_to_num_opts *o)
{
    kni_builder *b = op->b;
    kn_dtype d = knb_type(b, a).dtype;
    const kn_shape shape = knl_shape_of(op, a);
    kni_type full = knl_shaped(d, &shape);
    kni_atom infinity = knb_number(b, d, INFINITY), minus = knb_number(b, d, -INFINITY);
    kni_atom up = knb_broadcast_to(b, replacement(op, o->posinf, d, largest(d)), full);
    kni_atom down = knb_broadcast_to(b, replacement(op, o->neginf, d, -largest(d)), full);
    kni_atom none = knb_broadcast_to(b, replacement(op, o->nan, d, 0), full);
    kni_atom y = knb_select(b, knb_eq(b, a, infinity), up, a);
    return knb_select(b, knl_is_nan(b, a), none, knb_select(b, knb_eq(b, a, minus), down, y));
}

kn_array kn_nan_to_num(kn_array x, const kn_nan_to_num_opts *opts)
{
    KNX_OPTS(kn_nan_to_num_opts, o, opts);
    kna_op op;
    kna_begin(&op, "nan_to_num");
    kni_atom a = kna_in(&op, x);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kn_dtype d = knb_type(op.b, a).dtype;
    if (knx_is_complex(d))
        a = knb_complex(op.b, made_finite(&op, knb_real(op.b, a), &o), made_finite(&op, knb_imag(op.b, a), &o));
    else if (knx_is_float(d))
        a = made_finite(&op, a, &o);
    return kna_end_like(&op, a, x); /* NumPy's begins with a copy */
}
