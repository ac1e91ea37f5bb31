/* SPDX-License-Identifier: Apache-2.0
 * activations.c -- what stands between layers: ONNX's Relu, Elu, Gelu, Clip and their kin, and Softmax, LogSoftmax,
 * Hardmax. */
#include "models/onnx/ops/numbers.h"
#include <float.h>
#include <string.h>

/* ---- Elementwise. */

KNONNX_UNARY(op_mish, kn_nn_mish)
KNONNX_UNARY(op_relu, kn_nn_relu)
KNONNX_UNARY(op_sigmoid, kn_nn_sigmoid)
KNONNX_UNARY(op_softplus, kn_nn_softplus)
KNONNX_UNARY(op_softsign, kn_nn_soft_sign)

static kn_array number(knonnx_call *c, const char *name, double otherwise)
{
    return kn_like_double(knonnx_float(c, name, otherwise));
}

static kn_array zero(void) { return kn_like_int(0); }

static int elu_like(knonnx_call *c, kn_array f(kn_array x, const kn_nn_elu_opts *opts))
{
    kn_nn_elu_opts o = kn_nn_elu_opts_default();
    o.alpha = number(c, "alpha", 1);
    return knonnx_set(c, 0, f(knonnx_in(c, 0), &o));
}

static int op_celu(knonnx_call *c) { return elu_like(c, kn_nn_celu); }
static int op_elu(knonnx_call *c) { return elu_like(c, kn_nn_elu); }

static int selu(knonnx_call *c, double alpha, double gamma)
{
    kn_nn_elu_opts o = kn_nn_elu_opts_default();
    o.alpha = number(c, "alpha", alpha);
    return knonnx_set(c, 0, kn_multiply(kn_nn_elu(knonnx_in(c, 0), &o), number(c, "gamma", gamma)));
}

static int op_selu_1(knonnx_call *c) { return selu(c, 1.6732f, 1.0507f); }
static int op_selu(knonnx_call *c) { return selu(c, 1.67326319217681884765625, 1.05070102214813232421875); }

static int op_gelu(knonnx_call *c)
{
    const char *how = knonnx_string(c, "approximate", "none");
    kn_nn_gelu_opts o = kn_nn_gelu_opts_default();
    if (!how)
        return -1;
    o.approximate = !strcmp(how, "tanh");
    if (!o.approximate && strcmp(how, "none"))
        return knonnx_fail(c, KN_ERROR_VALUE, "approximate=\"%s\" is neither \"none\" nor \"tanh\"", how);
    return knonnx_set(c, 0, kn_nn_gelu(knonnx_in(c, 0), &o));
}

static kn_array unit(kn_array x) { return kn_clip(x, zero(), kn_like_int(1)); } /* kept within 0 and 1 */

static int op_hard_sigmoid(knonnx_call *c)
{
    kn_array x = kn_multiply(knonnx_in(c, 0), number(c, "alpha", 0.2f));
    return knonnx_set(c, 0, unit(kn_add(x, number(c, "beta", 0.5))));
}

static int op_hard_swish(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    kn_array gate = unit(kn_add(kn_multiply(x, kn_like_double(1.0 / 6)), kn_like_double(0.5)));
    return knonnx_set(c, 0, kn_multiply(x, gate));
}

static int op_leaky_relu(knonnx_call *c)
{
    kn_nn_leaky_relu_opts o = kn_nn_leaky_relu_opts_default();
    o.negative_slope = number(c, "alpha", 0.01f);
    return knonnx_set(c, 0, kn_nn_leaky_relu(knonnx_in(c, 0), &o));
}

/* Before opset 7 a slope of several elements is one for each channel, which is axis 1; then it broadcasts to x. */
static int op_prelu(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0), slope = knonnx_in(c, 1);
    if (c->version < 7 && kn_ndim(slope) == 1 && kn_dim(slope, 0) != 1 && kn_ndim(x) > 1)
        slope = knonnx_along(slope, 1, kn_ndim(x));
    return knonnx_set(c, 0, kn_where(kn_less(x, zero()), kn_multiply(slope, x), x));
}

static int op_shrink(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    double bias = knonnx_float(c, "bias", 0), lambd = knonnx_float(c, "lambd", 0.5);
    kn_array up = kn_subtract(x, kn_like_double(bias)), down = kn_add(x, kn_like_double(bias));
    kn_array high = kn_where(kn_greater(x, kn_like_double(lambd)), up, zero());
    kn_array y = kn_where(kn_less(x, kn_like_double(-lambd)), down, high);
    return knonnx_set(c, 0, knonnx_as(y, kn_dtype_of(x)));
}

static kn_array swish(kn_array x, double alpha)
{
    return kn_multiply(x, kn_nn_sigmoid(alpha == 1 ? x : kn_multiply(x, kn_like_double(alpha))));
}

static int op_swish(knonnx_call *c) { return knonnx_set(c, 0, swish(knonnx_in(c, 0), knonnx_float(c, "alpha", 1))); }

static int op_swiglu(knonnx_call *c)
{
    kn_array a = knonnx_in(c, 0), b = knonnx_in(c, 1);
    kn_shape s = kn_shape_of(a), t = kn_shape_of(b);
    bool same = s.ndim == t.ndim;
    for (int k = 0; k < s.ndim && same; k++)
        same = kn_dim_eq(s.dim[k], t.dim[k]);
    if (!same)
        return knonnx_fail(c, KN_ERROR_VALUE, "both inputs have one shape");
    return knonnx_set(c, 0, kn_multiply(swish(a, knonnx_float(c, "alpha", 1)), b));
}

