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
    knrandom_draw w;
    kn_array limit[2] = {lower, upper};
    if (!knrandom_begin(&w, "random_truncated_normal", key, KNRANDOM_FLOAT, dtype_of(opts), shape, 2, limit))
        return knrandom_failed(&w);
    kni_builder *b = w.b;
    kni_atom at[2], image[2], inside[2], root = knrandom_number(&w, 1.4142135623730951);
    for (int i = 0; i < 2; i++) {
        at[i] = knrandom_parameter(&w, limit[i]);
        image[i] = knb_erf(b, knb_div(b, at[i], root));
        inside[i] = knb_nextafter(b, knb_stop_gradient(b, at[i]), knrandom_number(&w, i ? -INFINITY : INFINITY));
    }
    kni_atom u = knrandom_between(b, w.key, w.d, &w.shape, image[0], image[1]);
    kni_atom x = knb_mul(b, root, knb_erf_inv(b, u));
    return kna_end(&w.op, knb_min(b, knb_max(b, x, inside[0]), inside[1])); /* rounding leads outside */
}

/* ---- Without parameters. */

/* The uniform numbers that a function is made of, in [lo, 1). */
static kni_atom above(knrandom_draw *w, double lo)
{
    return knrandom_between(w->b, w->key, w->d, &w->shape, knrandom_number(w, lo), knrandom_number(w, 1));
}

static kni_atom unit(knrandom_draw *w) { return knrandom_unit(w->b, w->key, w->d, &w->shape); }

static kni_atom cauchy(knrandom_draw *w)
{
    kni_atom middle = knb_sub(w->b, above(w, knrandom_form_of(w->d).eps), knrandom_number(w, 0.5));
    return knb_tan(w->b, knb_mul(w->b, knrandom_number(w, 3.14159265358979323846), middle));
}

static kni_atom exponential(knrandom_draw *w) { return knrandom_exponential(w->b, w->key, w->d, &w->shape); }

static kni_atom laplace(knrandom_draw *w)
{
    kni_builder *b = w->b;
    kni_atom u = above(w, knrandom_form_of(w->d).below_one - 1);
    return knb_mul(b, knb_sign(b, u), knb_log1p(b, knb_neg(b, knb_abs(b, u))));
}

static kni_atom logistic(knrandom_draw *w)
{
    kni_builder *b = w->b;
    kni_atom u = above(w, knrandom_form_of(w->d).tiny);
    return knb_sub(b, knb_log(b, u), knb_log1p(b, knb_neg(b, u)));
}

/* The length of a vector of three normal numbers; of 16-bit floats the squares are added in float32. */
static kni_atom maxwell_of(knrandom_draw *w, kni_atom key, const kn_shape *shape)
{
    kni_builder *b = w->b;
    kn_shape three = knrandom_shape_and(shape, 3);
    int64_t last = three.ndim - 1;
    kni_atom x = knrandom_gauss(b, key, w->d, &three), square = knb_mul(b, x, x);
    kn_dtype sum_dtype = w->d->size == 2 ? KN_DT(F32) : w->d;
    kni_atom sum = knb_reduce_sum(b, knb_convert(b, square, sum_dtype), 1, &last);
    return knb_sqrt(b, knb_convert(b, sum, w->d));
}

static kni_atom maxwell(knrandom_draw *w) { return maxwell_of(w, w->key, &w->shape); }

