/* SPDX-License-Identifier: Apache-2.0
 * calculus.c -- polyder, polyint. */
#include "numpy/polynomials/coefficients.h"

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

/* The constants of m integrals; one stands for all of them. */
static kn_array constants(knl_body *c, kn_array k, int m)
{
    kn_shape all = {1, {m}};
    if (!k)
        return kn_zeros(&all, KNL_WITH(kn_zeros_opts, .dtype = KN_F64));
    kn_array v = kn_atleast_1d(kn_asarray(k, NULL));
    kni_type t = kna_type(&c->op, v);
    if (!kna_failed(&c->op) && t.ndim == 1 && m > 1 && knx_dim_eq(t.dim[0], 1))
        return kn_multiply(v, kn_ones(&all, KNL_WITH(kn_zeros_opts, .dtype = KN_F64)));
    if (!kna_failed(&c->op) && (t.ndim != 1 || knx_dim_lt(t.dim[0], m)))
        kna_fail(&c->op, KN_ERROR_VALUE, "k must be a scalar or a rank-1 array of length 1 or >m.");
    return v;
}

kn_array kn_polyint(kn_array p, const kn_polyint_opts *opts)
{
    KNX_OPTS(kn_polyint_opts, o, opts);
    knl_body c;
    knl_begin(&c, "polyint");
    if (!kna_failed(&c.op) && o.m < 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "Order of integral must be positive (see polyder)");
    kn_array k = kna_failed(&c.op) ? NULL : constants(&c, o.k, o.m), y = kn_asarray(p, NULL);
    int64_t n = knn_coefficient_count(&c, y, KN_ERROR_TYPE, "the coefficients of a polynomial are a vector");
    for (int i = 0; i < o.m && !kna_failed(&c.op); i++) {
        kn_array power = kn_arange(kn_like_int(n), kn_like_int(0), kn_like_int(-1), NULL);
        kn_array part[] = {kn_divide(y, power), knl_part("polyint", k, 0, i, i + 1)};
        y = kn_concatenate(kn_list_from(part, 2), NULL);
        n = knx_dim_add(n, 1);
    }
    return knl_end(&c, y);
}
