/* SPDX-License-Identifier: Apache-2.0
 * continuous.c -- real numbers whose distribution is a formula of uniform or normal ones. Step for step what
 * jax.random does. */
#include "kiln/random.h"
#include "random/draw.h"
#include <math.h>

static kn_dtype dtype_of(const kn_random_dtype_opts *opts) { return opts ? opts->dtype : NULL; }

/* Normal numbers between the limits: the inverse of the error function of uniform ones between their images. */
kn_array kn_random_truncated_normal(kn_array key, kn_array lower, kn_array upper, const kn_shape *shape,
                                    const kn_random_dtype_opts *opts)
{
    knrand_draw w;
    kn_array limit[2] = {lower, upper};
    if (!knrand_begin(&w, "random_truncated_normal", key, KNRAND_FLOAT, dtype_of(opts), shape, 2, limit))
        return knrand_failed(&w);
    kn_builder *b = w.b;
    kn_atom at[2], image[2], inside[2], root = knrand_number(&w, 1.4142135623730951);
    for (int i = 0; i < 2; i++) {
        at[i] = knrand_parameter(&w, limit[i]);
        image[i] = knb_erf(b, knb_div(b, at[i], root));
        inside[i] = knb_nextafter(b, knb_stop_gradient(b, at[i]), knrand_number(&w, i ? -INFINITY : INFINITY));
    }
    kn_atom u = knrand_between(b, w.key, w.d, &w.shape, image[0], image[1]);
    kn_atom x = knb_mul(b, root, knb_erf_inv(b, u));
    return kna_end(&w.op, knb_min(b, knb_max(b, x, inside[0]), inside[1])); /* rounding leads outside */
}

/* ---- Without parameters. */

/* The uniform numbers that a function is made of, in [lo, 1). */
static kn_atom above(knrand_draw *w, double lo)
{
    return knrand_between(w->b, w->key, w->d, &w->shape, knrand_number(w, lo), knrand_number(w, 1));
}

static kn_atom unit(knrand_draw *w) { return knrand_unit(w->b, w->key, w->d, &w->shape); }

static kn_atom cauchy(knrand_draw *w)
{
    kn_atom middle = knb_sub(w->b, above(w, knrand_form_of(w->d).eps), knrand_number(w, 0.5));
    return knb_tan(w->b, knb_mul(w->b, knrand_number(w, 3.14159265358979323846), middle));
}

static kn_atom exponential(knrand_draw *w) { return knrand_exponential(w->b, w->key, w->d, &w->shape); }

static kn_atom laplace(knrand_draw *w)
{
    kn_builder *b = w->b;
    kn_atom u = above(w, knrand_form_of(w->d).below_one - 1);
    return knb_mul(b, knb_sign(b, u), knb_log1p(b, knb_neg(b, knb_abs(b, u))));
}

static kn_atom logistic(knrand_draw *w)
{
    kn_builder *b = w->b;
    kn_atom u = above(w, knrand_form_of(w->d).tiny);
    return knb_sub(b, knb_log(b, u), knb_log1p(b, knb_neg(b, u)));
}

/* The length of a vector of three normal numbers; of 16-bit floats the squares are added in float32. */
static kn_atom maxwell_of(knrand_draw *w, kn_atom key, const kn_shape *shape)
{
    kn_builder *b = w->b;
    kn_shape three = knrand_shape_and(shape, 3);
    int64_t last = three.ndim - 1;
    kn_atom x = knrand_gauss(b, key, w->d, &three), square = knb_mul(b, x, x);
    kn_dtype sum_dtype = w->d->size == 2 ? KN_DT(F32) : w->d;
    kn_atom sum = knb_reduce_sum(b, knb_convert(b, square, sum_dtype), 1, &last);
    return knb_sqrt(b, knb_convert(b, sum, w->d));
}

static kn_atom maxwell(knrand_draw *w) { return maxwell_of(w, w->key, &w->shape); }

