/* SPDX-License-Identifier: Apache-2.0
 * training.c -- ai.onnx.preview.training: Adagrad, Adam, Momentum, and Gradient, which differentiates a part of the
 * graph it is in. */
#include "models/onnx/ops/numbers.h"
#include <string.h>

/* ---- Optimizers. Inputs behind the rate and the count are groups of as many tensors as are optimized: the tensors,
 * their gradients, what is accumulated. */

static int group(knonnx_call *c, int groups, int *n)
{
    *n = (c->n_in - 2) / groups;
    if ((c->n_in - 2) % groups || !*n)
        return knonnx_fail(c, KN_ERROR_VALUE, "%d inputs are no %d groups of tensors", c->n_in - 2, groups);
    return 0;
}

/* A scalar input in the dtype of x. */
static kn_array number_for(knonnx_call *c, int i, kn_array x)
{
    return knonnx_shaped(knonnx_as(knonnx_in(c, i), kn_dtype_of(x)), 0, NULL);
}

static kn_array times(kn_array x, double by) { return kn_multiply(x, kn_like_double(by)); }

static kn_array regularized(knonnx_call *c, kn_array x, kn_array gradient)
{
    return kn_add(times(x, knonnx_float(c, "norm_coefficient", 0)), gradient);
}

static int op_adagrad(knonnx_call *c)
{
    int n;
    if (group(c, 3, &n))
        return -1;
    double decay = knonnx_float(c, "decay_factor", 0), epsilon = knonnx_float(c, "epsilon", 1e-6f);
    for (int i = 0; i < n; i++) {
        kn_array x = knonnx_in(c, 2 + i), h = knonnx_in(c, 2 + 2 * n + i);
        kn_array slower = kn_add(times(number_for(c, 1, x), decay), kn_like_int(1));
        kn_array g = regularized(c, x, knonnx_in(c, 2 + n + i)), rate = kn_divide(number_for(c, 0, x), slower);
        h = kn_add(h, kn_square(g));
        kn_array y = kn_subtract(x, kn_divide(kn_multiply(rate, g), kn_add(kn_sqrt(h), kn_like_double(epsilon))));
        if (knonnx_set(c, i, y) || knonnx_set(c, n + i, h))
            return -1;
    }
    return 0;
}

static int op_adam(knonnx_call *c)
{
    int n;
    if (group(c, 4, &n))
        return -1;
    double alpha = knonnx_float(c, "alpha", 0.9f), beta = knonnx_float(c, "beta", 0.999f);
    double epsilon = knonnx_float(c, "epsilon", 1e-6f), post = knonnx_float(c, "norm_coefficient_post", 0);
    kn_array one = kn_like_int(1);
    for (int i = 0; i < n; i++) {
        kn_array x = knonnx_in(c, 2 + i), v = knonnx_in(c, 2 + 2 * n + i), h = knonnx_in(c, 2 + 3 * n + i);
        kn_array rate = number_for(c, 0, x), t = number_for(c, 1, x), g = regularized(c, x, knonnx_in(c, 2 + n + i));
        v = kn_add(times(v, alpha), times(g, 1 - alpha));
        h = kn_add(times(h, beta), times(kn_square(g), 1 - beta));
        kn_array began = kn_greater(t, kn_like_int(0)), later = kn_maximum(t, one);
        kn_array corrected = kn_divide(kn_sqrt(kn_subtract(one, kn_power(kn_like_double(beta), later))),
                                       kn_subtract(one, kn_power(kn_like_double(alpha), later)));
        rate = kn_where(began, kn_multiply(rate, corrected), rate);
        kn_array y = kn_subtract(x, kn_divide(kn_multiply(rate, v), kn_add(kn_sqrt(h), kn_like_double(epsilon))));
        if (knonnx_set(c, i, times(y, 1 - post)) || knonnx_set(c, n + i, v) || knonnx_set(c, 2 * n + i, h))
            return -1;
    }
    return 0;
}

static int op_momentum(knonnx_call *c)
{
    int n;
    const char *mode = knonnx_string(c, "mode", "");
    if (group(c, 3, &n))
        return -1;
    bool nesterov = mode && !strcmp(mode, "nesterov");
    if (!mode || (!nesterov && strcmp(mode, "standard")))
        return knonnx_fail(c, KN_ERROR_VALUE, "mode is \"standard\" or \"nesterov\"");
    double alpha = knonnx_float(c, "alpha", 0), beta = knonnx_float(c, "beta", 1);
    for (int i = 0; i < n; i++) {
        kn_array x = knonnx_in(c, 2 + i), v = knonnx_in(c, 2 + 2 * n + i);
        kn_array rate = number_for(c, 0, x), t = number_for(c, 1, x), g = regularized(c, x, knonnx_in(c, 2 + n + i));
        kn_array scale = kn_where(kn_greater(t, kn_like_int(0)), kn_like_double(beta), kn_like_double(1));
        v = kn_add(times(v, alpha), kn_multiply(knonnx_as(scale, kn_dtype_of(x)), g));
        kn_array y = kn_subtract(x, kn_multiply(rate, nesterov ? kn_add(g, times(v, alpha)) : v));
        if (knonnx_set(c, i, y) || knonnx_set(c, n + i, v))
            return -1;
    }
    return 0;
}

const knonnx_row knonnx_rows_training[] = {
    {"Adagrad", 1, op_adagrad, 3, -1, 1, -1},
    {"Adam", 1, op_adam, 3, -1, 1, -1},
    {"Momentum", 1, op_momentum, 3, -1, 1, -1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};
