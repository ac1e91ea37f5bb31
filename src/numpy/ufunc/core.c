/* SPDX-License-Identifier: Apache-2.0
 * core.c -- core axes of the operands of generalized ufuncs: where they are and how far they extend, with NumPy's
 * errors. */
#include "numpy/ufunc/core.h"
#include <string.h>

/* ---- Extents. */

/* Optional dimensions that an operand has too few axes for are no dimensions of any operand. */
static void leave_out(knn_signature *s, int dim)
{
    for (int i = 0; i < s->n_in + s->n_out; i++) {
        int n = 0;
        for (int k = 0; k < s->core[i].n; k++)
            if (s->core[i].dim[k] != dim)
                s->core[i].dim[n++] = s->core[i].dim[k];
        s->core[i].n = n;
    }
}

static void count_axes(kna_op *op, const knn_ufunc *u, const kni_type *in, knn_core *c)
{
    for (int i = 0; i < u->n_in && !kna_failed(op); i++) {
        for (int k = 0; k < c->s.core[i].n && in[i].ndim < c->s.core[i].n;)
            if (c->s.dim[c->s.core[i].dim[k]].optional)
                leave_out(&c->s, c->s.core[i].dim[k]);
            else
                k++;
        if (in[i].ndim < c->s.core[i].n)
            kna_fail(op, KN_ERROR_VALUE,
                     "Input operand %d does not have enough dimensions (has %d, gufunc core with signature %s requires "
                     "%d)",
                     i, in[i].ndim, u->signature, c->s.core[i].n);
    }
}

static void mismatch(kna_op *op, const knn_ufunc *u, bool input, int operand, int k, int64_t is, int64_t was)
{
    knx_text a = {0}, b = {0};
    kna_fail(op, KN_ERROR_VALUE,
             "%s operand %d has a mismatch in its core dimension %d, with gufunc signature %s (size %s is different "
             "from %s)",
             input ? "Input" : "Output", operand, k, u->signature, knx_dim_show(&a, is), knx_dim_show(&b, was));
}

static void join_loops(kna_op *op, const knn_ufunc *u, const kni_type *in, knn_core *c)
{
    kn_shape *all = &c->loop;
    all->ndim = 0;
    for (int i = 0; i < u->n_in; i++)
        all->ndim = in[i].ndim - c->s.core[i].n > all->ndim ? in[i].ndim - c->s.core[i].n : all->ndim;
    for (int d = 0; d < all->ndim; d++)
        all->dim[d] = 1;
    for (int i = 0; i < u->n_in; i++) {
        int n = in[i].ndim - c->s.core[i].n, missing = all->ndim - n;
        for (int d = 0; d < n; d++) {
            int64_t *to = &all->dim[missing + d], extent = in[i].dim[d];
            knx_text s = {0}, t = {0};
            if (extent != 1 && *to != 1 && !knx_dim_eq(extent, *to)) {
                kna_fail(op, KN_ERROR_VALUE, "operands could not be broadcast together with shapes %s %s",
                         knx_show_shape(&s, in[0].ndim, in[0].dim), knx_show_shape(&t, in[i].ndim, in[i].dim));
                return;
            }
            *to = *to == 1 ? extent : *to;
        }
    }
}

void knn_core_fit(kna_op *op, const knn_ufunc *u, const kni_type *in, knn_core *c)
{
    int at;
    knn_parse_signature(u->signature, u->n_in, u->n_out, &c->s, &at);
    count_axes(op, u, in, c);
    for (int d = 0; d < c->s.n_dim; d++)
        c->extent[d] = c->s.dim[d].size;
    for (int i = 0; i < u->n_in && !kna_failed(op); i++)
        for (int k = 0; k < c->s.core[i].n && !kna_failed(op); k++) {
            int64_t *known = &c->extent[c->s.core[i].dim[k]], is = in[i].dim[in[i].ndim - c->s.core[i].n + k];
            if (*known == -1)
                *known = is;
            else if (!knx_dim_eq(*known, is))
                mismatch(op, u, true, i, k, is, *known);
        }
    if (!kna_failed(op))
        join_loops(op, u, in, c);
}

/* ---- Axes. */

