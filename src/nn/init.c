/* SPDX-License-Identifier: Apache-2.0
 * init.c -- initializers: random numbers of a spread, step for step what jax.nn.initializers does. */
#include "kiln/initializers.h"
#include "kiln/lax/shapes.h"
#include "kiln/numpy/manipulation.h"
#include "kiln/random.h"
#include "lib/compose.h"
#include "random/keys.h"
#include <math.h>
#include <string.h>

/* ---- The same number everywhere. */

/* The dtype, where the shape is one. */
static kn_dtype begin(knl_body *c, const char *name, const kn_shape *shape, kn_dtype given)
{
    knl_begin(c, name);
    if (kna_given_pointer(&c->op, shape, "shape"))
        knrandom_shape_ok(&c->op, shape);
    return kna_lookup_dtype(given, kna_default_float());
}

static kn_array number(knl_body *c, kn_dtype d, double v) { return knl_made(c, knb_number(c->op.b, d, v)); }

static kn_array filled(const char *name, const kn_shape *shape, double v, const kn_nn_init_opts *opts)
{
    knl_body c;
    kn_dtype d = begin(&c, name, shape, opts ? opts->dtype : NULL);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kni_atom x = knb_number(c.op.b, d, v);
    return knl_end(&c, knl_made(&c, knb_broadcast_in_dim(c.op.b, x, shape->ndim, shape->dim, NULL)));
}

kn_array kn_nn_init_zeros(kn_array key, const kn_shape *shape, const kn_nn_init_opts *opts)
{
    (void)key;
    return filled("nn_init_zeros", shape, 0, opts);
}

kn_array kn_nn_init_ones(kn_array key, const kn_shape *shape, const kn_nn_init_opts *opts)
{
    (void)key;
    return filled("nn_init_ones", shape, 1, opts);
}

kn_array kn_nn_init_constant(kn_array key, const kn_shape *shape, kn_array value, const kn_nn_init_opts *opts)
{
    knl_body c;
    (void)key;
    kn_dtype d = begin(&c, "nn_init_constant", shape, opts ? opts->dtype : NULL);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kni_atom x = kna_in_as(&c.op, value, d);
    return knl_end(&c, knl_made(&c, knb_broadcast_to(c.op.b, x, kni_type_of(d, shape->ndim, shape->dim))));
}

/* ---- Of one spread. */

static kn_array uniform(kn_array key, const kn_shape *shape, kn_dtype d, kn_array minval)
{
    kn_random_uniform_opts o = kn_random_uniform_opts_default();
    o.dtype = d;
    o.minval = minval;
    return kn_random_uniform(key, shape, &o);
}

static kn_array normal(kn_array key, const kn_shape *shape, kn_dtype d)
{
    kn_random_normal_opts o = kn_random_normal_opts_default();
    o.dtype = d;
    return kn_random_normal(key, shape, &o);
}

static kn_array truncated_normal(kn_array key, const kn_shape *shape, kn_dtype d, double lower, double upper)
{
    kn_random_dtype_opts o = kn_random_dtype_opts_default();
    o.dtype = d;
    return kn_random_truncated_normal(key, kn_like_double(lower), kn_like_double(upper), shape, &o);
}

kn_array kn_nn_init_uniform(kn_array key, const kn_shape *shape, const kn_nn_init_uniform_opts *opts)
{
    knl_body c;
    KNX_OPTS(kn_nn_init_uniform_opts, o, opts);
    kn_dtype d = begin(&c, "nn_init_uniform", shape, o.dtype);
    return knl_end(&c, kna_failed(&c.op) ? NULL : kn_multiply(uniform(key, shape, d, NULL), number(&c, d, o.scale)));
}

kn_array kn_nn_init_normal(kn_array key, const kn_shape *shape, const kn_nn_init_normal_opts *opts)
{
    knl_body c;
    KNX_OPTS(kn_nn_init_normal_opts, o, opts);
    kn_dtype d = begin(&c, "nn_init_normal", shape, o.dtype);
    return knl_end(&c, kna_failed(&c.op) ? NULL : kn_multiply(normal(key, shape, d), number(&c, d, o.stddev)));
}

