/* SPDX-License-Identifier: Apache-2.0
 * normalization.c -- normalization over features, groups and batches: mean and variance in two passes, in float32 for
 * 16 bits. */
#include "kiln/nn.h"
#include "base/options.h"
#include "nn/operand.h"

typedef struct norm {
    kna_op op;
    kni_builder *b;
    knnn_float d;
    kni_atom x; /* in d.wide */
    kni_type t; /* of x */
} norm;

/* Begins with x in the dtype that it is computed in; the result's dtype is that of x, scale and bias together. */
static bool begin(norm *m, const char *name, kn_array x, kn_array scale, kn_array bias)
{
    kna_begin(&m->op, name);
    m->b = m->op.b;
    m->d = knnn_floats(&m->op, 3, (kn_array[]){x, scale, bias});
    m->x = kna_failed(&m->op) ? KN_ATOM_NONE : kna_in_as(&m->op, x, m->d.wide);
    m->t = knb_type(m->b, m->x);
    return !kna_failed(&m->op);
}

/* The axes of features; the last one if none are given. */
static int feature_axes(norm *m, kn_axes given, int64_t axes[KN_MAX_NDIM])
{
    if (!kna_failed(&m->op) && m->t.ndim == 0 && !given.n)
        kna_fail(&m->op, KN_ERROR_AXIS, "axis -1 is out of bounds for array of dimension 0");
    return kna_failed(&m->op) ? 0 : kna_axes(&m->op, given, m->t.ndim, KNA_AXES_LAST, axes);
}

static void check_epsilon(norm *m, double epsilon)
{
    if (!kna_failed(&m->op) && !(epsilon >= 0))
        kna_fail(&m->op, KN_ERROR_VALUE, "epsilon must not be negative, but is %g", epsilon);
}

/* The axes of t that are not among these. */
static int others(kni_type t, int n, const int64_t *axes, int64_t *rest)
{
    int k = 0, m = 0;
    for (int i = 0; i < t.ndim; i++)
        if (k < n && axes[k] == i)
            k++;
        else
            rest[m++] = i;
    return m;
}

/* The mean of x over axes, with its other axes. */
static kni_atom mean(kni_builder *b, kni_atom x, int n, const int64_t *axes)
{
    kni_type t = knb_type(b, x);
    int64_t dim[KN_MAX_NDIM];
    if (b->error)
        return KN_ATOM_NONE;
    for (int i = 0; i < n; i++)
        dim[i] = t.dim[axes[i]];
    return knb_div(b, knb_reduce_sum(b, x, n, axes), knb_dimension(b, t.dtype, knx_dim_size(n, dim)));
}

/* y, which has the other axes of x, beside x. */
static kni_atom beside(kni_builder *b, kni_atom y, kni_type t, int n, const int64_t *axes)
{
    int64_t rest[KN_MAX_NDIM];
    others(t, n, axes, rest);
    return knb_broadcast_in_dim(b, y, t.ndim, t.dim, rest);
}

static kni_atom inverse_root(kni_builder *b, kni_atom variance, double epsilon)
{
    return knb_rsqrt(b, knb_add(b, variance, knb_like(b, variance, epsilon)));
}

/* (x - mean) / sqrt(variance + epsilon) over axes; without `centred` x / sqrt(mean(x^2) + epsilon). */
static kni_atom normalized(kni_builder *b, kni_atom x, int n, const int64_t *axes, double epsilon, bool centred)
{
    kni_type t = knb_type(b, x);
    if (b->error)
        return KN_ATOM_NONE;
    if (centred)
        x = knb_sub(b, x, beside(b, mean(b, x, n, axes), t, n, axes));
    kni_atom scale = inverse_root(b, mean(b, knb_mul(b, x, x), n, axes), epsilon);
    return knb_mul(b, x, beside(b, scale, t, n, axes));
}

