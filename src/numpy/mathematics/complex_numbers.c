/* SPDX-License-Identifier: Apache-2.0
 * complex_numbers.c -- parts and angles of complex numbers. */
#include "array/handle.h"
#include "lib/compose.h"
#include <math.h>
#include <string.h>

kn_array kn_real(kn_array x)
{
    kna_op op;
    kna_begin(&op, "real");
    kni_type t = kna_type(&op, x);
    kni_atom a = kna_in(&op, x);
    if (kna_failed(&op) || !knx_is_complex(t.dtype))
        return kna_end_same(&op, x, a);
    return kna_end_view(&op, x, a, knb_real(op.b, a));
}

kn_array kn_imag(kn_array x)
{
    kna_op op;
    kna_begin(&op, "imag");
    kni_type t = kna_type(&op, x);
    kni_atom a = kna_in(&op, x);
    if (kna_failed(&op) || knx_is_complex(t.dtype) || knl_not_a_number(&op, "imag", t.dtype))
        return kna_end_view(&op, x, a, kna_failed(&op) ? a : knb_imag(op.b, a));
    kna_value *v = kna_atom_value(&op, knb_zeros(op.b, knb_type(op.b, a)));
    kn_array y = v && !kna_failed(&op) ? kna_own_handle(v) : NULL;
    if (!y)
        kna_fail_with(&op, knx_error_nomem());
    kna_set_readonly(y);
    kna_end_plain(&op);
    return y;
}

kn_array kn_angle(kn_array z, const kn_angle_opts *opts)
{
    KNX_OPTS(kn_angle_opts, o, opts);
    knl_body c;
    knl_begin(&c, "angle");
    kni_type t = kna_type(&c.op, z);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array strong = kn_asarray(z, NULL);
    kn_array y =
        knx_is_complex(t.dtype) ? kn_arctan2(kn_imag(strong), kn_real(strong)) : kn_arctan2(kn_like_int(0), strong);
    return knl_end(&c, o.deg ? kn_multiply(y, kn_like_double(180 / M_PI)) : y);
}

kn_array kn_real_if_close(kn_array a, const kn_real_if_close_opts *opts)
{
    KNX_OPTS(kn_real_if_close_opts, o, opts);
    knl_body c;
    knl_begin(&c, "real_if_close");
    kni_type t = kna_type(&c.op, a);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array x = kn_asarray(a, NULL);
    if (!knx_is_complex(t.dtype))
        return knl_end(&c, x);
    double tol = o.tol > 1 ? o.tol * (t.dtype == KN_DT(C64) ? 0x1p-23 : 0x1p-52) : o.tol;
    bool far = knl_any(&c, kn_logical_not(kn_less(kn_absolute(kn_imag(x)), kn_like_double(tol))));
    return knl_end(&c, far ? x : kn_real(x));
}
