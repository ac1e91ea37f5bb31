/* SPDX-License-Identifier: Apache-2.0
 * gamma.c -- the gamma distribution and those that are made of it. Step for step what jax.random does. */
#include "kiln/random.h"
#include "random/draw.h"

static kn_dtype dtype_of(const kn_random_dtype_opts *opts) { return opts ? opts->dtype : NULL; }

kni_atom knrandom_gamma(kni_builder *b, kni_atom key, kni_atom a, kni_type full, bool log_space)
{
    return knb_random_gamma(b, key, knb_broadcast_to(b, a, full), log_space);
}

static kn_array gamma_of(const char *name, kn_array key, kn_array a, const kn_shape *shape,
                         const kn_random_dtype_opts *opts, bool log_space)
{
    knrandom_draw w;
    if (!knrandom_begin(&w, name, key, KNRANDOM_FLOAT, dtype_of(opts), shape, 1, &a))
        return knrandom_failed(&w);
    return kna_end(&w.op, knrandom_gamma(w.b, w.key, knrandom_parameter(&w, a), w.full, log_space));
}

kn_array kn_random_gamma(kn_array key, kn_array a, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    return gamma_of("random_gamma", key, a, shape, opts, false);
}

kn_array kn_random_loggamma(kn_array key, kn_array a, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    return gamma_of("random_loggamma", key, a, shape, opts, true);
}

/* x / (x + y) for numbers x and y of two gamma distributions, from their logarithms. */
kn_array kn_random_beta(kn_array key, kn_array a, kn_array b, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    kn_array parameter[2] = {a, b};
    if (!knrandom_begin(&w, "random_beta", key, KNRANDOM_FLOAT, dtype_of(opts), shape, 2, parameter) ||
        !knrandom_safe(&w, 2, parameter))
        return knrandom_failed(&w);
    kni_atom keys[2], x[2];
    knrandom_split2(w.b, w.key, keys);
    for (int i = 0; i < 2; i++)
        x[i] = knrandom_gamma(w.b, keys[i], knrandom_parameter(&w, parameter[i]), w.full, true);
    kni_atom most = knb_max(w.b, x[0], x[1]);
    for (int i = 0; i < 2; i++)
        x[i] = knb_exp(w.b, knb_sub(w.b, x[i], most));
    return kna_end(&w.op, knb_div(w.b, x[0], knb_add(w.b, x[0], x[1])));
}

/* exp(x) / sum of exp(x) along the last axis; 16-bit floats are added in float32. */
static kni_atom softmax(kni_builder *b, kni_atom x)
{
    kni_type t = knb_type(b, x);
    int64_t last = t.ndim - 1, front[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++)
        front[i] = i;
    if (b->error)
        return KN_ATOM_NONE;
    kni_atom most = knb_stop_gradient(b, knb_reduce_max(b, x, 1, &last));
    kni_atom e = knb_exp(b, knb_sub(b, x, knb_broadcast_in_dim(b, most, t.ndim, t.dim, front)));
    kni_atom sum = knb_reduce_sum(b, knb_convert(b, e, t.dtype->size == 2 ? KN_DT(F32) : t.dtype), 1, &last);
    return knb_div(b, e, knb_broadcast_in_dim(b, knb_convert(b, sum, t.dtype), t.ndim, t.dim, front));
}

kn_array kn_random_dirichlet(kn_array key, kn_array alpha, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    if (!knrandom_begin(&w, "random_dirichlet", key, KNRANDOM_FLOAT, dtype_of(opts), NULL, 1, &alpha))
        return knrandom_failed(&w);
    kni_atom a = kna_in_as(&w.op, alpha, w.d);
    kni_type t = knb_type(w.b, a);
    if (!kna_failed(&w.op) && t.ndim == 0)
        kna_fail(&w.op, KN_ERROR_VALUE, "dirichlet requires alpha.ndim >= 1, got alpha.ndim == 0");
    if (kna_failed(&w.op))
        return knrandom_failed(&w);
    kn_shape batch = {.ndim = t.ndim - 1};
    for (int i = 0; i < batch.ndim; i++)
        batch.dim[i] = t.dim[i];
    if (!knrandom_batch_shape(&w, shape, &batch))
        return knrandom_failed(&w);
    kn_shape full = knrandom_shape_and(&batch, t.dim[t.ndim - 1]);
    kni_atom x = knrandom_gamma(w.b, w.key, a, kni_type_of(w.d, full.ndim, full.dim), true);
    return kna_end(&w.op, full.dim[full.ndim - 1] ? softmax(w.b, x) : x);
}

static kni_atom chi_square(knrandom_draw *w, kni_atom key, kni_atom df)
{
    kni_atom two = knrandom_number(w, 2);
    kni_atom log_g = knrandom_gamma(w->b, key, knb_div(w->b, df, two), w->full, true);
    return knb_mul(w->b, knb_exp(w->b, log_g), two);
}

kn_array kn_random_chisquare(kn_array key, kn_array df, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    if (!knrandom_begin(&w, "random_chisquare", key, KNRANDOM_FLOAT, dtype_of(opts), shape, 1, &df) ||
        !knrandom_safe(&w, 1, &df))
        return knrandom_failed(&w);
    return kna_end(&w.op, chi_square(&w, w.key, knrandom_parameter(&w, df)));
}