/* y times scale plus bias, which lie along axes. */
static kni_atom scaled(norm *m, kni_atom y, kn_array scale, kn_array bias, int n, const int64_t *axes)
{
    if (scale)
        y = knb_mul(m->b, y, knnn_along(&m->op, scale, m->d.wide, "scale", m->t, n, axes));
    if (bias)
        y = knb_add(m->b, y, knnn_along(&m->op, bias, m->d.wide, "bias", m->t, n, axes));
    return y;
}

static kn_array end(norm *m, kni_atom y)
{
    return kna_end(&m->op, kna_failed(&m->op) ? KN_ATOM_NONE : knb_convert(m->b, y, m->d.stored));
}

/* ---- Over features. */

kn_array kn_nn_layer_norm(kn_array x, const kn_nn_layer_norm_opts *opts)
{
    norm m;
    KNX_OPTS(kn_nn_layer_norm_opts, o, opts);
    int64_t axes[KN_MAX_NDIM];
    begin(&m, "nn_layer_norm", x, o.scale, o.bias);
    int n = feature_axes(&m, o.axis, axes);
    check_epsilon(&m, o.epsilon);
    if (kna_failed(&m.op))
        return end(&m, KN_ATOM_NONE);
    return end(&m, scaled(&m, normalized(m.b, m.x, n, axes, o.epsilon, true), o.scale, o.bias, n, axes));
}

kn_array kn_nn_rms_norm(kn_array x, const kn_nn_rms_norm_opts *opts)
{
    norm m;
    KNX_OPTS(kn_nn_rms_norm_opts, o, opts);
    int64_t axes[KN_MAX_NDIM];
    begin(&m, "nn_rms_norm", x, o.scale, NULL);
    int n = feature_axes(&m, o.axis, axes);
    check_epsilon(&m, o.epsilon);
    if (kna_failed(&m.op))
        return end(&m, KN_ATOM_NONE);
    return end(&m, scaled(&m, normalized(m.b, m.x, n, axes, o.epsilon, false), o.scale, NULL, n, axes));
}

/* ---- Over groups of channels. */

/* The axis of the channels of an array whose first axis is the batch. */
static int channel_axis(norm *m, kn_axes given)
{
    if (!kna_failed(&m->op) && m->t.ndim < 2)
        kna_fail(&m->op, KN_ERROR_VALUE, "an axis for the batch and one for the channels are needed, but got %d axes",
                 m->t.ndim);
    int axis = kna_failed(&m->op) ? 1 : kna_axis(&m->op, given, m->t.ndim, -1);
    if (!kna_failed(&m->op) && axis == 0)
        kna_fail(&m->op, KN_ERROR_VALUE, "axis 0 is that of the batch, it cannot be that of the channels");
    return axis;
}

/* The channels as two axes, groups and what is in a group; each group is normalized over all but batch and group. */
static kni_atom of_groups(norm *m, int channels, int64_t groups, double epsilon)
{
    int64_t dim[KN_MAX_NDIM], axes[KN_MAX_NDIM];
    int n = 0, k = 0;
    for (int i = 0; i < m->t.ndim; i++) {
        if (i == channels)
            dim[n++] = groups;
        dim[n++] = i == channels ? knx_dim_floordiv(m->t.dim[i], groups) : m->t.dim[i];
    }
    for (int i = 1; i < n; i++)
        if (i != channels)
            axes[k++] = i;
    kni_atom y = normalized(m->b, knb_reshape(m->b, m->x, n, dim), k, axes, epsilon, true);
    return knb_reshape(m->b, y, m->t.ndim, m->t.dim);
}