kn_array kn_nn_init_truncated_normal(kn_array key, const kn_shape *shape, const kn_nn_init_truncated_normal_opts *opts)
{
    knl_body c;
    KNX_OPTS(kn_nn_init_truncated_normal_opts, o, opts);
    kn_dtype d = begin(&c, "nn_init_truncated_normal", shape, o.dtype);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    return knl_end(&c, kn_multiply(truncated_normal(key, shape, d, o.lower, o.upper), number(&c, d, o.stddev)));
}

/* ---- Of a spread that goes with the shape. */

/* The product of the extents of some axes. */
static double extent(kna_op *op, const kn_shape *shape, kn_axes axes, int otherwise)
{
    double n = 1;
    if (!kna_axes_fit(op, axes, "axis"))
        return n;
    if (!axes.n)
        axes = knl_one_axis(otherwise);
    for (int i = 0; i + 1 < axes.n; i++) {
        int k = kna_normalize_axis(op, axes.axis[i], shape->ndim);
        if (kna_failed(op))
            return n;
        n *= (double)shape->dim[k];
    }
    return n;
}

static double elements(const kn_shape *shape)
{
    double n = 1;
    for (int i = 0; i < shape->ndim; i++)
        n *= (double)shape->dim[i];
    return n;
}

/* By what the scale is divided. */
static double fan(kna_op *op, const kn_shape *shape, const kn_nn_init_variance_scaling_opts *o)
{
    bool default_in = !o->in_axis.n || (o->in_axis.n == 2 && o->in_axis.axis[0] == -2);
    if (default_in && shape->ndim <= 1) {
        kna_fail(op, KN_ERROR_VALUE,
                 "Can't compute input and output sizes of a %d-dimensional weights tensor with default in_axis. Must "
                 "be at least 2D or specify in_axis explicitly.",
                 shape->ndim);
        return 1;
    }
    double in = extent(op, shape, o->in_axis, -2), out = extent(op, shape, o->out_axis, -1);
    double batch = o->batch_axis.n > 0 ? extent(op, shape, o->batch_axis, 0) : 1;
    double field = elements(shape) / in / out / batch;
    const char *mode = o->mode ? o->mode : "fan_in";
    in *= field, out *= field;
    if (!strcmp(mode, "fan_in"))
        return in;
    if (!strcmp(mode, "fan_out"))
        return out;
    if (!strcmp(mode, "fan_avg"))
        return (in + out) / 2;
    if (!strcmp(mode, "fan_geo_avg"))
        return sqrt(in * out);
    kna_fail(op, KN_ERROR_VALUE, "invalid mode for variance scaling initializer: %s", mode);
    return 1;
}

/* Complex numbers with random angles: sqrt(2 u) away from 0, or, up to `upper`, as a normal distribution is. */
static kn_array with_angles(knl_body *c, kn_array key, const kn_shape *shape, kn_dtype d, double upper)
{
    kni_builder *b = c->op.b;
    kn_dtype real = knx_component(d);
    kni_atom half[2], part[2];
    knrandom_split2(b, knrandom_key_in(&c->op, key), half);
    for (int i = 0; i < 2 && !kna_failed(&c->op); i++)
        part[i] = kna_in(&c->op, uniform(knl_made(c, half[i]), shape, real, NULL));
    if (kna_failed(&c->op))
        return NULL;
    kni_atom r, one = knb_number(b, real, 1), angle = knb_mul(b, knb_number(b, real, 2 * 3.141592653589793), part[1]);
    if (upper == 0) {
        r = knb_sqrt(b, knb_mul(b, knb_number(b, real, 2), part[0]));
    } else {
        kni_atom most = knb_sub(b, one, knb_exp(b, knb_number(b, real, -upper * upper)));
        r = knb_sqrt(b, knb_neg(b, knb_log(b, knb_sub(b, one, knb_mul(b, most, part[0])))));
    }
    return knl_made(c, knb_complex(b, knb_mul(b, r, knb_cos(b, angle)), knb_mul(b, r, knb_sin(b, angle))));
}

