/* SPDX-License-Identifier: Apache-2.0
 * reductions.c -- reductions, running ones, windows, sorting as nodes. */
#include "models/onnx/export/export.h"
#include <string.h>

/* ---- Over axes. */

/* Small integers and booleans are reduced as int32: runtimes have few dtypes here. */
static const char *reduced(knout_eqn *e, const char *op)
{
    knout_out *w = e->w;
    int64_t axes[KN_MAX_NDIM];
    int n = knout_param_ints(e, "axes", axes);
    kn_dtype d = e->in_var[0].dtype;
    bool narrow = d == KN_BOOL || (strchr("iu", kn_dtype_kind(d)) && kn_dtype_size(d) < 4);
    if (n < 0)
        knout_refuse(e, "its axes are not known");
    if (n <= 0)
        return e->in[0];
    const char *x = narrow ? knout_cast(w, e->in[0], KN_I32) : e->in[0];
    bool has_input = !strcmp(op, "ReduceSum") || e->w->opset >= 18;
    const char *at = has_input ? knout_const_ints(w, n, axes) : NULL;
    knout_put_attr_int(w, "keepdims", 0);
    x = OP(w, op, x, at);
    return narrow ? knout_cast(w, x, d) : x;
}

static void reduce_sum(knout_eqn *e) { e->out[0] = reduced(e, "ReduceSum"); }
static void reduce_prod(knout_eqn *e) { e->out[0] = reduced(e, "ReduceProd"); }
static void reduce_max(knout_eqn *e) { e->out[0] = reduced(e, "ReduceMax"); }
static void reduce_min(knout_eqn *e) { e->out[0] = reduced(e, "ReduceMin"); }

static void of_booleans(knout_eqn *e, const char *op)
{
    if (e->in_var[0].dtype == KN_BOOL)
        e->out[0] = reduced(e, op);
    else
        knout_refuse(e, "of integers");
}

static void reduce_and(knout_eqn *e) { of_booleans(e, "ReduceMin"); }
static void reduce_or(knout_eqn *e) { of_booleans(e, "ReduceMax"); }

static void position(knout_eqn *e, const char *op)
{
    knout_out *w = e->w;
    int64_t axis[KN_MAX_NDIM];
    if (knout_param_ints(e, "axes", axis) != 1) {
        knout_refuse(e, "over several axes");
        return;
    }
    const char *x = e->in_var[0].dtype == KN_BOOL ? knout_cast(w, e->in[0], KN_I32) : e->in[0];
    knout_put_attr_int(w, "axis", axis[0]);
    knout_put_attr_int(w, "keepdims", 0);
    x = OP(w, op, x);
    e->out[0] = e->out_var[0].dtype == KN_I64 ? x : knout_cast(w, x, e->out_var[0].dtype);
}

static void argmax(knout_eqn *e) { position(e, "ArgMax"); }
static void argmin(knout_eqn *e) { position(e, "ArgMin"); }

/* ---- Running ones. */

static void cumsum(knout_eqn *e)
{
    knout_out *w = e->w;
    kn_dtype d = e->in_var[0].dtype;
    bool narrow = strchr("iu", kn_dtype_kind(d)) && kn_dtype_size(d) < 4;
    const char *axis = knout_number(w, KN_I64, (double)knout_param_int(e, "axis", 0));
    const char *x = narrow ? knout_cast(w, e->in[0], KN_I32) : e->in[0];
    knout_put_attr_int(w, "reverse", knout_param_is(e, "reverse", "True"));
    x = OP(w, "CumSum", x, axis);
    e->out[0] = narrow ? knout_cast(w, x, d) : x;
}

static const char *joined(knout_eqn *e, const char *op, const char *a, const char *b)
{
    knout_out *w = e->w;
    if (strcmp(op, "LogSumExp"))
        return OP(w, op, a, b);
    const char *most = OP(w, "Max", a, b), *least = OP(w, "Min", a, b); /* most + log(1 + e^(least - most)) */
    const char *gap = OP(w, "Sub", least, most), *one = knout_number(w, e->in_var[0].dtype, 1);
    gap = OP(w, "Where", OP(w, "Equal", least, most), knout_number(w, e->in_var[0].dtype, 0), gap); /* infinities */
    return OP(w, "Add", most, OP(w, "Log", OP(w, "Add", one, OP(w, "Exp", gap))));
}

