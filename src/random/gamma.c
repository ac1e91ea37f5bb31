/* SPDX-License-Identifier: Apache-2.0
 * gamma.c -- the gamma distribution and those that are made of it. Step for step what jax.random does. */
#include "kiln/random.h"
#include "random/draw.h"

static kn_dtype dtype_of(const kn_random_dtype_opts *opts) { return opts ? opts->dtype : NULL; }

kn_atom knrand_gamma(kn_builder *b, kn_atom key, kn_atom a, kn_type full, bool log_space)
{
    return knb_random_gamma(b, key, knb_broadcast_to(b, a, full), log_space);
}

static kn_array gamma_of(const char *name, kn_array key, kn_array a, const kn_shape *shape,
                         const kn_random_dtype_opts *opts, bool log_space)
{
    knrand_draw w;
    if (!knrand_begin(&w, name, key, KNRAND_FLOAT, dtype_of(opts), shape, 1, &a))
        return knrand_failed(&w);
    return kna_end(&w.op, knrand_gamma(w.b, w.key, knrand_parameter(&w, a), w.full, log_space));
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
    knrand_draw w;
    kn_array parameter[2] = {a, b};
    if (!knrand_begin(&w, "random_beta", key, KNRAND_FLOAT, dtype_of(opts), shape, 2, parameter) ||
        !knrand_safe(&w, 2, parameter))
        return knrand_failed(&w);
    kn_atom keys[2], x[2];
    knrand_split2(w.b, w.key, keys);
    for (int i = 0; i < 2; i++)
        x[i] = knrand_gamma(w.b, keys[i], knrand_parameter(&w, parameter[i]), w.full, true);
    kn_atom most = knb_max(w.b, x[0], x[1]);
    for (int i = 0; i < 2; i++)
        x[i] = knb_exp(w.b, knb_sub(w.b, x[i], most));
    return kna_end(&w.op, knb_div(w.b, x[0], knb_add(w.b, x[0], x[1])));
}

/* exp(x) / sum of exp(x) along the last axis; 16-bit floats are added in float32. */
static kn_atom softmax(kn_builder *b, kn_atom x)
{
    kn_type t = knb_type(b, x);
    int64_t last = t.ndim - 1, front[KN_MAX_NDIM];
    for (int i = 0; i < t.ndim; i++)
        front[i] = i;
    if (b->error)
        return KN_ATOM_NONE;
    kn_atom most = knb_stop_gradient(b, knb_reduce_max(b, x, 1, &last));
    kn_atom e = knb_exp(b, knb_sub(b, x, knb_broadcast_in_dim(b, most, t.ndim, t.dim, front)));
    kn_atom sum = knb_reduce_sum(b, knb_convert(b, e, t.dtype->size == 2 ? KN_DT(F32) : t.dtype), 1, &last);
    return knb_div(b, e, knb_broadcast_in_dim(b, knb_convert(b, sum, t.dtype), t.ndim, t.dim, front));
}

kn_array kn_random_dirichlet(kn_array key, kn_array alpha, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrand_draw w;
    if (!knrand_begin(&w, "random_dirichlet", key, KNRAND_FLOAT, dtype_of(opts), NULL, 1, &alpha))
        return knrand_failed(&w);
    kn_atom a = kna_in_as(&w.op, alpha, w.d);
    kn_type t = knb_type(w.b, a);
    if (!kna_failed(&w.op) && t.ndim == 0)
        kna_fail(&w.op, KN_ERROR_VALUE, "dirichlet requires alpha.ndim >= 1, got alpha.ndim == 0");
    if (kna_failed(&w.op))
        return knrand_failed(&w);
    kn_shape batch = {.ndim = t.ndim - 1};
    for (int i = 0; i < batch.ndim; i++)
        batch.dim[i] = t.dim[i];
    if (!knrand_batch_shape(&w, shape, &batch))
        return knrand_failed(&w);
    kn_shape full = knrand_shape_and(&batch, t.dim[t.ndim - 1]);
    kn_atom x = knrand_gamma(w.b, w.key, a, kni_type(w.d, full.ndim, full.dim), true);
    return kna_end(&w.op, full.dim[full.ndim - 1] ? softmax(w.b, x) : x);
}

static kn_atom chi_square(knrand_draw *w, kn_atom key, kn_atom df)
{
    kn_atom two = knrand_number(w, 2);
    kn_atom log_g = knrand_gamma(w->b, key, knb_div(w->b, df, two), w->full, true);
    return knb_mul(w->b, knb_exp(w->b, log_g), two);
}

kn_array kn_random_chisquare(kn_array key, kn_array df, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrand_draw w;
    if (!knrand_begin(&w, "random_chisquare", key, KNRAND_FLOAT, dtype_of(opts), shape, 1, &df) ||
        !knrand_safe(&w, 1, &df))
        return knrand_failed(&w);
    return kna_end(&w.op, chi_square(&w, w.key, knrand_parameter(&w, df)));
}