kn_array kn_random_f(kn_array key, kn_array dfnum, kn_array dfden, const kn_shape *shape,
                     const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    kn_array df[2] = {dfden, dfnum}; /* in the order of their keys */
    kni_atom keys[2], mean[2];
    if (!knrandom_begin(&w, "random_f", key, KNRANDOM_FLOAT, dtype_of(opts), shape, 2, df) || !knrandom_safe(&w, 2, df))
        return knrandom_failed(&w);
    knrandom_split2(w.b, w.key, keys);
    for (int i = 0; i < 2; i++) {
        kni_atom k = knrandom_parameter(&w, df[i]);
        mean[i] = knb_div(w.b, chi_square(&w, keys[i], k), k);
    }
    return kna_end(&w.op, knb_div(w.b, mean[1], mean[0]));
}

kn_array kn_random_t(kn_array key, kn_array df, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    kni_atom keys[2];
    if (!knrandom_begin(&w, "random_t", key, KNRANDOM_FLOAT, dtype_of(opts), shape, 1, &df) ||
        !knrandom_safe(&w, 1, &df))
        return knrandom_failed(&w);
    kni_builder *b = w.b;
    knrandom_split2(b, w.key, keys);
    kni_atom n = knrandom_gauss(b, keys[0], w.d, &w.shape);
    kni_atom half = knb_div(b, knrandom_parameter(&w, df), knrandom_number(&w, 2));
    kni_atom g = knrandom_gamma(b, keys[1], half, w.full, false);
    return kna_end(&w.op, knb_mul(b, n, knb_sqrt(b, knb_div(b, half, g))));
}

/* ---- Generalized normal numbers: density e^-|x|^p; and points of balls. */

/* p and 1 / p in the samples' dtype: scalars, or broadcast. A number is inverted in the default float. */
static void powers(knrandom_draw *w, kn_array p, kni_type full, kni_atom *power, kni_atom *inverse)
{
    kni_atom x = knrandom_inexact(w, p);
    kni_atom y = knb_div(w->b, knb_like(w->b, x, 1), x);
    *power = knrandom_spread(w->b, knb_convert(w->b, x, w->d), full);
    *inverse = knrandom_spread(w->b, knb_convert(w->b, y, w->d), full);
}

static kni_atom generalized(knrandom_draw *w, kni_atom key, const kn_shape *shape, kni_atom inverse)
{
    kni_atom keys[2];
    knrandom_split2(w->b, key, keys);
    kni_atom g = knrandom_gamma(w->b, keys[0], inverse, kni_type_of(w->d, shape->ndim, shape->dim), false);
    kni_atom sign = knrandom_rademacher(w->b, keys[1], w->d, shape);
    return knb_mul(w->b, sign, knb_pow(w->b, g, inverse));
}

kn_array kn_random_generalized_normal(kn_array key, kn_array p, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    kni_atom power, inverse;
    if (!knrandom_begin(&w, "random_generalized_normal", key, KNRANDOM_FLOAT, dtype_of(opts), shape, 1, &p))
        return knrandom_failed(&w);
    powers(&w, p, w.full, &power, &inverse);
    return kna_end(&w.op, generalized(&w, w.key, &w.shape, inverse));
}

kn_array kn_random_ball(kn_array key, int64_t d, const kn_shape *shape, const kn_random_ball_opts *opts)
{
    knrandom_draw w;
    kn_random_ball_opts o = opts ? *opts : kn_random_ball_opts_default();
    if (!knrandom_begin(&w, "random_ball", key, KNRANDOM_FLOAT, o.dtype, shape, 0, NULL))
        return knrandom_failed(&w);
    kn_shape points = knrandom_shape_and(&w.shape, d);
    kni_builder *b = w.b;
    if (!knrandom_shape_ok(&w.op, &points))
        return knrandom_failed(&w);
    kni_atom keys[2], power = knrandom_number(&w, 2), inverse = knrandom_number(&w, 0.5);
    int64_t last = points.ndim - 1, front[KN_MAX_NDIM];
    if (o.p)
        powers(&w, o.p, kni_type_of(w.d, 0, NULL), &power, &inverse);
    if (!kna_failed(&w.op) && knb_type(b, power).ndim)
        kna_fail(&w.op, KN_ERROR_TYPE, "p of a ball is a number");
    knrandom_split2(b, w.key, keys);
    kni_atom g = generalized(&w, keys[0], &points, inverse), e = knrandom_exponential(b, keys[1], w.d, &w.shape);
    kn_dtype sum_dtype = w.d->size == 2 ? KN_DT(F32) : w.d;
    kni_atom sum = knb_reduce_sum(b, knb_convert(b, knb_pow(b, knb_abs(b, g), power), sum_dtype), 1, &last);
    kni_atom radius = knb_pow(b, knb_add(b, knb_convert(b, sum, w.d), e), inverse);
    for (int i = 0; i < points.ndim; i++)
        front[i] = i;
    radius = knb_broadcast_in_dim(b, radius, points.ndim, points.dim, front);
    return kna_end(&w.op, knb_div(b, g, radius));
}