/* Numbers of a distribution with this variance. */
static kn_array distributed(knl_body *c, kn_array key, const kn_shape *shape, kn_dtype d, double variance,
                            const char *name)
{
    kni_builder *b = c->op.b;
    bool complex = knx_is_complex(d);
    kni_atom v = knb_number(b, d, variance);
    if (!name || !strcmp(name, "truncated_normal")) {
        /* divided by the standard deviation of what is left of the normal distribution within 2 */
        double left = complex ? .95311164380491208 : .87962566103423978;
        kn_array x = complex ? with_angles(c, key, shape, d, 2) : truncated_normal(key, shape, d, -2, 2);
        return kn_multiply(x, knl_made(c, knb_div(b, knb_sqrt(b, v), knb_number(b, d, left))));
    }
    if (!strcmp(name, "normal"))
        return kn_multiply(normal(key, shape, d), knl_made(c, knb_sqrt(b, v)));
    if (strcmp(name, "uniform") != 0) {
        kna_fail(&c->op, KN_ERROR_VALUE, "invalid distribution for variance scaling initializer: %s", name);
        return NULL;
    }
    if (complex)
        return kn_multiply(with_angles(c, key, shape, d, 0), knl_made(c, knb_sqrt(b, v)));
    kni_atom width = knb_sqrt(b, knb_mul(b, knb_number(b, d, 3), v));
    return kn_multiply(uniform(key, shape, d, kn_like_double(-1)), knl_made(c, width));
}

static kn_array scaled(const char *name, kn_array key, const kn_shape *shape, const kn_nn_init_variance_scaling_opts *o)
{
    knl_body c;
    kn_dtype d = begin(&c, name, shape, o->dtype);
    if (!kna_failed(&c.op) && !knx_is_inexact(d))
        kna_fail(&c.op, KN_ERROR_VALUE, "dtype argument must be a float or complex dtype, got %s", d->name);
    for (int i = 0; i < (kna_failed(&c.op) ? 0 : shape->ndim); i++)
        kna_need_number(&c.op, shape->dim[i], "the variance of weights depends on their shape");
    double n = kna_failed(&c.op) ? 1 : fan(&c.op, shape, o);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    if (elements(shape) == 0)
        return knl_end(&c, knl_made(&c, knb_zeros(c.op.b, kni_type_of(d, shape->ndim, shape->dim))));
    return knl_end(&c, distributed(&c, key, shape, d, o->scale / n, o->distribution));
}

kn_array kn_nn_init_variance_scaling(kn_array key, const kn_shape *shape, const kn_nn_init_variance_scaling_opts *opts)
{
    KNX_OPTS(kn_nn_init_variance_scaling_opts, o, opts);
    return scaled("nn_init_variance_scaling", key, shape, &o);
}

static kn_array by_fans(const char *name, kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts,
                        double scale, const char *mode, const char *distribution)
{
    KNX_OPTS(kn_nn_init_fan_opts, o, opts);
    kn_nn_init_variance_scaling_opts v = {.size_ = sizeof v,
                                          .in_axis = o.in_axis,
                                          .out_axis = o.out_axis,
                                          .batch_axis = o.batch_axis,
                                          .dtype = o.dtype,
                                          .scale = scale,
                                          .mode = mode,
                                          .distribution = distribution};
    return scaled(name, key, shape, &v);
}

