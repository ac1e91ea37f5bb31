/* SPDX-License-Identifier: Apache-2.0
 * array_kinds.c -- what kinds of numbers and arrays there are: isreal, isposinf, isfortran and their kin. */
#include "lib/compose.h"
#include <math.h>

/* ---- Elements. */

static kn_array infinity(const char *name, kn_array x, double which)
{
    knl_body c;
    knl_begin(&c, name);
    kni_type t = kna_type(&c.op, x);
    if (!kna_failed(&c.op) && knx_is_complex(t.dtype))
        kna_fail(&c.op, KN_ERROR_TYPE, "This operation is not supported for %s values because it would be ambiguous.",
                 t.dtype->name);
    if (kna_failed(&c.op) || knl_not_a_number(&c.op, name, t.dtype))
        return knl_end(&c, NULL);
    return knl_end(&c, knx_is_inexact(t.dtype) ? kn_equal(x, kn_like_double(which)) : kn_isinf(x));
}

kn_array kn_isposinf(kn_array x) { return infinity("isposinf", x, INFINITY); }
kn_array kn_isneginf(kn_array x) { return infinity("isneginf", x, -INFINITY); }

kn_array kn_iscomplex(kn_array x)
{
    knl_body c;
    knl_begin(&c, "iscomplex");
    kni_type t = kna_type(&c.op, x);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (knx_is_complex(t.dtype))
        return knl_end(&c, kn_not_equal(kn_imag(x), kn_like_int(0)));
    kn_zeros_like_opts boolean = kn_zeros_like_opts_default();
    boolean.dtype = KN_DT(BOOL);
    return knl_end(&c, kn_zeros_like(x, &boolean));
}

kn_array kn_isreal(kn_array x)
{
    knl_body c;
    knl_begin(&c, "isreal");
    return knl_end(&c, kn_logical_not(kn_iscomplex(x)));
}

/* ---- Arrays. */

bool kn_iscomplexobj(kn_array x)
{
    kna_op op;
    kna_begin(&op, "iscomplexobj");
    kni_type t = kna_type(&op, x);
    bool yes = !kna_failed(&op) && knx_is_complex(t.dtype);
    kna_end_plain(&op);
    return yes;
}

bool kn_isrealobj(kn_array x)
{
    kna_op op;
    kna_begin(&op, "isrealobj");
    kni_type t = kna_type(&op, x);
    bool yes = !kna_failed(&op) && !knx_is_complex(t.dtype);
    kna_end_plain(&op);
    return yes;
}

bool kn_isscalar(kn_array x)
{
    kna_op op;
    kna_begin(&op, "isscalar");
    bool yes = kna_is_number(&op, x);
    kna_end_plain(&op);
    return yes;
}

bool kn_isfortran(kn_array x)
{
    kna_op op;
    kna_begin(&op, "isfortran");
    (void)kna_type(&op, x);
    bool yes = !kna_failed(&op) && knl_is_fortran(&op, x);
    kna_end_plain(&op);
    return yes;
}

bool kn_array_equiv(kn_array a1, kn_array a2)
{
    kna_op op;
    kna_begin(&op, "array_equiv");
    kni_type s = kna_type(&op, a1), t = kna_type(&op, a2);
    bool yes = !kna_failed(&op);
    for (int i = 1; i <= s.ndim && i <= t.ndim; i++) {
        int64_t p = s.dim[s.ndim - i], q = t.dim[t.ndim - i];
        yes = yes && (p == 1 || q == 1 || knx_dim_eq(p, q));
    }
    kn_scope scope = kn_scope_begin();
    kn_array same = yes ? kn_all(kn_equal(a1, a2), NULL) : NULL;
    yes = yes && kn_ok(same) && kn_item_bool(same);
    kn_scope_end(&scope);
    kna_end_plain(&op);
    return yes;
}
