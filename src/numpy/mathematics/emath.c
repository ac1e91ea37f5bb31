/* SPDX-License-Identifier: Apache-2.0
 * emath.c -- numpy.emath: real functions whose results are complex where an element lies outside of their domain. */
#include "lib/compose.h"

bool knl_any(knl_body *c, kn_array truth)
{
    kni_type t;
    const bool *at = kna_failed(&c->op) ? NULL : kna_look(&c->op, kn_any(truth, NULL), &t);
    return at && *at;
}

static kn_array to_complex(knl_body *c, kn_array x)
{
    kni_type t = kna_type(&c->op, x);
    kn_dtype d = kna_failed(&c->op) ? NULL : kna_strong_dtype(t);
    bool narrow = d && (d == KN_DT(F32) || (knx_is_integer(d) && d->size <= 2));
    return kna_failed(&c->op) ? x : kn_astype(x, narrow ? KN_DT(C64) : KN_DT(C128), NULL);
}

typedef enum domain { NOT_NEGATIVE, UP_TO_ONE } domain;

/* x, or as complex numbers if one of its elements lies outside of the domain. */
static kn_array widened(knl_body *c, kn_array x, domain where)
{
    kni_type t = kna_type(&c->op, x);
    if (kna_failed(&c->op) || knx_is_complex(t.dtype))
        return x;
    kn_array outside = where == NOT_NEGATIVE ? kn_less(x, kn_like_int(0)) : kn_greater(kn_absolute(x), kn_like_int(1));
    return knl_any(c, outside) ? to_complex(c, x) : x;
}

static kn_array emath(const char *name, kn_array (*f)(kn_array), kn_array x, domain where)
{
    knl_body c;
    knl_begin(&c, name);
    kn_array wide = widened(&c, x, where);
    return knl_end(&c, kna_failed(&c.op) ? NULL : f(wide));
}

kn_array kn_emath_sqrt(kn_array x) { return emath("emath_sqrt", kn_sqrt, x, NOT_NEGATIVE); }
kn_array kn_emath_log(kn_array x) { return emath("emath_log", kn_log, x, NOT_NEGATIVE); }
kn_array kn_emath_log2(kn_array x) { return emath("emath_log2", kn_log2, x, NOT_NEGATIVE); }
kn_array kn_emath_log10(kn_array x) { return emath("emath_log10", kn_log10, x, NOT_NEGATIVE); }
kn_array kn_emath_arccos(kn_array x) { return emath("emath_arccos", kn_arccos, x, UP_TO_ONE); }
kn_array kn_emath_arcsin(kn_array x) { return emath("emath_arcsin", kn_arcsin, x, UP_TO_ONE); }
kn_array kn_emath_arctanh(kn_array x) { return emath("emath_arctanh", kn_arctanh, x, UP_TO_ONE); }

kn_array kn_emath_logn(kn_array n, kn_array x)
{
    knl_body c;
    knl_begin(&c, "emath_logn");
    kn_array base = widened(&c, n, NOT_NEGATIVE), wide = widened(&c, x, NOT_NEGATIVE);
    return knl_end(&c, kna_failed(&c.op) ? NULL : kn_divide(kn_log(wide), kn_log(base)));
}

kn_array kn_emath_power(kn_array x, kn_array p)
{
    knl_body c;
    knl_begin(&c, "emath_power");
    kn_array wide = kn_asarray(widened(&c, x, NOT_NEGATIVE), NULL), power = kn_asarray(p, NULL);
    kni_type t = kna_type(&c.op, p);
    if (!kna_failed(&c.op) && knx_is_integer(t.dtype) && knl_any(&c, kn_less(power, kn_like_int(0))))
        power = kn_multiply(power, kn_like_double(1));
    return knl_end(&c, kna_failed(&c.op) ? NULL : kn_power(wide, power));
}