static kn_array grouped(const char *name, kn_array x, bool each, int64_t groups, const kn_nn_group_norm_opts *opts)
{
    norm m;
    KNX_OPTS(kn_nn_group_norm_opts, o, opts);
    begin(&m, name, x, o.scale, o.bias);
    int64_t axis = channel_axis(&m, o.axis);
    check_epsilon(&m, o.epsilon);
    if (kna_failed(&m.op))
        return end(&m, KN_ATOM_NONE);
    knx_text s = {0};
    int64_t channels = m.t.dim[axis];
    if (each)
        groups = channels;
    else if (groups < 1 || !knx_dim_eq(knx_dim_mod(channels, groups), 0))
        kna_fail(&m.op, KN_ERROR_VALUE, "the number of channels, %s, must be a multiple of num_groups, %lld",
                 knx_dim_show(&s, channels), (long long)groups);
    else if (m.t.ndim == KN_MAX_NDIM)
        kna_fail(&m.op, KN_ERROR_VALUE, "at most %d axes can be normalized, but got %d", KN_MAX_NDIM - 1, m.t.ndim);
    if (kna_failed(&m.op))
        return end(&m, KN_ATOM_NONE);
    int64_t axes[KN_MAX_NDIM], kept[2] = {0, axis};
    int n = others(m.t, 2, kept, axes);
    kni_atom y = each ? normalized(m.b, m.x, n, axes, o.epsilon, true) : of_groups(&m, (int)axis, groups, o.epsilon);
    return end(&m, scaled(&m, y, o.scale, o.bias, 1, &axis));
}

kn_array kn_nn_group_norm(kn_array x, int64_t num_groups, const kn_nn_group_norm_opts *opts)
{
    return grouped("nn_group_norm", x, false, num_groups, opts);
}

kn_array kn_nn_instance_norm(kn_array x, const kn_nn_group_norm_opts *opts)
{
    return grouped("nn_instance_norm", x, true, 0, opts);
}

/* ---- Over batches. */

/* (x - mean) / sqrt(variance + epsilon), of vectors along the axis of the channels. */
static kni_atom standardized(norm *m, kni_atom mean, kni_atom variance, double epsilon, const int64_t *axis)
{
    kni_atom scale = inverse_root(m->b, variance, epsilon);
    kni_atom x = knb_sub(m->b, m->x, knb_broadcast_in_dim(m->b, mean, m->t.ndim, m->t.dim, axis));
    return knb_mul(m->b, x, knb_broadcast_in_dim(m->b, scale, m->t.ndim, m->t.dim, axis));
}

/* mean or variance, a vector as long as the axis of the channels */
static kni_atom statistic(norm *m, kn_array x, const char *name, int64_t axis)
{
    kni_type t = kna_type(&m->op, x);
    knx_text has = {0}, needs = {0};
    if (!kna_failed(&m->op) && !knx_is_float(t.dtype))
        kna_fail(&m->op, KN_ERROR_TYPE, "%s must be of a float dtype, but got %s", name, t.dtype->name);
    if (!kna_failed(&m->op) && (t.ndim != 1 || !knx_dim_eq(t.dim[0], m->t.dim[axis])))
        kna_fail(&m->op, KN_ERROR_VALUE, "%s must have the shape %s, but has %s", name,
                 knx_show_shape(&needs, 1, &m->t.dim[axis]), knx_show_shape(&has, t.ndim, t.dim));
    return kna_failed(&m->op) ? KN_ATOM_NONE : kna_in_as(&m->op, x, m->d.wide);
}

static int64_t begin_batch(norm *m, const char *name, kn_array x, const kn_nn_batch_norm_opts *o)
{
    begin(m, name, x, o->scale, o->bias);
    if (!kna_failed(&m->op) && m->t.ndim == 0)
        kna_fail(&m->op, KN_ERROR_VALUE, "an axis for the channels is needed, but got 0 axes");
    int64_t axis = kna_failed(&m->op) ? 0 : kna_axis(&m->op, o->axis, m->t.ndim, -1);
    check_epsilon(m, o->epsilon);
    return axis;
}

kn_array kn_nn_batch_norm(kn_array x, kn_array mean, kn_array variance, const kn_nn_batch_norm_opts *opts)
{
    norm m;
    KNX_OPTS(kn_nn_batch_norm_opts, o, opts);
    int64_t axis = begin_batch(&m, "nn_batch_norm", x, &o);
    kni_atom u = statistic(&m, mean, "mean", axis), v = statistic(&m, variance, "variance", axis);
    if (kna_failed(&m.op))
        return end(&m, KN_ATOM_NONE);
    return end(&m, scaled(&m, standardized(&m, u, v, o.epsilon, &axis), o.scale, o.bias, 1, &axis));
}

