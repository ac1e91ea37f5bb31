/* SPDX-License-Identifier: Apache-2.0
 * indexing.c -- gathers, scatters, slices at positions that are data. The frequent forms become Gather, GatherElements
 * and Slice; all others numbers of elements in the flat array, made of the positions and of constants. */
#include "models/onnx/export/export.h"
#include <stdlib.h>
#include <string.h>

typedef struct dims {
    int n;
    int64_t at[KN_MAX_NDIM];
} dims;

static bool has(const dims *d, int64_t v)
{
    for (int i = 0; i < d->n; i++)
        if (d->at[i] == v)
            return true;
    return false;
}

static dims param(const knout_eqn *e, const char *name)
{
    dims d;
    d.n = knout_param_ints(e, name, d.at);
    return d;
}

/* An int64 constant of a shape whose elements are sums of coordinate * factor. */
static const char *ramp(knout_out *w, int ndim, const int64_t *dim, const int64_t *factor)
{
    int64_t n = 1, at[KN_MAX_NDIM] = {0};
    kn_shape s = {ndim, {0}};
    for (int i = 0; i < ndim; i++) {
        s.dim[i] = dim[i];
        n *= dim[i];
    }
    int64_t *v = knbeside_alloc((uint64_t)n, sizeof *v);
    if (!v) {
        knout_out_fail(w, KN_ERROR_MEMORY, "no memory");
        return "";
    }
    for (int64_t k = 0; k < n; k++) {
        for (int i = 0; i < ndim; i++)
            v[k] += at[i] * factor[i];
        for (int i = ndim - 1; i >= 0 && ++at[i] == dim[i]; i--)
            at[i] = 0;
    }
    const char *name = *w->failed ? "" : knout_initializer(w, NULL, kn_from_memory(v, &s, KN_I64));
    free(v);
    return name;
}

static void strides_of(const knout_var *v, int64_t *stride)
{
    int64_t n = 1;
    for (int i = v->ndim - 1; i >= 0; i--) {
        stride[i] = n;
        n *= v->dim[i];
    }
}

static int64_t elements(const knout_var *v)
{
    int64_t n = 1;
    for (int i = 0; i < v->ndim; i++)
        n *= v->dim[i];
    return n;
}

static const char *flat(knout_out *w, const char *x)
{
    int64_t all = -1;
    return OP(w, "Reshape", x, knout_const_ints(w, 1, &all));
}

/* Whether a window that is not inside is left out, and what stands in its place. */
static bool fills(const knout_eqn *e)
{
    return knout_param_is(e, "mode", "GatherScatterMode.FILL_OR_DROP") ||
           knout_param_is(e, "mode", "GatherScatterMode.FILL_ZERO");
}

static const char *fill_value(knout_eqn *e)
{
    kn_dtype d = e->out_var[0].dtype;
    char kind = kn_dtype_kind(d);
    if (knout_param_is(e, "mode", "GatherScatterMode.FILL_ZERO"))
        return knout_number(e->w, d, 0);
    if (kind == 'i' || kind == 'u')
        return knout_extreme(e->w, d, kind == 'i');
    return knout_number(e->w, d, kind == 'b' ? 1 : (double)__builtin_nanf(""));
}

/* ---- Windows at positions: what gathers and scatters have in common. */

typedef struct windows {
    dims window;   /* axes of the result, or of the updates, that run through a window */
    dims left_out; /* axes of the operand that a window does not have */
    dims map;      /* which axis of the operand each number of a position is for */
    dims batch, index_batch;
    const int64_t *size;                      /* of a window along each axis of the operand */
    const knout_var *operand, *index, *whole; /* whole: the result, or the updates */
    const char *index_name;
    bool clip, drop;
} windows;

static bool read_windows(knout_eqn *e, windows *p, const char *names[3])
{
    p->window = param(e, names[0]);
    p->left_out = param(e, names[1]);
    p->map = param(e, names[2]);
    p->batch = param(e, "operand_batching_dims");
    const char *at = knout_param_at(e, "start_indices_batching_dims");
    p->index_batch = param(e, at ? "start_indices_batching_dims" : "scatter_indices_batching_dims");
    p->batch.n = p->batch.n < 0 ? 0 : p->batch.n;
    p->index_batch.n = p->index_batch.n < 0 ? 0 : p->index_batch.n;
    p->clip = knout_param_is(e, "mode", "GatherScatterMode.CLIP");
    p->drop = fills(e);
    if (p->window.n >= 0 && p->left_out.n >= 0 && p->map.n >= 0 && knout_static(p->operand) && knout_static(p->index) &&
        knout_static(p->whole))
        return true;
    knout_refuse(e, "of unknown extents");
    return false;
}