/* By doubling: after step k each element has what 2^k before it and itself make. */
static void running(knout_eqn *e, const char *op, const char *neutral)
{
    knout_out *w = e->w;
    const knout_var *x = &e->in_var[0];
    int64_t axis = knout_param_int(e, "axis", 0), start, end, pads[2 * KN_MAX_NDIM];
    bool reverse = knout_param_is(e, "reverse", "True");
    if (!knout_is_number(x->dim[axis])) {
        knout_refuse(e, "along an unknown extent");
        return;
    }
    const char *made = e->in[0], *at = knout_const_ints(w, 1, &axis);
    for (int64_t step = 1, n = x->dim[axis]; step < n; step *= 2) {
        memset(pads, 0, sizeof pads);
        pads[reverse ? x->ndim + axis : axis] = step;
        start = reverse ? step : 0;
        end = reverse ? n : n - step;
        const char *shifted = OP(w, "Slice", made, knout_const_ints(w, 1, &start), knout_const_ints(w, 1, &end), at);
        shifted = OP(w, "Pad", shifted, knout_const_ints(w, 2 * x->ndim, pads), neutral);
        made = joined(e, op, made, shifted);
    }
    e->out[0] = made;
}

/* The smallest or largest number of the operand's dtype. */
static const char *extreme(knout_eqn *e, bool smallest) { return knout_extreme(e->w, e->in_var[0].dtype, smallest); }
static const char *number(knout_eqn *e, double v) { return knout_number(e->w, e->in_var[0].dtype, v); }

static void cumprod(knout_eqn *e) { running(e, "Mul", number(e, 1)); }
static void cummax(knout_eqn *e) { running(e, "Max", extreme(e, true)); }
static void cummin(knout_eqn *e) { running(e, "Min", extreme(e, false)); }
static void cumlogsumexp(knout_eqn *e) { running(e, "LogSumExp", extreme(e, true)); }

/* ---- Windows. */

typedef struct window {
    int n;
    int64_t size[KN_MAX_NDIM], stride[KN_MAX_NDIM], dilation[KN_MAX_NDIM], base[KN_MAX_NDIM], low[KN_MAX_NDIM],
        high[KN_MAX_NDIM];
} window;

static bool read_window(knout_eqn *e, window *p)
{
    const char *at = knout_param_at(e, "padding");
    int64_t two[KN_MAX_NDIM];
    p->n = knout_param_ints(e, "window_dimensions", p->size);
    bool ok = p->n == e->in_var[0].ndim && knout_param_ints(e, "window_strides", p->stride) == p->n &&
              knout_param_ints(e, "window_dilation", p->dilation) == p->n &&
              knout_param_ints(e, "base_dilation", p->base) == p->n && at;
    at += ok;
    for (int i = 0; ok && i < p->n; i++) {
        ok = knout_list_at(&at, two) == 2 && two[0] >= 0 && two[1] >= 0 && p->base[i] == 1;
        p->low[i] = two[0];
        p->high[i] = two[1];
    }
    if (!ok || !knout_static(&e->in_var[0]))
        knout_refuse(e, "with dilated operands, negative padding or unknown extents");
    return ok && !*e->w->failed;
}

/* Axis by axis: what the slices that each place of the window makes are together. */
static const char *along_axis(knout_eqn *e, const char *x, const window *p, int axis, int64_t extent, const char *op)
{
    knout_out *w = e->w;
    int64_t at = axis, step = p->stride[axis];
    const char *made = NULL;
    for (int64_t k = 0; k < p->size[axis]; k++) {
        int64_t from = k * p->dilation[axis], to = from + (extent - 1) * step + 1;
        const char *part = OP(w, "Slice", x, knout_const_ints(w, 1, &from), knout_const_ints(w, 1, &to),
                              knout_const_ints(w, 1, &at), knout_const_ints(w, 1, &step));
        made = made ? OP(w, op, made, part) : part;
    }
    return made ? made : x;
}