/* momentum old + (1 - momentum) new, a constant in derivatives, in the dtype of the array it goes on from */
static kni_atom running(norm *m, kni_atom old, kni_atom new, double momentum, kn_array given)
{
    kni_atom kept = knb_mul(m->b, old, knb_like(m->b, old, momentum));
    kni_atom sum = knb_add(m->b, kept, knb_mul(m->b, new, knb_like(m->b, new, 1 - momentum)));
    kni_type t = kna_type(&m->op, given);
    return kna_failed(&m->op) ? KN_ATOM_NONE : knb_convert(m->b, knb_stop_gradient(m->b, sum), t.dtype);
}

/* n / (n - 1) for the n elements of a channel */
static kni_atom of_samples(norm *m, kni_atom variance, int64_t axis)
{
    int64_t axes[KN_MAX_NDIM], dim[KN_MAX_NDIM];
    int n = others(m->t, 1, &axis, axes);
    for (int i = 0; i < n; i++)
        dim[i] = m->t.dim[axes[i]];
    int64_t count = knx_dim_size(n, dim);
    kni_atom all = knb_dimension(m->b, m->d.wide, count);
    return knb_mul(m->b, variance, knb_div(m->b, all, knb_dimension(m->b, m->d.wide, knx_dim_sub(count, 1))));
}

kn_nn_batch_norm_result kn_nn_batch_norm_train(kn_array x, kn_array mean_, kn_array variance,
                                               const kn_nn_batch_norm_opts *opts)
{
    norm m;
    KNX_OPTS(kn_nn_batch_norm_opts, o, opts);
    int64_t axis = begin_batch(&m, "nn_batch_norm_train", x, &o), axes[KN_MAX_NDIM];
    kni_atom u = statistic(&m, mean_, "mean", axis), v = statistic(&m, variance, "variance", axis), y[3] = {0};
    kn_array out[3];
    if (!kna_failed(&m.op) && !(o.momentum >= 0 && o.momentum <= 1))
        kna_fail(&m.op, KN_ERROR_VALUE, "momentum must be between 0 and 1, but is %g", o.momentum);
    if (!kna_failed(&m.op)) {
        int n = others(m.t, 1, &axis, axes);
        kni_atom mu = mean(m.b, m.x, n, axes);
        kni_atom d = knb_sub(m.b, m.x, knb_broadcast_in_dim(m.b, mu, m.t.ndim, m.t.dim, &axis));
        kni_atom var = mean(m.b, knb_mul(m.b, d, d), n, axes);
        kni_atom z = scaled(&m, standardized(&m, mu, var, o.epsilon, &axis), o.scale, o.bias, 1, &axis);
        y[0] = kna_failed(&m.op) ? KN_ATOM_NONE : knb_convert(m.b, z, m.d.stored);
        y[1] = running(&m, u, mu, o.momentum, mean_);
        y[2] = running(&m, v, o.unbiased ? of_samples(&m, var, axis) : var, o.momentum, variance);
    }
    kna_end_n(&m.op, 3, y, out);
    return (kn_nn_batch_norm_result){out[0], out[1], out[2]};
}

/* ---- Of weights. */

kn_array kn_nn_weight_norm(kn_array w, const kn_nn_weight_norm_opts *opts)
{
    norm m;
    KNX_OPTS(kn_nn_weight_norm_opts, o, opts);
    bool ok = begin(&m, "nn_weight_norm", w, o.scale, NULL);
    if (ok && m.t.ndim == 0)
        kna_fail(&m.op, KN_ERROR_VALUE, "weights must have at least one axis");
    int64_t axis = kna_failed(&m.op) ? 0 : kna_axis(&m.op, o.axis, m.t.ndim, -1), axes[KN_MAX_NDIM];
    check_epsilon(&m, o.epsilon);
    if (kna_failed(&m.op))
        return end(&m, KN_ATOM_NONE);
    int n = others(m.t, 1, &axis, axes);
    kni_atom scale = inverse_root(m.b, knb_reduce_sum(m.b, knb_mul(m.b, m.x, m.x), n, axes), o.epsilon);
    kni_atom y = knb_mul(m.b, m.x, knb_broadcast_in_dim(m.b, scale, m.t.ndim, m.t.dim, &axis));
    return end(&m, scaled(&m, y, o.scale, NULL, 1, &axis));
}