/* The number of each element of `whole` in the flat operand; where a window is not inside, *valid is false (NULL: they
 * all are). */
static const char *numbers(knout_eqn *e, const windows *p, const char **valid)
{
    knout_out *w = e->w;
    int64_t stride[KN_MAX_NDIM], shape[KN_MAX_NDIM], inner[KN_MAX_NDIM], zero[KN_MAX_NDIM] = {0},
                                                                         factor[KN_MAX_NDIM] = {0};
    strides_of(p->operand, stride);
    int k = 0, b = 0;
    for (int i = 0; i < p->whole->ndim; i++) { /* where positions and windows lie among the axes */
        bool in_window = has(&p->window, i);
        shape[i] = in_window ? 1 : p->whole->dim[i];
        inner[i] = in_window ? p->whole->dim[i] : 1;
        if (in_window) {
            while (k < p->operand->ndim && (has(&p->left_out, k) || has(&p->batch, k)))
                k++;
            factor[i] = k < p->operand->ndim ? stride[k++] : 0;
        } else {
            for (int j = 0; j < p->batch.n; j++)
                if (p->index_batch.at[j] == b)
                    zero[i] = stride[p->batch.at[j]];
            b++;
        }
    }
    const char *sum = OP(w, "Add", ramp(w, p->whole->ndim, inner, factor), ramp(w, p->whole->ndim, shape, zero));
    *valid = NULL;
    for (int i = 0; i < p->map.n; i++) {
        int64_t axis = p->map.at[i], most = p->operand->dim[axis] - p->size[axis];
        const char *at = knout_number(w, KN_I64, i);
        knout_put_attr_int(w, "axis", p->index->ndim - 1);
        const char *start = OP(w, "Gather", p->index_name, at);
        start = p->index->dtype == KN_I64 ? start : knout_cast(w, start, KN_I64);
        const char *low = knout_number(w, KN_I64, 0), *high = knout_number(w, KN_I64, (double)most);
        if (p->drop) {
            const char *fits = OP(w, "And", OP(w, "GreaterOrEqual", start, low), OP(w, "LessOrEqual", start, high));
            *valid = *valid ? OP(w, "And", *valid, fits) : fits;
        }
        if (p->clip || p->drop)
            start = OP(w, "Min", OP(w, "Max", start, low), high);
        start =
            OP(w, "Mul", knout_reshape(w, start, p->whole->ndim, shape), knout_number(w, KN_I64, (double)stride[axis]));
        sum = OP(w, "Add", sum, start);
    }
    if (*valid)
        *valid = OP(w, "Expand", knout_reshape(w, *valid, p->whole->ndim, shape),
                    knout_const_ints(w, p->whole->ndim, p->whole->dim));
    return OP(w, "Expand", sum, knout_const_ints(w, p->whole->ndim, p->whole->dim));
}

/* Positions without their last axis of extent 1. */
static const char *narrow(knout_eqn *e)
{
    const knout_var *i = &e->in_var[1];
    return knout_reshape(e->w, e->in[1], i->ndim - 1, i->dim);
}

/* Whole lines or planes at positions along one axis. */
static bool gather_axis(knout_eqn *e)
{
    knout_out *w = e->w;
    const knout_var *x = &e->in_var[0], *i = &e->in_var[1];
    dims map = param(e, "start_index_map"), gone = param(e, "collapsed_slice_dims"),
         batch = param(e, "operand_batching_dims");
    dims offset = param(e, "offset_dims"), size = param(e, "slice_sizes");
    if (map.n != 1 || gone.n != 1 || gone.at[0] != map.at[0] || batch.n > 0 || i->dim[i->ndim - 1] != 1 ||
        offset.n < 0 || fills(e))
        return false;
    int64_t axis = map.at[0], perm[KN_MAX_NDIM];
    bool clips = knout_param_is(e, "mode", "GatherScatterMode.CLIP");
    for (int k = 0; k < x->ndim && size.n == x->ndim; k++)
        if (k != axis && size.at[k] != x->dim[k])
            return false;
    int own = 0, index = 0;
    for (int k = 0; k < e->out_var[0].ndim; k++) { /* where each axis is in what Gather makes */
        if (has(&offset, k))
            perm[k] = own < axis ? own : own + i->ndim - 1, own++;
        else
            perm[k] = axis + index++;
    }
    const char *at = narrow(e);
    if (i->dtype != KN_I64 && (clips || i->dtype != KN_I32))
        at = knout_cast(w, at, KN_I64);
    if (clips) {
        const char *last = OP(w, "Sub", knout_extent(w, x->dim[axis]), knout_number(w, KN_I64, 1));
        last = knout_reshape(w, last, 0, NULL);
        at = OP(w, "Min", OP(w, "Max", at, knout_number(w, KN_I64, 0)), last);
    }
    knout_put_attr_int(w, "axis", axis);
    const char *made = OP(w, "Gather", e->in[0], at);
    e->out[0] = knout_transpose(w, made, e->out_var[0].ndim, perm);
    return true;
}