static void windows(knout_eqn *e, const char *op, const char *neutral)
{
    knout_out *w = e->w;
    window p;
    int64_t pads[2 * KN_MAX_NDIM], any = 0;
    if (!read_window(e, &p))
        return;
    const char *x = e->in[0];
    for (int i = 0; i < p.n; i++) {
        pads[i] = p.low[i];
        pads[p.n + i] = p.high[i];
        any |= pads[i] | pads[p.n + i];
    }
    if (any)
        x = OP(w, "Pad", x, knout_const_ints(w, 2 * p.n, pads), neutral);
    for (int i = 0; i < p.n; i++)
        if (p.size[i] > 1 || p.stride[i] > 1)
            x = along_axis(e, x, &p, i, e->out_var[0].dim[i], op);
    e->out[0] = x;
}

/* Max over two axes of four is MaxPool, whose axes lead: the channel's last ones. */
static bool max_pool(knout_eqn *e)
{
    knout_out *w = e->w;
    window p;
    const knout_var *x = &e->in_var[0];
    if (x->dtype != KN_F32 || x->ndim < 3 || x->ndim > 5 || !read_window(e, &p))
        return false;
    bool last = p.size[0] == 1 && p.stride[0] == 1 && !p.low[0] && !p.high[0], second = last;
    last = last && p.size[p.n - 1] == 1 && p.stride[p.n - 1] == 1 && !p.low[p.n - 1] && !p.high[p.n - 1];
    second = second && p.size[1] == 1 && p.stride[1] == 1 && !p.low[1] && !p.high[1];
    if (!last && !second)
        return false;
    int first = second ? 2 : 1, n = p.n - 2;
    int64_t to[8], back[8], pads[8];
    for (int i = 0; i < p.n; i++) {
        to[i] = second ? i : i == 0 ? 0 : i == 1 ? p.n - 1 : i - 1;
        back[to[i]] = i;
    }
    for (int i = 0; i < n; i++) {
        pads[i] = p.low[first + i];
        pads[n + i] = p.high[first + i];
        if (pads[i] >= p.size[first + i] || pads[n + i] >= p.size[first + i])
            return false;
    }
    const char *y = knout_transpose(w, e->in[0], p.n, to);
    knout_put_attr_ints(w, "kernel_shape", n, p.size + first);
    knout_put_attr_ints(w, "strides", n, p.stride + first);
    knout_put_attr_ints(w, "dilations", n, p.dilation + first);
    knout_put_attr_ints(w, "pads", 2 * n, pads);
    e->out[0] = knout_transpose(w, OP(w, "MaxPool", y), p.n, back);
    return true;
}

static void window_sum(knout_eqn *e) { windows(e, "Add", number(e, 0)); }
static void window_min(knout_eqn *e) { windows(e, "Min", extreme(e, false)); }

static void window_max(knout_eqn *e)
{
    if (!max_pool(e) && !*e->w->failed)
        windows(e, "Max", extreme(e, true));
}

/* ---- Order. */

/* TopK of all, with equal elements as they come. */
static void ordered(knout_eqn *e, int key, int64_t axis, const char **values, const char **positions)
{
    knout_out *w = e->w;
    bool is_bool = e->in_var[key].dtype == KN_BOOL;
    const char *out[] = {knout_new_name(w), knout_new_name(w)};
    const char *in[] = {is_bool ? knout_cast(w, e->in[key], KN_I32) : e->in[key],
                        knout_extent(w, e->in_var[key].dim[axis])};
    knout_put_attr_int(w, "axis", axis);
    knout_put_attr_int(w, "largest", 0);
    knout_emit_many(w, "TopK", 2, in, 2, out);
    *values = is_bool ? knout_cast(w, out[0], KN_BOOL) : out[0];
    *positions = out[1];
}