#define PLAIN(function, name)                                                                           \
    kn_array function(kn_array key, const kn_shape *shape, const kn_random_dtype_opts *opts)            \
    {                                                                                                   \
        knrand_draw w;                                                                                  \
        bool ok = knrand_begin(&w, "random_" #name, key, KNRAND_FLOAT, dtype_of(opts), shape, 0, NULL); \
        return ok ? kna_end(&w.op, name(&w)) : knrand_failed(&w);                                       \
    }
PLAIN(kn_random_cauchy, cauchy)
PLAIN(kn_random_exponential, exponential)
PLAIN(kn_random_laplace, laplace)
PLAIN(kn_random_logistic, logistic)
PLAIN(kn_random_maxwell, maxwell)

/* ---- With parameters. */

static kn_atom pareto(knrand_draw *w, kn_atom shape) { return knb_exp(w->b, knb_div(w->b, exponential(w), shape)); }

static kn_atom rayleigh(knrand_draw *w, kn_atom scale)
{
    kn_atom root = knb_sqrt(w->b, knb_mul(w->b, knb_log(w->b, unit(w)), knrand_number(w, -2)));
    return knb_mul(w->b, scale, root);
}

/* Michael, Schucany, Haas: one of the two roots of an equation in y, the square of a normal number. */
static kn_atom wald(knrand_draw *w, kn_atom mean)
{
    kn_builder *b = w->b;
    kn_atom keys[2];
    knrand_split2(b, w->key, keys);
    kn_atom v = knrand_gauss(b, keys[0], w->d, &w->shape), z = knrand_unit(b, keys[1], w->d, &w->shape);
    kn_atom y = knb_integer_pow(b, v, 2), two = knrand_number(w, 2), square = knb_integer_pow(b, mean, 2);
    kn_atom inside =
        knb_add(b, knb_mul(b, knb_mul(b, knrand_number(w, 4), mean), y), knb_mul(b, square, knb_integer_pow(b, y, 2)));
    kn_atom x = knb_add(b, mean, knb_div(b, knb_mul(b, square, y), two));
    x = knb_sub(b, x, knb_mul(b, knb_div(b, mean, two), knb_sqrt(b, inside)));
    kn_atom first = knb_le(b, z, knb_div(b, mean, knb_add(b, mean, x)));
    return knb_select(b, first, x, knb_div(b, square, x));
}

static kn_atom lognormal(knrand_draw *w, kn_atom sigma)
{
    return knb_exp(w->b, knb_mul(w->b, knrand_any_gauss(w->b, w->key, w->d, &w->shape), sigma));
}

#define OF_ONE(function, name, parameter, dtypes)                                                                \
    kn_array function(kn_array key, kn_array parameter, const kn_shape *shape, const kn_random_dtype_opts *opts) \
    {                                                                                                            \
        knrand_draw w;                                                                                           \
        if (!knrand_begin(&w, "random_" #name, key, dtypes, dtype_of(opts), shape, 1, &parameter) ||             \
            !knrand_safe(&w, 1, &parameter))                                                                     \
            return knrand_failed(&w);                                                                            \
        return kna_end(&w.op, name(&w, knrand_parameter(&w, parameter)));                                        \
    }
OF_ONE(kn_random_pareto, pareto, b, KNRAND_FLOAT)
OF_ONE(kn_random_rayleigh, rayleigh, scale, KNRAND_FLOAT)
OF_ONE(kn_random_wald, wald, mean, KNRAND_FLOAT)
OF_ONE(kn_random_lognormal, lognormal, sigma, KNRAND_INEXACT)

kn_array kn_random_triangular(kn_array key, kn_array left, kn_array mode, kn_array right, const kn_shape *shape,
                              const kn_random_dtype_opts *opts)
{
    knrand_draw w;
    kn_array at[3] = {left, mode, right};
    if (!knrand_begin(&w, "random_triangular", key, KNRAND_FLOAT, dtype_of(opts), shape, 3, at) ||
        !knrand_safe(&w, 3, at))
        return knrand_failed(&w);
    kn_builder *b = w.b;
    kn_atom l = knrand_parameter(&w, left), m = knrand_parameter(&w, mode), r = knrand_parameter(&w, right);
    kn_atom width = knb_sub(b, r, l), u = unit(&w), rise = knb_sub(b, m, l), fall = knb_sub(b, r, m);
    kn_atom under = knb_sqrt(b, knb_mul(b, knb_mul(b, u, width), rise));
    kn_atom rest = knb_mul(b, knb_sub(b, knrand_number(&w, 1), u), width);
    kn_atom low = knb_add(b, l, under), high = knb_sub(b, r, knb_sqrt(b, knb_mul(b, rest, fall)));
    return kna_end(&w.op, knb_select(b, knb_lt(b, u, knb_div(b, rise, width)), low, high));
}

/* ---- With a shape of their own: that of the uniform numbers, which the parameters broadcast further. */

static const kn_shape scalar;

/* The shape that `own` and the parameters broadcast to; begins the operation with it. */
static bool begin_wider(knrand_draw *w, const char *name, kn_array key, kn_dtype given, const kn_shape *own,
                        const kn_array parameter[2], kn_shape *params)
{
    if (!knrand_begin(w, name, key, KNRAND_FLOAT, given, NULL, 2, parameter))
        return false;
    *params = w->shape;
    return knrand_not_given(own) || knrand_shape_ok(&w->op, own);
}

kn_array kn_random_double_sided_maxwell(kn_array key, kn_array loc, kn_array scale, const kn_shape *shape,
                                        const kn_random_dtype_opts *opts)
{
    knrand_draw w;
    kn_shape params, full;
    kn_array parameter[2] = {loc, scale};
    if (!begin_wider(&w, "random_double_sided_maxwell", key, dtype_of(opts), shape, parameter, &params))
        return knrand_failed(&w);
    kn_builder *b = w.b;
    kn_atom keys[2];
    full = knrand_not_given(shape) || !shape->ndim ? params : *shape; /* JAX: without a shape, the parameters' twice */
    for (int i = 0; i < params.ndim && full.ndim < KN_MAX_NDIM; i++)
        full.dim[full.ndim++] = params.dim[i];
    w.full = kni_type(w.d, full.ndim, full.dim);
    knrand_split2(b, w.key, keys);
    kn_atom length = maxwell_of(&w, keys[0], &full), sign = knrand_rademacher(b, keys[1], w.d, &full);
    kn_atom at = knrand_parameter(&w, loc), wide = knrand_parameter(&w, scale);
    return kna_end(&w.op, knb_add(b, knb_mul(b, knb_mul(b, sign, length), wide), at));
}

kn_array kn_random_weibull_min(kn_array key, kn_array scale, kn_array concentration, const kn_shape *shape,
                               const kn_random_dtype_opts *opts)
{
    knrand_draw w;
    kn_shape params;
    kn_array parameter[2] = {scale, concentration};
    if (!begin_wider(&w, "random_weibull_min", key, dtype_of(opts), shape, parameter, &params))
        return knrand_failed(&w);
    kn_builder *b = w.b;
    kn_shape own = knrand_not_given(shape) ? scalar : *shape;
    kn_type mine = kni_type(w.d, own.ndim, own.dim);
    if (!knrand_join(&w.shape, mine)) {
        kn_text x = {0}, y = {0};
        kna_fail(&w.op, KN_ERROR_VALUE, "Incompatible shapes for broadcasting: shapes=[%s, %s]",
                 knx_show_shape(&x, own.ndim, own.dim), knx_show_shape(&y, params.ndim, params.dim));
        return knrand_failed(&w);
    }
    w.full = kni_type(w.d, w.shape.ndim, w.shape.dim);
    kn_atom u = knrand_spread(b, knrand_unit(b, w.key, w.d, &own), w.full);
    kn_atom base = knb_neg(b, knb_log1p(b, knb_neg(b, u)));
    kn_atom power = knb_div(b, knrand_number(&w, 1), knrand_parameter(&w, concentration));
    return kna_end(&w.op, knb_mul(b, knb_pow(b, base, power), knrand_parameter(&w, scale)));
}