static kni_atom matrix_vector(kni_builder *b, kni_atom w, kni_atom v, int64_t axis)
{
    int64_t zero = 0;
    kni_p_dot_general p = {.lhs_contract = {1, &axis}, .rhs_contract = {1, &zero}};
    return knb_dot_general(b, w, v, &p);
}

static kni_atom unit(kni_builder *b, kni_atom v, double epsilon)
{
    int64_t zero = 0;
    kni_atom scale = inverse_root(b, knb_reduce_sum(b, knb_mul(b, v, v), 1, &zero), epsilon);
    return knb_mul(b, v, scale);
}

/* The weights as a matrix: the outputs, and all the rest. */
static kni_atom as_matrix(norm *m, int axis)
{
    kni_atom x = knb_move_axis(m->b, m->x, axis, 0);
    int64_t size = 1;
    for (int i = 0; i < m->t.ndim; i++)
        size = i == axis ? size : knx_dim_mul(size, m->t.dim[i]);
    return knb_reshape(m->b, x, 2, (int64_t[]){m->t.dim[axis], size});
}

kn_nn_spectral_norm_result kn_nn_spectral_norm(kn_array w, kn_array u, const kn_nn_spectral_norm_opts *opts)
{
    norm m;
    KNX_OPTS(kn_nn_spectral_norm_opts, o, opts);
    kn_array out[3];
    kni_atom y[3] = {0};
    bool ok = begin(&m, "nn_spectral_norm", w, NULL, NULL);
    if (ok && m.t.ndim < 2)
        kna_fail(&m.op, KN_ERROR_VALUE, "weights must have at least two axes, but have %d", m.t.ndim);
    int64_t axis = kna_failed(&m.op) ? 0 : kna_axis(&m.op, o.axis, m.t.ndim, -1);
    check_epsilon(&m, o.epsilon);
    if (!kna_failed(&m.op) && o.steps < 1)
        kna_fail(&m.op, KN_ERROR_VALUE, "steps must be at least 1, but is %lld", (long long)o.steps);
    kni_atom left = statistic(&m, u, "u", axis), right = KN_ATOM_NONE;
    if (!kna_failed(&m.op)) {
        kni_atom matrix = as_matrix(&m, (int)axis), fixed = knb_stop_gradient(m.b, matrix);
        left = knb_stop_gradient(m.b, left);
        for (int64_t i = 0; i < o.steps && !kna_failed(&m.op); i++) {
            right = unit(m.b, matrix_vector(m.b, fixed, left, 0), o.epsilon);
            left = unit(m.b, matrix_vector(m.b, fixed, right, 1), o.epsilon);
        }
        kni_atom sigma = matrix_vector(m.b, left, matrix_vector(m.b, matrix, right, 1), 0);
        kni_atom zero = knb_eq(m.b, sigma, knb_like(m.b, sigma, 0));
        kni_atom divisor = knb_select(m.b, zero, knb_like(m.b, sigma, 1), sigma);
        y[0] = knb_convert(m.b, knb_div(m.b, m.x, knb_broadcast_in_dim(m.b, divisor, m.t.ndim, m.t.dim, NULL)),
                           m.d.stored);
        y[1] = knb_convert(m.b, left, kna_type(&m.op, u).dtype);
        y[2] = sigma;
    }
    kna_end_n(&m.op, 3, y, out);
    return (kn_nn_spectral_norm_result){out[0], out[1], out[2]};
}