#define PLAIN(function, name)                                                                               \
    kn_array function(kn_array key, const kn_shape *shape, const kn_random_dtype_opts *opts)                \
    {                                                                                                       \
        knrandom_draw w;                                                                                    \
        bool ok = knrandom_begin(&w, "random_" #name, key, KNRANDOM_FLOAT, dtype_of(opts), shape, 0, NULL); \
        return ok ? kna_end(&w.op, name(&w)) : knrandom_failed(&w);                                         \
    }
PLAIN(kn_random_cauchy, cauchy)
PLAIN(kn_random_exponential, exponential)
PLAIN(kn_random_laplace, laplace)
PLAIN(kn_random_logistic, logistic)
PLAIN(kn_random_maxwell, maxwell)

/* ---- With parameters. */

static kni_atom pareto(knrandom_draw *w, kni_atom shape) { return knb_exp(w->b, knb_div(w->b, exponential(w), shape)); }

static kni_atom rayleigh(knrandom_draw *w, kni_atom scale)
{
    kni_atom root = knb_sqrt(w->b, knb_mul(w->b, knb_log(w->b, unit(w)), knrandom_number(w, -2)));
    return knb_mul(w->b, scale, root);
}

/* Michael, Schucany, Haas: one of the two roots of an equation in y, the square of a normal number. */
static kni_atom wald(knrandom_draw *w, kni_atom mean)
{
    kni_builder *b = w->b;
    kni_atom keys[2];
    knrandom_split2(b, w->key, keys);
    kni_atom v = knrandom_gauss(b, keys[0], w->d, &w->shape), z = knrandom_unit(b, keys[1], w->d, &w->shape);
    kni_atom y = knb_integer_pow(b, v, 2), two = knrandom_number(w, 2), square = knb_integer_pow(b, mean, 2);
    kni_atom inside = knb_add(b, knb_mul(b, knb_mul(b, knrandom_number(w, 4), mean), y),
                              knb_mul(b, square, knb_integer_pow(b, y, 2)));
    kni_atom x = knb_add(b, mean, knb_div(b, knb_mul(b, square, y), two));
    x = knb_sub(b, x, knb_mul(b, knb_div(b, mean, two), knb_sqrt(b, inside)));
    kni_atom first = knb_le(b, z, knb_div(b, mean, knb_add(b, mean, x)));
    return knb_select(b, first, x, knb_div(b, square, x));
}

static kni_atom lognormal(knrandom_draw *w, kni_atom sigma)
{
    return knb_exp(w->b, knb_mul(w->b, knrandom_any_gauss(w->b, w->key, w->d, &w->shape), sigma));
}

#define OF_ONE(function, name, parameter, dtypes)                                                                \
    kn_array function(kn_array key, kn_array parameter, const kn_shape *shape, const kn_random_dtype_opts *opts) \
    {                                                                                                            \
        knrandom_draw w;                                                                                         \
        if (!knrandom_begin(&w, "random_" #name, key, dtypes, dtype_of(opts), shape, 1, &parameter) ||           \
            !knrandom_safe(&w, 1, &parameter))                                                                   \
            return knrandom_failed(&w);                                                                          \
        return kna_end(&w.op, name(&w, knrandom_parameter(&w, parameter)));                                      \
    }
OF_ONE(kn_random_pareto, pareto, b, KNRANDOM_FLOAT)
OF_ONE(kn_random_rayleigh, rayleigh, scale, KNRANDOM_FLOAT)
OF_ONE(kn_random_wald, wald, mean, KNRANDOM_FLOAT)
OF_ONE(kn_random_lognormal, lognormal, sigma, KNRANDOM_INEXACT)

kn_array kn_random_triangular(kn_array key, kn_array left, kn_array mode, kn_array right, const kn_shape *shape,
                              const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    kn_array at[3] = {left, mode, right};
    if (!knrandom_begin(&w, "random_triangular", key, KNRANDOM_FLOAT, dtype_of(opts), shape, 3, at) ||
        !knrandom_safe(&w, 3, at))
        return knrandom_failed(&w);
    kni_builder *b = w.b;
    kni_atom l = knrandom_parameter(&w, left), m = knrandom_parameter(&w, mode), r = knrandom_parameter(&w, right);
    kni_atom width = knb_sub(b, r, l), u = unit(&w), rise = knb_sub(b, m, l), fall = knb_sub(b, r, m);
    kni_atom under = knb_sqrt(b, knb_mul(b, knb_mul(b, u, width), rise));
    kni_atom rest = knb_mul(b, knb_sub(b, knrandom_number(&w, 1), u), width);
    kni_atom low = knb_add(b, l, under), high = knb_sub(b, r, knb_sqrt(b, knb_mul(b, rest, fall)));
    return kna_end(&w.op, knb_select(b, knb_lt(b, u, knb_div(b, rise, width)), low, high));
}

/* ---- With a shape of their own: that of the uniform numbers, which the parameters broadcast further. */

static const kn_shape scalar;

/* The shape that `own` and the parameters broadcast to; begins the operation with it. */
static bool begin_wider(knrandom_draw *w, const char *name, kn_array key, kn_dtype given, const kn_shape *own,
                        const kn_array parameter[2], kn_shape *params)
{
    if (!knrandom_begin(w, name, key, KNRANDOM_FLOAT, given, NULL, 2, parameter))
        return false;
    *params = w->shape;
    return knrandom_not_given(own) || knrandom_shape_ok(&w->op, own);
}

kn_array kn_random_double_sided_maxwell(kn_array key, kn_array loc, kn_array scale, const kn_shape *shape,
                                        const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    kn_shape params, full;
    kn_array parameter[2] = {loc, scale};
    if (!begin_wider(&w, "random_double_sided_maxwell", key, dtype_of(opts), shape, parameter, &params))
        return knrandom_failed(&w);
    kni_builder *b = w.b;
    kni_atom keys[2];
    full =
        knrandom_not_given(shape) || !shape->ndim ? params : *shape; /* JAX: without a shape, the parameters' twice */
    for (int i = 0; i < params.ndim && full.ndim < KN_MAX_NDIM; i++)
        full.dim[full.ndim++] = params.dim[i];
    w.full = kni_type_of(w.d, full.ndim, full.dim);
    knrandom_split2(b, w.key, keys);
    kni_atom length = maxwell_of(&w, keys[0], &full), sign = knrandom_rademacher(b, keys[1], w.d, &full);
    kni_atom at = knrandom_parameter(&w, loc), wide = knrandom_parameter(&w, scale);
    return kna_end(&w.op, knb_add(b, knb_mul(b, knb_mul(b, sign, length), wide), at));
}

kn_array kn_random_weibull_min(kn_array key, kn_array scale, kn_array concentration, const kn_shape *shape,
                               const kn_random_dtype_opts *opts)
{
    knrandom_draw w;
    kn_shape params;
    kn_array parameter[2] = {scale, concentration};
    if (!begin_wider(&w, "random_weibull_min", key, dtype_of(opts), shape, parameter, &params))
        return knrandom_failed(&w);
    kni_builder *b = w.b;
    kn_shape own = knrandom_not_given(shape) ? scalar : *shape;
    kni_type mine = kni_type_of(w.d, own.ndim, own.dim);
    if (!knrandom_join(&w.shape, mine)) {
        knx_text x = {0}, y = {0};
        kna_fail(&w.op, KN_ERROR_VALUE, "Incompatible shapes for broadcasting: shapes=[%s, %s]",
                 knx_show_shape(&x, own.ndim, own.dim), knx_show_shape(&y, params.ndim, params.dim));
        return knrandom_failed(&w);
    }
    w.full = kni_type_of(w.d, w.shape.ndim, w.shape.dim);
    kni_atom u = knrandom_spread(b, knrandom_unit(b, w.key, w.d, &own), w.full);
    kni_atom base = knb_neg(b, knb_log1p(b, knb_neg(b, u)));
    kni_atom power = knb_div(b, knrandom_number(&w, 1), knrandom_parameter(&w, concentration));
    return kna_end(&w.op, knb_mul(b, knb_pow(b, base, power), knrandom_parameter(&w, scale)));
}
