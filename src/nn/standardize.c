/* SPDX-License-Identifier: Apache-2.0
 * standardize.c -- arrays with the mean 0 and the variance 1 along axes. */
#include "kiln/nn.h"
#include "nn/operand.h"
#include "lib/compose.h"
#include <string.h>

static kn_array mean_of(kn_array x, const kn_nn_standardize_opts *o)
{
    kn_mean_opts m = kn_mean_opts_default();
    m.axis = o->axis.n ? o->axis : knl_one_axis(-1);
    m.keepdims = true;
    m.where = o->where;
    return kn_mean(x, &m);
}

/* The variance by mean(x^2) - mean^2, which rounding can make negative, or in two passes. */
static kn_array variance_of(kn_array x, kn_array mean, const kn_nn_standardize_opts *o, bool fast)
{
    if (!fast)
        return mean_of(kn_square(kn_subtract(x, mean)), o);
    return kn_maximum(kn_like_double(0), kn_subtract(mean_of(kn_square(x), o), kn_square(mean)));
}

/* 1 / sqrt(x) */
static kn_array inverse_root(knl_body *c, kn_array x) { return knl_made(c, knb_rsqrt(c->op.b, kna_in(&c->op, x))); }

kn_array kn_nn_standardize(kn_array x, const kn_nn_standardize_opts *opts)
{
    knl_body c;
    knl_begin(&c, "nn_standardize");
    KNX_OPTS(kn_nn_standardize_opts, o, opts);
    bool fast = !o.algorithm || !strcmp(o.algorithm, "fast");
    if (!o.variance && !fast && strcmp(o.algorithm, "stable") != 0)
        kna_fail(&c.op, KN_ERROR_VALUE, "Unknown algorithm '%s'. Expected 'fast' or 'stable'.", o.algorithm);
    kni_type t = kna_type(&c.op, x);
    if (!kna_failed(&c.op) && t.ndim == 0 && !o.axis.n && (!o.mean || !o.variance))
        kna_fail(&c.op, KN_ERROR_AXIS, "axis -1 is out of bounds for array of dimension 0");
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    x = knl_made(&c, knnn_in(&c.op, x));
    if (!x || kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array mean = o.mean ? o.mean : mean_of(x, &o);
    kn_array variance = o.variance ? o.variance : variance_of(x, mean, &o, fast);
    kn_array epsilon = o.epsilon ? o.epsilon : kn_like_double(1e-5), spread = kn_add(variance, epsilon);
    kn_array scale = knl_made(&c, knnn_in(&c.op, spread));
    return knl_end(&c, kn_multiply(kn_subtract(x, mean), inverse_root(&c, scale)));
}