#define BY_FANS(name, scale, mode, distribution)                                               \
    kn_array name(kn_array key, const kn_shape *shape, const kn_nn_init_fan_opts *opts)        \
    {                                                                                          \
        return by_fans(&#name[sizeof "kn_" - 1], key, shape, opts, scale, mode, distribution); \
    }
BY_FANS(kn_nn_init_glorot_uniform, 1, "fan_avg", "uniform")
BY_FANS(kn_nn_init_glorot_normal, 1, "fan_avg", "truncated_normal")
BY_FANS(kn_nn_init_xavier_uniform, 1, "fan_avg", "uniform")
BY_FANS(kn_nn_init_xavier_normal, 1, "fan_avg", "truncated_normal")
BY_FANS(kn_nn_init_lecun_uniform, 1, "fan_in", "uniform")
BY_FANS(kn_nn_init_lecun_normal, 1, "fan_in", "truncated_normal")
BY_FANS(kn_nn_init_he_uniform, 2, "fan_in", "uniform")
BY_FANS(kn_nn_init_he_normal, 2, "fan_in", "truncated_normal")
BY_FANS(kn_nn_init_kaiming_uniform, 2, "fan_in", "uniform")
BY_FANS(kn_nn_init_kaiming_normal, 2, "fan_in", "truncated_normal")

/* ---- Orthogonal matrices. */

static bool orthogonal_fits(kna_op *op, const kn_shape *shape, bool delta)
{
    int n = shape->ndim;
    if (delta && (n < 3 || n > 5))
        kna_fail(op, KN_ERROR_VALUE, "Delta orthogonal initializer requires a 3D, 4D or 5D shape.");
    else if (delta && knx_dim_lt(shape->dim[n - 1], shape->dim[n - 2]))
        kna_fail(op, KN_ERROR_VALUE, "`fan_in` must be less or equal than `fan_out`. ");
    else if (n < 2)
        kna_fail(op, KN_ERROR_VALUE, "orthogonal initializer requires at least a 2D shape");
    return !kna_failed(op);
}

/* A matrix of all extents but that of `axis` by that one, as an array of the shape; orthonormal columns or rows. */
static kn_array orthogonal_of(kn_array key, const kn_shape *shape, int axis, kn_dtype d)
{
    kn_shape last = {.ndim = shape->ndim};
    int64_t rows = 1;
    for (int i = 0, k = 0; i < shape->ndim; i++)
        if (i != axis) {
            rows *= shape->dim[i];
            last.dim[k++] = shape->dim[i];
        }
    last.dim[last.ndim - 1] = shape->dim[axis];
    kn_random_orthogonal_opts o = kn_random_orthogonal_opts_default();
    o.dtype = d;
    o.m = shape->dim[axis];
    kn_array q = kn_reshape(kn_random_orthogonal(key, rows, &(kn_shape){.ndim = 0}, &o), &last, NULL);
    kn_axes from = knl_one_axis(-1), to = knl_one_axis(axis);
    return kn_moveaxis(q, &from, &to);
}

/* x, of two axes, in the middle of zeros of the shape. */
static kn_array in_the_middle(kn_array x, const kn_shape *shape, kn_array zero)
{
    int n = shape->ndim;
    kn_shape thin = *shape;
    kn_lax_padding around[5] = {{0, 0, 0}};
    for (int i = 0; i < n - 2; i++) {
        thin.dim[i] = 1;
        around[i].low = (shape->dim[i] - 1) / 2;
        around[i].high = shape->dim[i] - 1 - around[i].low;
    }
    return kn_lax_pad(kn_reshape(x, &thin, NULL), zero, (kn_lax_padding_config){.axis = around, .n = n});
}

static kn_array orthogonal(const char *name, kn_array key, const kn_shape *shape,
                           const kn_nn_init_orthogonal_opts *opts, bool delta)
{
    knl_body c;
    KNX_OPTS(kn_nn_init_orthogonal_opts, o, opts);
    kn_dtype d = begin(&c, name, shape, o.dtype);
    if (kna_failed(&c.op) || !orthogonal_fits(&c.op, shape, delta))
        return knl_end(&c, NULL);
    knrandom_key_in(&c.op, key);
    int n = shape->ndim;
    if (elements(shape) == 0)
        return knl_end(&c, knl_made(&c, knb_zeros(c.op.b, kni_type_of(d, n, shape->dim))));
    kn_shape matrix = {.ndim = 2, .dim = {shape->dim[n - 2], shape->dim[n - 1]}};
    const kn_shape *of = delta ? &matrix : shape;
    bool given = kna_axes_fit(&c.op, o.column_axis, "column_axis") && o.column_axis.n > 0;
    if (given && o.column_axis.n != 2)
        kna_fail(&c.op, KN_ERROR_TYPE, "column_axis has to be one axis");
    int axis = of->ndim - 1;
    if (given && !kna_failed(&c.op))
        axis = kna_normalize_axis(&c.op, o.column_axis.axis[0], of->ndim);
    if (kna_failed(&c.op))
        return knl_end(&c, NULL);
    kn_array x = kn_multiply(orthogonal_of(key, of, axis, d), number(&c, d, o.scale));
    return knl_end(&c, delta ? in_the_middle(x, shape, number(&c, d, 0)) : x);
}

kn_array kn_nn_init_orthogonal(kn_array key, const kn_shape *shape, const kn_nn_init_orthogonal_opts *opts)
{
    return orthogonal("nn_init_orthogonal", key, shape, opts, false);
}

kn_array kn_nn_init_delta_orthogonal(kn_array key, const kn_shape *shape, const kn_nn_init_orthogonal_opts *opts)
{
    return orthogonal("nn_init_delta_orthogonal", key, shape, opts, true);
}
