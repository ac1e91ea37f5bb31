/* SPDX-License-Identifier: Apache-2.0
 * losses.c -- ONNX's NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss; Det and Einsum. */
#include "models/onnx/ops/numbers.h"
#include <string.h>

/* ---- Losses of log-probabilities (N, C, d1, ...) and classes (N, d1, ...). */

static int reduced(knonnx_call *c, kn_array loss, kn_array weight)
{
    const char *how = knonnx_string(c, "reduction", "mean");
    kn_sum_opts o = kn_sum_opts_default();
    kn_mean_opts m = kn_mean_opts_default();
    if (!how)
        return -1;
    o.dtype = kn_dtype_of(loss);
    if (!strcmp(how, "none"))
        return knonnx_set(c, 0, loss);
    if (!strcmp(how, "sum"))
        return knonnx_set(c, 0, kn_sum(loss, &o));
    if (strcmp(how, "mean"))
        return knonnx_fail(c, KN_ERROR_VALUE, "reduction=\"%.20s\" is not none, mean or sum", how);
    return knonnx_set(c, 0, weight ? kn_divide(kn_sum(loss, &o), kn_sum(weight, &o)) : kn_mean(loss, &m));
}

static int of_classes(knonnx_call *c, kn_array x, kn_array target)
{
    int ndim = kn_ndim(x);
    if (ndim < 2 || kn_ndim(target) != ndim - 1)
        return knonnx_done(c) ? -1 : knonnx_fail(c, KN_ERROR_VALUE, "scores are (N, C, ...) and classes (N, ...)");
    kn_array last = kn_subtract(kn_dim_as_array(kn_dim(x, 1)), kn_like_int(1));
    kn_array at = kn_clip(knonnx_as(target, KN_I64), kn_like_int(0), last);
    kn_squeeze_opts along = kn_squeeze_opts_default();
    along.axis = (kn_axes){.n = 2, .axis = {1}};
    kn_array loss = kn_negative(kn_take_along_axis(x, kn_expand_dims(at, &along.axis), &along));
    kn_array weight = NULL, zero = kn_like_int(0);
    loss = kn_squeeze(loss, &along);
    if (knonnx_has(c, 2)) {
        kn_take_opts o = kn_take_opts_default();
        o.mode = "clip";
        weight = kn_take(knonnx_in(c, 2), at, &o);
    }
    if (knonnx_given(c, "ignore_index")) {
        kn_array counts = kn_not_equal(target, kn_like_int(knonnx_int(c, "ignore_index", 0)));
        loss = kn_where(counts, loss, zero);
        weight = weight ? kn_where(counts, weight, zero) : knonnx_as(counts, kn_dtype_of(x));
    }
    return reduced(c, weight ? kn_multiply(loss, weight) : loss, weight);
}

static int op_nll(knonnx_call *c) { return of_classes(c, knonnx_in(c, 0), knonnx_in(c, 1)); }

static int op_cross_entropy(knonnx_call *c)
{
    kn_nn_softmax_opts o = kn_nn_softmax_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {1}};
    kn_array x = kn_nn_log_softmax(knonnx_in(c, 0), &o);
    return of_classes(c, x, knonnx_in(c, 1)) || knonnx_set(c, 1, x) ? -1 : 0;
}

/* ---- Sums of products. */

static int op_det(knonnx_call *c)
{
    kn_array x = knonnx_in(c, 0);
    return x ? knonnx_set(c, 0, knonnx_as(kn_linalg_det(knonnx_wide(x)), kn_dtype_of(x))) : -1;
}

static int op_einsum(knonnx_call *c)
{
    const char *equation = knonnx_string(c, "equation", "");
    kn_array *x = knonnx_take(c, (uint64_t)c->n_in + 1, sizeof *x);
    kn_einsum_opts o = kn_einsum_opts_default();
    if (!equation || !x)
        return -1;
    for (int i = 0; i < c->n_in; i++)
        if (!(x[i] = knonnx_in(c, i)))
            return -1;
    return knonnx_set(c, 0, kn_einsum(equation, c->n_in, x, &o));
}

const knonnx_row knonnx_rows_losses[] = {
    {"Det", 11, op_det, 1, 1, 1, 1},
    {"Einsum", 12, op_einsum, 1, -1, 1, 1},
    {"NegativeLogLikelihoodLoss", 12, op_nll, 2, 3, 1, 1},
    {"SoftmaxCrossEntropyLoss", 12, op_cross_entropy, 2, 3, 1, 2},
    {NULL, 0, NULL, 0, 0, 0, 0},
};
