/* SPDX-License-Identifier: Apache-2.0
 * reductions.c -- ONNX's Reduce operators, ArgMax and ArgMin, CumSum and CumProd. */
#include "models/onnx/ops/numbers.h"
#include <math.h>

/* ---- Over several axes. They are an attribute, and an input since opset 18 (ReduceSum: 13). Without any: all of
 * them, or none if noop_with_empty_axes says so: then what is done to each element is still done. */

typedef kn_array reduction(kn_array x, const kn_axes *axes, bool keepdims);

static kn_array sum(kn_array x, const kn_axes *axes, bool keepdims)
{
    kn_sum_opts o = kn_sum_opts_default();
    o.axis = *axes;
    o.keepdims = keepdims;
    o.dtype = kn_dtype_of(x);
    return kn_sum(x, &o);
}

static kn_array prod(kn_array x, const kn_axes *axes, bool keepdims)
{
    kn_sum_opts o = kn_sum_opts_default();
    o.axis = *axes;
    o.keepdims = keepdims;
    o.dtype = kn_dtype_of(x);
    return kn_prod(x, &o);
}

/* Of integers cut off toward zero. */
static kn_array mean(kn_array x, const kn_axes *axes, bool keepdims)
{
    kn_mean_opts o = kn_mean_opts_default();
    o.axis = *axes;
    o.keepdims = keepdims;
    return knonnx_as(kn_mean(x, &o), kn_dtype_of(x));
}

/* What the maximum of nothing is: the least number that the dtype has; of the minimum the largest one. */
static kn_array identity(kn_dtype d, bool greatest)
{
    int bits = 8 * (int)kn_dtype_size(d);
    if (kn_dtype_kind(d) == 'f')
        return kn_like_double(greatest ? -(double)INFINITY : (double)INFINITY);
    if (kn_dtype_kind(d) == 'u')
        return greatest ? kn_like_uint(0) : kn_like_uint(UINT64_MAX >> (64 - bits));
    return kn_like_int(greatest ? INT64_MIN >> (64 - bits) : INT64_MAX >> (64 - bits));
}

static kn_array extreme(kn_array x, const kn_axes *axes, bool keepdims, bool greatest)
{
    kn_max_opts o = kn_max_opts_default();
    kn_any_opts a = kn_any_opts_default();
    a.axis = o.axis = *axes;
    a.keepdims = o.keepdims = keepdims;
    if (kn_dtype_of(x) == KN_BOOL)
        return greatest ? kn_any(x, &a) : kn_all(x, &a);
    if (kn_size(x) == 0)
        o.initial = identity(kn_dtype_of(x), greatest);
    return greatest ? kn_max(x, &o) : kn_min(x, &o);
}

static kn_array least(kn_array x, const kn_axes *axes, bool keepdims) { return extreme(x, axes, keepdims, false); }
static kn_array greatest(kn_array x, const kn_axes *axes, bool keepdims) { return extreme(x, axes, keepdims, true); }

static kn_array norm1(kn_array x, const kn_axes *axes, bool keepdims) { return sum(kn_abs(x), axes, keepdims); }

static kn_array square_sum(kn_array x, const kn_axes *axes, bool keepdims) { return sum(kn_square(x), axes, keepdims); }

static kn_array norm2(kn_array x, const kn_axes *axes, bool keepdims)
{
    kn_array y = kn_sqrt(sum(kn_square(knonnx_wide(x)), axes, keepdims));
    return knonnx_as(y, kn_dtype_of(x));
}

static kn_array log_sum(kn_array x, const kn_axes *axes, bool keepdims)
{
    return knonnx_as(kn_log(sum(knonnx_wide(x), axes, keepdims)), kn_dtype_of(x));
}

static kn_array log_sum_exp(kn_array x, const kn_axes *axes, bool keepdims)
{
    kn_nn_logsumexp_opts o = kn_nn_logsumexp_opts_default();
    o.axis = *axes;
    o.keepdims = keepdims;
    return knonnx_as(kn_nn_logsumexp(knonnx_wide(x), &o), kn_dtype_of(x));
}

static int reduce(knonnx_call *c, int since, reduction *f)
{
    kn_array x = knonnx_in(c, 0);
    kn_axes axes;
    int ndim = kn_ndim(x);
    if (ndim < 0 || knonnx_axes(c, "axes", since, 1, ndim, &axes))
        return knonnx_done(c) ? -1 : 0;
    bool none = c->version >= since && knonnx_int(c, "noop_with_empty_axes", 0);
    if (axes.n <= 1) { /* none are given: all, or none at all */
        axes.n = 1;
        for (int i = 0; i < ndim && !none; i++)
            axes.axis[axes.n++ - 1] = i;
    }
    return knonnx_set(c, 0, f(x, &axes, knonnx_int(c, "keepdims", 1)));
}

static int op_reduce_sum(knonnx_call *c) { return reduce(c, 13, sum); }
static int op_reduce_l1(knonnx_call *c) { return reduce(c, 18, norm1); }
static int op_reduce_l2(knonnx_call *c) { return reduce(c, 18, norm2); }
static int op_reduce_log_sum(knonnx_call *c) { return reduce(c, 18, log_sum); }
static int op_reduce_log_sum_exp(knonnx_call *c) { return reduce(c, 18, log_sum_exp); }
static int op_reduce_max(knonnx_call *c) { return reduce(c, 18, greatest); }
static int op_reduce_mean(knonnx_call *c) { return reduce(c, 18, mean); }
static int op_reduce_min(knonnx_call *c) { return reduce(c, 18, least); }
static int op_reduce_prod(knonnx_call *c) { return reduce(c, 18, prod); }
static int op_reduce_sum_square(knonnx_call *c) { return reduce(c, 18, square_sum); }