static void read_axis(kna_op *op, const knn_ufunc *u, kn_axes axis, knn_core *c)
{
    int first = -1, distinct = 0;
    uint64_t seen = 0;
    for (int i = 0; i < u->n_in + u->n_out; i++)
        for (int k = 0; k < c->s.core[i].n; k++) {
            int d = c->s.core[i].dim[k];
            distinct += !(seen >> d & 1);
            seen |= (uint64_t)1 << d;
            first = c->s.core[i].n == 1 && first != -2 ? d : -2;
        }
    if (distinct != 1 || first < 0) {
        kna_fail(op, KN_ERROR_TYPE,
                 "axis can only be used with a single shared core dimension, not with the %d distinct ones implied by "
                 "signature %s.",
                 distinct, u->signature);
        return;
    }
    if (knl_axis_count(op, axis) != 1 && !kna_failed(op))
        kna_fail(op, KN_ERROR_TYPE, "'tuple' object cannot be interpreted as an integer");
    for (int i = 0; i < u->n_in + u->n_out; i++)
        if (c->s.core[i].n || (i >= u->n_in && c->keepdims))
            c->axes[i] = axis;
}

static int result_axes(const knn_core *c, int k) { return c->keepdims ? c->s.core[0].n : c->s.core[c->s.n_in + k].n; }

static int core_axes(const knn_core *c, int i)
{
    return i < c->s.n_in ? c->s.core[i].n : result_axes(c, i - c->s.n_in);
}

static void read_axes(kna_op *op, const knn_ufunc *u, kn_axes_list axes, knn_core *c)
{
    bool none = true;
    int all = u->n_in + u->n_out;
    for (int k = 0; k < u->n_out; k++)
        none = none && !result_axes(c, k);
    if (!kna_given_list(op, axes.n, axes.v, KNN_MOST_OPERANDS, "axes"))
        return;
    if (axes.n != all && !(none && axes.n == u->n_in)) {
        kna_fail(op, KN_ERROR_VALUE,
                 "axes should be a list with an entry for all %d inputs and outputs; entries for outputs can only be "
                 "omitted if none of them has core axes.",
                 all);
        return;
    }
    for (int i = 0; i < axes.n && !kna_failed(op); i++) {
        int n = knl_axis_count(op, axes.v[i]), wanted = core_axes(c, i);
        if (n != wanted && !kna_failed(op))
            kna_fail(op, KN_ERROR_AXIS,
                     "operand %d has %d core dimensions, but %d dimensions are specified by axes tuple.", i, wanted, n);
        c->axes[i] = axes.v[i];
    }
}

static void check_keepdims(kna_op *op, const knn_ufunc *u, const knn_signature *s)
{
    for (int i = 0; i < s->n_in + s->n_out && !kna_failed(op); i++)
        if (s->core[i].n != (i < s->n_in ? s->core[0].n : 0))
            kna_fail(op, KN_ERROR_TYPE,
                     "%s does not support keepdims: its signature %s requires %s %d to have %d core dimensions, but "
                     "keepdims can only be used when all inputs have the same number of core dimensions and all "
                     "outputs have no core dimensions.",
                     u->name, u->signature, i < s->n_in ? "input" : "output", i < s->n_in ? i : i - s->n_in,
                     s->core[i].n);
}

/* The core axes of an operand with so many axes; false after an error. */
static bool normalize(kna_op *op, int item, const kn_axes *given, int ndim, kn_axes *axes)
{
    int n = knl_axis_count(op, *given);
    *axes = *given;
    for (int k = 0; k < n && !kna_failed(op); k++) {
        axes->axis[k] = kna_normalize_axis(op, given->axis[k], ndim);
        for (int j = 0; j < k && !kna_failed(op); j++)
            if (axes->axis[j] == axes->axis[k])
                kna_fail(op, KN_ERROR_VALUE, "axes item %d has value %d repeated", item, (int)axes->axis[k]);
    }
    return !kna_failed(op) && n > 0;
}

static kn_axes last_axes(int n)
{
    kn_axes a = {.n = n + 1};
    for (int k = 0; k < n; k++)
        a.axis[k] = k - n;
    return a;
}