/* One element along an axis for each of the others: take_along_axis. */
static bool gather_elements(knout_eqn *e)
{
    const knout_var *x = &e->in_var[0], *i = &e->in_var[1];
    dims map = param(e, "start_index_map"), offset = param(e, "offset_dims"), batch = param(e, "operand_batching_dims");
    dims index = param(e, "start_indices_batching_dims");
    if (map.n != 1 || offset.n != 0 || batch.n != x->ndim - 1 || i->ndim - 1 != x->ndim || i->dim[i->ndim - 1] != 1 ||
        !knout_param_is(e, "mode", "GatherScatterMode.CHECK"))
        return false;
    for (int k = 0; k < batch.n; k++)
        if (batch.at[k] != index.at[k])
            return false;
    const char *at = narrow(e);
    if (i->dtype != KN_I64 && i->dtype != KN_I32)
        at = knout_cast(e->w, at, KN_I64);
    knout_put_attr_int(e->w, "axis", map.at[0]);
    e->out[0] = OP(e->w, "GatherElements", e->in[0], at);
    return true;
}

static void gather(knout_eqn *e)
{
    static const char *names[] = {"offset_dims", "collapsed_slice_dims", "start_index_map"};
    knout_out *w = e->w;
    if (gather_axis(e) || gather_elements(e))
        return;
    dims size = param(e, "slice_sizes");
    windows p = {.operand = &e->in_var[0],
                 .index = &e->in_var[1],
                 .whole = &e->out_var[0],
                 .index_name = e->in[1],
                 .size = size.at};
    const char *valid;
    if (!read_windows(e, &p, names))
        return;
    const char *at = numbers(e, &p, &valid), *all = flat(w, e->in[0]);
    knout_put_attr_int(w, "axis", 0);
    const char *made = OP(w, "Gather", all, at);
    e->out[0] = valid ? OP(w, "Where", valid, made, fill_value(e)) : made;
}

static void scatter_as(knout_eqn *e, const char *reduction)
{
    static const char *names[] = {"update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"};
    knout_out *w = e->w;
    const knout_var *x = &e->in_var[0];
    int64_t size[KN_MAX_NDIM], n = elements(x), start = 0, axis = 0;
    windows p = {.operand = x, .index = &e->in_var[1], .whole = &e->in_var[2], .index_name = e->in[1], .size = size};
    const char *valid, *updates = e->in[2];
    if (!read_windows(e, &p, names))
        return;
    for (int i = 0, k = 0; i < x->ndim; i++)
        size[i] = has(&p.left_out, i) || has(&p.batch, i) ? 1 : k < p.window.n ? e->in_var[2].dim[p.window.at[k++]] : 1;
    const char *at = flat(w, numbers(e, &p, &valid)), *whole = flat(w, e->in[0]);
    if (valid) { /* those outside go to an element behind the others */
        at = OP(w, "Where", flat(w, valid), at, knout_number(w, KN_I64, (double)n));
        const char *behind = knout_reshape(w, knout_number(w, x->dtype, 0), 1, (const int64_t[]){1});
        knout_put_attr_int(w, "axis", 0);
        whole = OP(w, "Concat", whole, behind);
    }
    if (!strcmp(reduction, "sub")) {
        updates = OP(w, "Sub", knout_number(w, x->dtype, 0), updates); /* Neg has no unsigned integers */
        reduction = "add";
    }
    updates = flat(w, updates);
    knout_put_attr_int(w, "axis", 0);
    knout_put_attr_text(w, "reduction", reduction);
    const char *made = OP(w, "ScatterElements", whole, at, updates);
    if (valid)
        made = OP(w, "Slice", made, knout_const_ints(w, 1, &start), knout_const_ints(w, 1, &n),
                  knout_const_ints(w, 1, &axis));
    e->out[0] = knout_reshape(w, made, x->ndim, x->dim);
}