/* ---- Along one axis. */

static int arg(knonnx_call *c, kn_array f(kn_array x, const kn_argmax_opts *opts))
{
    kn_array x = knonnx_in(c, 0);
    int ndim = kn_ndim(x);
    if (ndim < 0)
        return knonnx_done(c);
    if (!ndim)
        x = knonnx_shaped(x, 1, (int64_t[]){1});
    int axis = knonnx_axis(c, knonnx_int(c, "axis", 0), ndim ? ndim : 1);
    bool last = c->version >= 12 && knonnx_int(c, "select_last_index", 0);
    if (axis < 0)
        return -1;
    kn_squeeze_opts back = kn_squeeze_opts_default();
    kn_argmax_opts o = kn_argmax_opts_default();
    back.axis = o.axis = (kn_axes){.n = 2, .axis = {axis}};
    o.keepdims = ndim && knonnx_int(c, "keepdims", 1);
    kn_array at = f(last ? kn_flip(x, &back) : x, &o);
    if (last)
        at = kn_subtract(kn_dim_as_array(kn_dim_sub(kn_dim(x, axis), 1)), at);
    return knonnx_set(c, 0, ndim ? at : knonnx_shaped(at, 0, NULL));
}

static int op_arg_max(knonnx_call *c) { return arg(c, kn_argmax); }
static int op_arg_min(knonnx_call *c) { return arg(c, kn_argmin); }

/* `first` stands in front where each element is left out of its own sum or product: the whole moves up by one. */
static int running(knonnx_call *c, kn_array f(kn_array x, const kn_lax_cumulative_opts *opts), int first)
{
    kn_array x = knonnx_in(c, 0);
    int64_t given;
    int ndim = kn_ndim(x);
    if (ndim < 0 || knonnx_int_in(c, 1, &given))
        return -1;
    int axis = knonnx_axis(c, given, ndim);
    if (axis < 0)
        return -1;
    kn_lax_cumulative_opts o = kn_lax_cumulative_opts_default();
    o.axis = (kn_axes){.n = 2, .axis = {axis}};
    o.reverse = knonnx_int(c, "reverse", 0);
    int64_t n = kn_dim(x, axis);
    if (knonnx_int(c, "exclusive", 0) && n != 0) {
        kn_shape one = kn_shape_of(x);
        one.dim[axis] = 1;
        kn_zeros_opts z = kn_zeros_opts_default();
        z.dtype = kn_dtype_of(x);
        kn_array start = kn_full(&one, kn_like_int(first), &z);
        kn_array rest = o.reverse ? knonnx_part(x, axis, 1, n) : knonnx_part(x, axis, 0, kn_dim_sub(n, 1));
        x = o.reverse ? knonnx_join(rest, start, axis) : knonnx_join(start, rest, axis);
    }
    return knonnx_set(c, 0, f(x, &o));
}

static int op_cum_sum(knonnx_call *c) { return running(c, kn_lax_cumsum, 0); }
static int op_cum_prod(knonnx_call *c) { return running(c, kn_lax_cumprod, 1); }

const knonnx_row knonnx_rows_reductions[] = {
    {"ArgMax", 1, op_arg_max, 1, 1, 1, 1},
    {"ArgMin", 1, op_arg_min, 1, 1, 1, 1},
    {"CumProd", 26, op_cum_prod, 2, 2, 1, 1},
    {"CumSum", 11, op_cum_sum, 2, 2, 1, 1},
    {"ReduceL1", 1, op_reduce_l1, 1, 1, 1, 1},
    {"ReduceL1", 18, op_reduce_l1, 1, 2, 1, 1},
    {"ReduceL2", 1, op_reduce_l2, 1, 1, 1, 1},
    {"ReduceL2", 18, op_reduce_l2, 1, 2, 1, 1},
    {"ReduceLogSum", 1, op_reduce_log_sum, 1, 1, 1, 1},
    {"ReduceLogSum", 18, op_reduce_log_sum, 1, 2, 1, 1},
    {"ReduceLogSumExp", 1, op_reduce_log_sum_exp, 1, 1, 1, 1},
    {"ReduceLogSumExp", 18, op_reduce_log_sum_exp, 1, 2, 1, 1},
    {"ReduceMax", 1, op_reduce_max, 1, 1, 1, 1},
    {"ReduceMax", 18, op_reduce_max, 1, 2, 1, 1},
    {"ReduceMean", 1, op_reduce_mean, 1, 1, 1, 1},
    {"ReduceMean", 18, op_reduce_mean, 1, 2, 1, 1},
    {"ReduceMin", 1, op_reduce_min, 1, 1, 1, 1},
    {"ReduceMin", 18, op_reduce_min, 1, 2, 1, 1},
    {"ReduceProd", 1, op_reduce_prod, 1, 1, 1, 1},
    {"ReduceProd", 18, op_reduce_prod, 1, 2, 1, 1},
    {"ReduceSum", 1, op_reduce_sum, 1, 1, 1, 1},
    {"ReduceSum", 13, op_reduce_sum, 1, 2, 1, 1},
    {"ReduceSumSquare", 1, op_reduce_sum_square, 1, 1, 1, 1},
    {"ReduceSumSquare", 18, op_reduce_sum_square, 1, 2, 1, 1},
    {NULL, 0, NULL, 0, 0, 0, 0},
};
