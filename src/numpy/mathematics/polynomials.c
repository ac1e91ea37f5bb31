/* SPDX-License-Identifier: Apache-2.0
 * polynomials.c -- polynomials as vectors of coefficients, the highest power first. */
#include "lib/compose.h"

kn_array kn_polyder(kn_array p, const kn_polyder_opts *opts)
{
    KNX_OPTS(kn_polyder_opts, o, opts);
    knl_body c;
    knl_begin(&c, "polyder");
    kni_type t = kna_type(&c.op, p);
    if (!kna_failed(&c.op) && o.m < 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "Order of derivative must be positive (see polyint)");
    if (!kna_failed(&c.op) && t.ndim != 1)
        kna_fail(&c.op, KN_ERROR_TYPE, "the coefficients of a polynomial are a vector, got %d axes", t.ndim);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array y = kn_asarray(p, NULL);
    int64_t n = t.dim[0];
    for (int i = 0; i < o.m && !kna_failed(&c.op); i++) { /* of no coefficients there are as many derivatives */
        int64_t rest = knx_dim_max(n - 1, 0);
        kn_array power = kn_arange(kn_like_int(rest), kn_like_int(0), kn_like_int(-1), NULL);
        y = kn_multiply(knl_part("polyder", y, 0, 0, rest), power);
        if (!n)
            break;
        n = rest;
    }
    return knl_end(&c, y);
}