void knn_core_begin(kna_op *op, const knn_ufunc *u, const kn_ufunc_call_opts *o, kn_array *x, knn_core *c)
{
    kni_type in[KNN_MOST_OPERANDS] = {0};
    int at;
    memset(c->axes, 0, sizeof c->axes);
    c->keepdims = o->keepdims;
    for (int i = 0; i < u->n_in; i++)
        in[i] = kna_type(op, x[i]);
    knn_parse_signature(u->signature, u->n_in, u->n_out, &c->s, &at);
    bool listed = o->axes.n || o->axes.v;
    if (kna_failed(op))
        return;
    if (o->keepdims)
        check_keepdims(op, u, &c->s);
    count_axes(op, u, in, c);
    if (o->axis.n && listed && !kna_failed(op))
        kna_fail(op, KN_ERROR_TYPE, "cannot specify both 'axis' and 'axes'");
    if (o->axis.n && !kna_failed(op))
        read_axis(op, u, o->axis, c);
    else if (listed && !kna_failed(op))
        read_axes(op, u, o->axes, c);
    for (int i = 0; i < u->n_in && !kna_failed(op); i++) {
        kn_axes from, to = last_axes(c->s.core[i].n);
        if (normalize(op, i, &c->axes[i], in[i].ndim, &from)) {
            x[i] = kn_moveaxis(x[i], &from, &to);
            in[i] = kna_type(op, x[i]);
        }
    }
    if (!kna_failed(op))
        knn_core_fit(op, u, in, c);
}

/* ValueError if the result does not fill `out`, whose core axes are these. */
static void check_place(kna_op *op, const knn_ufunc *u, int k, kni_type y, kni_type out, const kn_axes *axes)
{
    int n = axes->n - 1;
    for (int i = 0; i < n; i++)
        if (!knx_dim_eq(out.dim[axes->axis[i]], y.dim[axes->axis[i]])) {
            mismatch(op, u, false, k, i, out.dim[axes->axis[i]], y.dim[axes->axis[i]]);
            return;
        }
    kn_shape all = {.ndim = out.ndim};
    bool same = true;
    for (int d = 0; d < out.ndim; d++) {
        all.dim[d] = y.dim[d] == 1 ? out.dim[d] : y.dim[d];
        same = same && knx_dim_eq(all.dim[d], out.dim[d]);
    }
    knx_text from = {0}, to = {0};
    if (!same)
        kna_fail(op, KN_ERROR_VALUE,
                 "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
                 knx_show_shape(&from, out.ndim, out.dim), knx_show_shape(&to, all.ndim, all.dim));
}

static kn_array settle(kna_op *op, const knn_ufunc *u, const knn_core *c, int k, kn_array y, kn_array out)
{
    int n = result_axes(c, k), item = u->n_in + k;
    kni_type t = kna_type(op, y), to = out ? kna_type(op, out) : t;
    int ndim = t.ndim + (c->keepdims ? n : 0), wanted = out && to.ndim > ndim ? to.ndim : ndim;
    if (kna_failed(op) || knl_too_many_axes(op, wanted))
        return y;
    if (out && to.ndim < ndim) {
        knx_text from = {0}, shape = {0};
        kna_fail(op, KN_ERROR_VALUE,
                 "non-broadcastable output operand with shape %s doesn't match the broadcast shape %s",
                 knx_show_shape(&from, to.ndim, to.dim), knx_show_shape(&shape, t.ndim, t.dim));
        return y;
    }
    if (wanted > t.ndim) {
        kn_shape shape = {.ndim = wanted};
        for (int d = 0; d < wanted; d++)
            shape.dim[d] = d < wanted - ndim || d >= wanted - ndim + t.ndim ? 1 : t.dim[d - (wanted - ndim)];
        y = kn_reshape(y, &shape, NULL);
    }
    kn_axes at = last_axes(n), from = at;
    if (normalize(op, item, &c->axes[item], wanted, &at))
        y = kn_moveaxis(y, &from, &at);
    else if (!kna_failed(op))
        normalize(op, item, &from, wanted, &at);
    if (out && !kna_failed(op))
        check_place(op, u, k, kna_type(op, y), to, &at);
    return y;
}

void knn_core_end(kna_op *op, const knn_ufunc *u, const knn_core *c, kn_array *y, const kn_array *out)
{
    for (int k = 0; k < u->n_out && !kna_failed(op); k++)
        y[k] = settle(op, u, c, k, y[k], out[k]);
}