kn_array kn_random_f(kn_array key, kn_array dfnum, kn_array dfden, const kn_shape *shape,
                     const kn_random_dtype_opts *opts)
{
    knrand_draw w;
    kn_array df[2] = {dfden, dfnum}; /* in the order of their keys */
    kn_atom keys[2], mean[2];
    if (!knrand_begin(&w, "random_f", key, KNRAND_FLOAT, dtype_of(opts), shape, 2, df) || !knrand_safe(&w, 2, df))
        return knrand_failed(&w);
    knrand_split2(w.b, w.key, keys);
    for (int i = 0; i < 2; i++) {
        kn_atom k = knrand_parameter(&w, df[i]);
        mean[i] = knb_div(w.b, chi_square(&w, keys[i], k), k);
    }
    return kna_end(&w.op, knb_div(w.b, mean[1], mean[0]));
}

kn_array kn_random_t(kn_array key, kn_array df, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrand_draw w;
    kn_atom keys[2];
    if (!knrand_begin(&w, "random_t", key, KNRAND_FLOAT, dtype_of(opts), shape, 1, &df) || !knrand_safe(&w, 1, &df))
        return knrand_failed(&w);
    kn_builder *b = w.b;
    knrand_split2(b, w.key, keys);
    kn_atom n = knrand_gauss(b, keys[0], w.d, &w.shape);
    kn_atom half = knb_div(b, knrand_parameter(&w, df), knrand_number(&w, 2));
    kn_atom g = knrand_gamma(b, keys[1], half, w.full, false);
    return kna_end(&w.op, knb_mul(b, n, knb_sqrt(b, knb_div(b, half, g))));
}

/* ---- Generalized normal numbers: density e^-|x|^p; and points of balls. */

/* p and 1 / p in the samples' dtype: scalars, or broadcast. A number is inverted in the default float. */
static void powers(knrand_draw *w, kn_array p, kn_type full, kn_atom *power, kn_atom *inverse)
{
    kn_atom x = knrand_inexact(w, p);
    kn_atom y = knb_div(w->b, knb_like(w->b, x, 1), x);
    *power = knrand_spread(w->b, knb_convert(w->b, x, w->d), full);
    *inverse = knrand_spread(w->b, knb_convert(w->b, y, w->d), full);
}

static kn_atom generalized(knrand_draw *w, kn_atom key, const kn_shape *shape, kn_atom inverse)
{
    kn_atom keys[2];
    knrand_split2(w->b, key, keys);
    kn_atom g = knrand_gamma(w->b, keys[0], inverse, kni_type(w->d, shape->ndim, shape->dim), false);
    kn_atom sign = knrand_rademacher(w->b, keys[1], w->d, shape);
    return knb_mul(w->b, sign, knb_pow(w->b, g, inverse));
}

kn_array kn_random_generalized_normal(kn_array key, kn_array p, const kn_shape *shape, const kn_random_dtype_opts *opts)
{
    knrand_draw w;
    kn_atom power, inverse;
    if (!knrand_begin(&w, "random_generalized_normal", key, KNRAND_FLOAT, dtype_of(opts), shape, 1, &p))
        return knrand_failed(&w);
    powers(&w, p, w.full, &power, &inverse);
    return kna_end(&w.op, generalized(&w, w.key, &w.shape, inverse));
}

kn_array kn_random_ball(kn_array key, int64_t d, const kn_shape *shape, const kn_random_ball_opts *opts)
{
    knrand_draw w;
    kn_random_ball_opts o = opts ? *opts : kn_random_ball_opts_default();
    if (!knrand_begin(&w, "random_ball", key, KNRAND_FLOAT, o.dtype, shape, 0, NULL))
        return knrand_failed(&w);
    kn_shape points = knrand_shape_and(&w.shape, d);
    kn_builder *b = w.b;
    if (!knrand_shape_ok(&w.op, &points))
        return knrand_failed(&w);
    kn_atom keys[2], power = knrand_number(&w, 2), inverse = knrand_number(&w, 0.5);
    int64_t last = points.ndim - 1, front[KN_MAX_NDIM];
    if (o.p)
        powers(&w, o.p, kni_type(w.d, 0, NULL), &power, &inverse);
    if (!kna_failed(&w.op) && knb_type(b, power).ndim)
        kna_fail(&w.op, KN_ERROR_TYPE, "p of a ball is a number");
    knrand_split2(b, w.key, keys);
    kn_atom g = generalized(&w, keys[0], &points, inverse), e = knrand_exponential(b, keys[1], w.d, &w.shape);
    kn_dtype sum_dtype = w.d->size == 2 ? KN_DT(F32) : w.d;
    kn_atom sum = knb_reduce_sum(b, knb_convert(b, knb_pow(b, knb_abs(b, g), power), sum_dtype), 1, &last);
    kn_atom radius = knb_pow(b, knb_add(b, knb_convert(b, sum, w.d), e), inverse);
    for (int i = 0; i < points.ndim; i++)
        front[i] = i;
    radius = knb_broadcast_in_dim(b, radius, points.ndim, points.dim, front);
    return kna_end(&w.op, knb_div(b, g, radius));
}