static void scatter(knout_eqn *e) { scatter_as(e, "none"); }
static void scatter_add(knout_eqn *e) { scatter_as(e, "add"); }
static void scatter_sub(knout_eqn *e) { scatter_as(e, "sub"); }
static void scatter_mul(knout_eqn *e) { scatter_as(e, "mul"); }
static void scatter_min(knout_eqn *e) { scatter_as(e, "min"); }
static void scatter_max(knout_eqn *e) { scatter_as(e, "max"); }

/* ---- Windows whose start is data. */

/* The starts, moved so that a window of this size is inside: int64 of shape (ndim). */
static const char *starts(knout_eqn *e, int first, const knout_var *operand, const int64_t *size)
{
    knout_out *w = e->w;
    const char *part[KN_MAX_NDIM];
    const int64_t one = 1;
    for (int i = 0; i < operand->ndim; i++) {
        const char *s = knout_reshape(w, e->in[first + i], 1, &one);
        part[i] = e->in_var[first + i].dtype == KN_I64 ? s : knout_cast(w, s, KN_I64);
    }
    knout_put_attr_int(w, "axis", 0);
    const char *all = knout_emit(w, "Concat", operand->ndim, part);
    const char *most = OP(w, "Sub", knout_shape(w, operand->ndim, operand->dim), knout_shape(w, operand->ndim, size));
    return OP(w, "Min", OP(w, "Max", all, knout_number(w, KN_I64, 0)), most);
}

static void dynamic_slice(knout_eqn *e)
{
    knout_out *w = e->w;
    const knout_var *x = &e->in_var[0], *out = &e->out_var[0];
    if (!x->ndim) {
        e->out[0] = e->in[0];
        return;
    }
    const char *from = starts(e, 1, x, out->dim);
    e->out[0] = OP(w, "Slice", e->in[0], from, OP(w, "Add", from, knout_shape(w, out->ndim, out->dim)));
}

static void update(knout_eqn *e, const int64_t *step)
{
    knout_out *w = e->w;
    const knout_var *x = &e->in_var[0], *u = &e->in_var[1];
    int64_t stride[KN_MAX_NDIM], factor[KN_MAX_NDIM], span[KN_MAX_NDIM];
    if (!knout_static(x) || !knout_static(u)) {
        knout_refuse(e, "of unknown extents");
        return;
    }
    if (!x->ndim) {
        e->out[0] = e->in[1];
        return;
    }
    strides_of(x, stride);
    for (int i = 0; i < x->ndim; i++) {
        factor[i] = stride[i] * (step ? step[i] : 1);
        span[i] = u->dim[i] ? (u->dim[i] - 1) * (step ? step[i] : 1) + 1 : 0;
    }
    const char *first = OP(w, "Mul", starts(e, 2, x, span), knout_const_ints(w, x->ndim, stride));
    knout_put_attr_int(w, "keepdims", 0);
    first = OP(w, "ReduceSum", first);
    const char *at = flat(w, OP(w, "Add", ramp(w, x->ndim, u->dim, factor), first)), *whole = flat(w, e->in[0]);
    const char *updates = flat(w, e->in[1]);
    knout_put_attr_int(w, "axis", 0);
    e->out[0] = knout_reshape(w, OP(w, "ScatterElements", whole, at, updates), x->ndim, x->dim);
}

static void dynamic_update_slice(knout_eqn *e) { update(e, NULL); }

static void strided_update(knout_eqn *e)
{
    dims step = param(e, "strides");
    if (step.n != e->in_var[0].ndim)
        knout_refuse(e, "of unknown extents");
    else
        update(e, step.at);
}

const knout_writer knout_write_indexing[] = {
    {"gather", gather, NULL},
    {"scatter", scatter, NULL},
    {"scatter-add", scatter_add, NULL},
    {"scatter-sub", scatter_sub, NULL},
    {"scatter-mul", scatter_mul, NULL},
    {"scatter-min", scatter_min, NULL},
    {"scatter-max", scatter_max, NULL},
    {"dynamic_slice", dynamic_slice, NULL},
    {"dynamic_update_slice", dynamic_update_slice, NULL},
    {"strided_update", strided_update, NULL},
    {NULL, NULL, NULL},
};