static int op_thresholded_relu(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    return knonnx_set(c, 0, kn_where(kn_greater(x, number(c, "alpha", 1)), x, zero()));
}

/* From opset 6 on the bounds that are not given are those of float32. */
static int op_clip_1(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    if (c->version >= 6 || knonnx_given(c, "min"))
        x = kn_maximum(x, number(c, "min", -FLT_MAX));
    if (c->version >= 6 || knonnx_given(c, "max"))
        x = kn_minimum(x, number(c, "max", FLT_MAX));
    return knonnx_set(c, 0, x);
}

/* Where the bounds cross, the upper one counts. */
static int op_clip(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    if (knonnx_has(c, 1))
        x = kn_maximum(x, knonnx_in(c, 1));
    if (knonnx_has(c, 2))
        x = kn_minimum(x, knonnx_in(c, 2));
    return knonnx_set(c, 0, x);
}

/* ---- Along an axis. Before opset 13 the axes from `axis` (1) on count as one. */

typedef kn_array along_axis(kn_array x, int axis);

static kn_array softmax(kn_array x, int axis)
{
    kn_nn_softmax_opts o = kn_nn_softmax_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {axis}};
    return kn_nn_softmax(x, &o);
}

static kn_array log_softmax(kn_array x, int axis)
{
    kn_nn_softmax_opts o = kn_nn_softmax_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {axis}};
    return kn_nn_log_softmax(x, &o);
}

static kn_array hardmax(kn_array x, int axis)
{
    kn_shape s = kn_shape_of(x);
    kn_argmax_opts o = kn_argmax_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {axis}};
    o.keepdims = true;
    if (s.ndim < 0)
        return x;
    kn_array place = kn_lax_broadcasted_iota(KN_I64, &s, axis);
    return knonnx_as(kn_equal(place, kn_argmax(x, &o)), kn_dtype_of(x));
}

static kn_array flat_along(along_axis *f, kn_array x, int axis)
{
    kn_shape s = kn_shape_of(x);
    int64_t rows = 1, columns = 1;
    for (int k = 0; k < s.ndim; k++)
        *(k < axis ? &rows : &columns) = kn_dim_mul(k < axis ? rows : columns, s.dim[k]);
    kn_array y = f(knonnx_shaped(x, 2, (int64_t[]){rows, columns}), 1);
    return knonnx_shaped(y, s.ndim, s.dim);
}

static int op_along(knonnx_call *c, along_axis *f)
{
    kn_array x = knonnx_in(c, 0);
    int ndim = kn_ndim(x);
    int64_t axis = knonnx_int(c, "axis", c->version < 13 ? 1 : -1);
    if (ndim < 0)
        return knonnx_done(c);
    bool behind = c->version < 13 && axis == ndim; /* nothing but rows: each has one element */
    int k = behind ? ndim : ndim ? knonnx_axis(c, axis, ndim) : 0;
    if (k < 0)
        return -1;
    if (c->version < 13 || !ndim)
        return knonnx_set(c, 0, flat_along(f, x, k));
    return knonnx_set(c, 0, f(x, k));
}

static int op_softmax(knonnx_call *c) { return op_along(c, softmax); }
static int op_log_softmax(knonnx_call *c) { return op_along(c, log_softmax); }
static int op_hardmax(knonnx_call *c) { return op_along(c, hardmax); }

const knonnx_row knonnx_rows_activations[] = {
    {"Celu", 12, op_celu, 1, 1, 1, 1},
    {"Clip", 1, op_clip_1, 1, 1, 1, 1},
    {"Clip", 11, op_clip, 1, 3, 1, 1},
    {"Elu", 1, op_elu, 1, 1, 1, 1},
    {"Gelu", 20, op_gelu, 1, 1, 1, 1},
    {"HardSigmoid", 1, op_hard_sigmoid, 1, 1, 1, 1},
    {"HardSwish", 14, op_hard_swish, 1, 1, 1, 1},
    {"Hardmax", 1, op_hardmax, 1, 1, 1, 1},
    {"LeakyRelu", 1, op_leaky_relu, 1, 1, 1, 1},
    {"LogSoftmax", 1, op_log_softmax, 1, 1, 1, 1},
    {"Mish", 18, op_mish, 1, 1, 1, 1},
    {"PRelu", 1, op_prelu, 2, 2, 1, 1},
    {"Relu", 1, op_relu, 1, 1, 1, 1},
    {"Selu", 1, op_selu_1, 1, 1, 1, 1},
    {"Selu", 6, op_selu, 1, 1, 1, 1},
    {"Shrink", 9, op_shrink, 1, 1, 1, 1},
    {"Sigmoid", 1, op_sigmoid, 1, 1, 1, 1},
    {"Softmax", 1, op_softmax, 1, 1, 1, 1},
    {"Softplus", 1, op_softplus, 1, 1, 1, 1},
    {"Softsign", 1, op_softsign, 1, 1, 1, 1},
    {"SwiGLU", 28, op_swiglu, 2, 2, 1, 1},
    {"Swish", 24, op_swish, 1, 1, 1, 1},
    {"ThresholdedRelu", 10, op_thresholded_relu, 1, 1, 1, 1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};