static const char *along(knout_eqn *e, const char *x, const char *positions, int64_t axis)
{
    knout_put_attr_int(e->w, "axis", axis);
    return OP(e->w, "GatherElements", x, positions);
}

static void sort(knout_eqn *e)
{
    int64_t axis = knout_param_int(e, "dimension", 0);
    const char *values, *positions;
    if (knout_param_int(e, "num_keys", 1) > 1) {
        knout_refuse(e, "by several keys");
        return;
    }
    ordered(e, 0, axis, &values, &positions);
    for (int i = 0; i < e->n_out; i++)
        e->out[i] = i ? along(e, e->in[i], positions, axis) : values;
}

static void argsort(knout_eqn *e)
{
    const char *values, *positions;
    if (e->n_in > 1) {
        knout_refuse(e, "by several keys");
        return;
    }
    ordered(e, 0, knout_param_int(e, "dimension", 0), &values, &positions);
    e->out[0] = e->out_var[0].dtype == KN_I64 ? positions : knout_cast(e->w, positions, e->out_var[0].dtype);
}

static void top_k(knout_eqn *e)
{
    knout_out *w = e->w;
    int64_t axis = knout_param_int(e, "axis", e->in_var[0].ndim - 1);
    bool is_bool = e->in_var[0].dtype == KN_BOOL;
    const char *out[] = {knout_new_name(w), knout_new_name(w)};
    const char *in[] = {is_bool ? knout_cast(w, e->in[0], KN_I32) : e->in[0], knout_extent(w, e->out_var[0].dim[axis])};
    knout_put_attr_int(w, "axis", axis);
    knout_emit_many(w, "TopK", 2, in, 2, out);
    e->out[0] = is_bool ? knout_cast(w, out[0], KN_BOOL) : out[0];
    e->out[1] = e->out_var[1].dtype == KN_I64 ? out[1] : knout_cast(w, out[1], e->out_var[1].dtype);
}

static void searchsorted(knout_eqn *e)
{
    knout_out *w = e->w;
    const knout_var *v = &e->in_var[1];
    int64_t last = v->ndim;
    if (knout_param_int(e, "batch", 0)) {
        knout_refuse(e, "of several vectors");
        return;
    }
    bool is_bool = v->dtype == KN_BOOL;
    const char *x = is_bool ? knout_cast(w, e->in[1], KN_I32) : e->in[1];
    const char *sorted = is_bool ? knout_cast(w, e->in[0], KN_I32) : e->in[0];
    x = OP(w, "Unsqueeze", x, knout_const_ints(w, 1, &last));
    const char *before = OP(w, knout_param_is(e, "right", "True") ? "LessOrEqual" : "Less", sorted, x);
    before = knout_cast(w, before, KN_I64);
    const char *at = knout_const_ints(w, 1, &last);
    knout_put_attr_int(w, "keepdims", 0);
    before = OP(w, "ReduceSum", before, at);
    e->out[0] = e->out_var[0].dtype == KN_I64 ? before : knout_cast(w, before, e->out_var[0].dtype);
}

const knout_writer knout_write_reductions[] = {
    {"reduce_sum", reduce_sum, NULL},
    {"reduce_prod", reduce_prod, NULL},
    {"reduce_max", reduce_max, NULL},
    {"reduce_min", reduce_min, NULL},
    {"reduce_and", reduce_and, NULL},
    {"reduce_or", reduce_or, NULL},
    {"argmax", argmax, NULL},
    {"argmin", argmin, NULL},
    {"cumsum", cumsum, NULL},
    {"cumprod", cumprod, NULL},
    {"cummax", cummax, NULL},
    {"cummin", cummin, NULL},
    {"cumlogsumexp", cumlogsumexp, NULL},
    {"reduce_window_sum", window_sum, NULL},
    {"reduce_window_max", window_max, NULL},
    {"reduce_window_min", window_min, NULL},
    {"sort", sort, NULL},
    {"argsort", argsort, NULL},
    {"top_k", top_k, NULL},
    {"searchsorted", searchsorted, NULL},
    {NULL, NULL, NULL},
};
