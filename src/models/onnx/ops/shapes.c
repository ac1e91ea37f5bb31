/* SPDX-License-Identifier: Apache-2.0
 * shapes.c -- operators of shapes: the same elements in another arrangement, and what a shape is. */
#include "models/onnx/ops/move.h"

static int identity(knonnx_call *c) { return knonnx_set_value(c, 0, c->in[0]); }

/* A list of extents as a shape; -1 with an error. */
static int as_shape(knonnx_call *c, const int64_t *dim, int n, kn_shape *out)
{
    if (!dim)
        return -1;
    if (n > KN_MAX_NDIM)
        return knonnx_fail(c, KN_ERROR_VALUE, "%d axes, and %d are the most", n, KN_MAX_NDIM);
    out->ndim = n;
    memcpy(out->dim, dim, (size_t)n * sizeof *dim);
    return 0;
}

/* ---- Reshape. */

static int reshape_to(knonnx_call *c, const int64_t *dim, int n)
{
    knonnx_pool pool = {0};
    kn_shape to, from;
    kn_array x = as_shape(c, dim, n, &to) < 0 ? NULL : knonnx_movable(c, &pool, 0);
    if (!x || knonnx_shape_in(c, 0, &from) < 0)
        return -1;
    if (!knonnx_int(c, "allowzero", 0))
        for (int k = 0; k < n; k++) {
            if (to.dim[k] == 0 && k >= from.ndim)
                return knonnx_fail(c, KN_ERROR_VALUE, "shape[%d] is 0, but the input has %d axes", k, from.ndim);
            to.dim[k] = to.dim[k] ? to.dim[k] : from.dim[k];
        }
    return knonnx_set_moved(c, &pool, 0, kn_reshape(x, &to, NULL));
}

static int reshape_1(knonnx_call *c)
{
    int n = 0;
    const int64_t *dim = knonnx_ints(c, "shape", &n), none = 0;
    return reshape_to(c, dim ? dim : &none, n);
}

static int reshape(knonnx_call *c)
{
    int n = 0;
    const int64_t *dim = knonnx_ints_in(c, 1, &n);
    return dim ? reshape_to(c, dim, n) : -1;
}

static int flatten(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_shape from, to = {2, {1, 1}};
    kn_array x = knonnx_movable(c, &pool, 0);
    int64_t axis = knonnx_int(c, "axis", 1);
    if (!x || knonnx_shape_in(c, 0, &from) < 0)
        return -1;
    if (axis < -from.ndim || axis > from.ndim)
        return knonnx_fail(c, KN_ERROR_AXIS, "axis %lld of a tensor with %d axes", (long long)axis, from.ndim);
    axis += axis < 0 ? from.ndim : 0;
    for (int k = 0; k < from.ndim; k++)
        to.dim[k >= axis] = kn_dim_mul(to.dim[k >= axis], from.dim[k]);
    return knonnx_set_moved(c, &pool, 0, kn_reshape(x, &to, NULL));
}

static int transpose(knonnx_call *c)
{
    int n = 0;
    knonnx_pool pool = {0};
    const int64_t *perm = knonnx_ints(c, "perm", &n);
    kn_array x = knonnx_movable(c, &pool, 0);
    kn_transpose_opts o = kn_transpose_opts_default();
    if (!x)
        return -1;
    if (perm) {
        if (n > KN_MAX_NDIM)
            return knonnx_fail(c, KN_ERROR_VALUE, "perm has %d numbers", n);
        o.axes.n = 1 + n;
        for (int k = 0; k < n; k++)
            o.axes.axis[k] = (int32_t)perm[k];
    }
    return knonnx_set_moved(c, &pool, 0, kn_transpose(x, &o));
}

/* ---- Joining. */

static int concat(knonnx_call *c)
{
    knonnx_pool pool = {0};
    if (c->version >= 4 && !knonnx_given(c, "axis"))
        return knonnx_fail(c, KN_ERROR_VALUE, "the attribute axis is missing");
    kn_array *x = knonnx_take(c, (uint64_t)c->n_in, sizeof *x);
    if (!x)
        return -1;
    for (int k = 0; k < c->n_in; k++) {
        x[k] = knonnx_movable(c, &pool, k);
        if (!x[k] || knonnx_same_dtype(c, x[0], x[k]) < 0)
            return -1;
    }
    kn_concatenate_opts o = kn_concatenate_opts_default();
    int axis = knonnx_axis(c, knonnx_int(c, "axis", 1), kn_ndim(x[0]));
    if (axis < 0)
        return -1;
    o.axis = knonnx_single_axis(axis);
    return knonnx_set_moved(c, &pool, 0, c->n_in == 1 ? x[0] : kn_concatenate(kn_list_from(x, c->n_in), &o));
}

static int tile_to(knonnx_call *c, const kn_shape *reps)
{
    knonnx_pool pool = {0};
    kn_array x = knonnx_movable(c, &pool, 0);
    if (!x)
        return -1;
    if (reps->ndim != kn_ndim(x))
        return knonnx_fail(c, KN_ERROR_VALUE, "%d repeats for %d axes", reps->ndim, kn_ndim(x));
    return knonnx_set_moved(c, &pool, 0, kn_tile(x, reps));
}

static int tile_1(knonnx_call *c)
{
    int64_t tiles, axis;
    kn_shape x, reps;
    if (knonnx_shape_in(c, 0, &x) < 0 || knonnx_int_in(c, 1, &tiles) < 0 || knonnx_int_in(c, 2, &axis) < 0)
        return -1;
    int k = knonnx_axis(c, axis, x.ndim);
    if (k < 0)
        return -1;
    reps.ndim = x.ndim;
    for (int j = 0; j < x.ndim; j++)
        reps.dim[j] = j == k ? tiles : 1;
    return tile_to(c, &reps);
}

static int tile(knonnx_call *c)
{
    int n = 0;
    kn_shape reps;
    const int64_t *r = knonnx_ints_in(c, 1, &n);
    return as_shape(c, r, n, &reps) < 0 ? -1 : tile_to(c, &reps);
}

static int expand(knonnx_call *c)
{
    int n = 0;
    knonnx_pool pool = {0};
    kn_shape both[2];
    kn_array x = knonnx_movable(c, &pool, 0);
    const int64_t *dim = x ? knonnx_ints_in(c, 1, &n) : NULL;
    if (!dim || knonnx_shape_in(c, 0, &both[0]) < 0 || as_shape(c, dim, n, &both[1]) < 0)
        return -1;
    kn_shape to = kn_broadcast_shapes(2, both);
    return to.ndim < 0 ? (knonnx_done(c), -1) : knonnx_set_moved(c, &pool, 0, kn_broadcast_to(x, &to));
}

/* ---- Axes of extent 1. */

static int squeeze(knonnx_call *c)
{
    knonnx_pool pool = {0};
    kn_squeeze_opts o = kn_squeeze_opts_default();
    kn_array x = knonnx_movable(c, &pool, 0);
    if (!x || knonnx_axes(c, "axes", 13, 1, kn_ndim(x), &o.axis) < 0)
        return -1;
    return knonnx_set_moved(c, &pool, 0, kn_squeeze(x, &o));
}

static int unsqueeze(knonnx_call *c)
{
    int n = 0;
    knonnx_pool pool = {0};
    const int64_t *axis = c->version < 13 ? knonnx_ints(c, "axes", &n) : knonnx_ints_in(c, 1, &n);
    kn_array x = axis ? knonnx_movable(c, &pool, 0) : NULL;
    if (!axis && c->version < 13)
        return knonnx_fail(c, KN_ERROR_VALUE, "the attribute axes is missing");
    if (!x)
        return -1;
    int ndim = kn_ndim(x);
    if (n > KN_MAX_NDIM || ndim + n > KN_MAX_NDIM)
        return knonnx_fail(c, KN_ERROR_VALUE, "%d new axes beside %d, and %d are the most", n, ndim, KN_MAX_NDIM);
    kn_axes axes = {.n = 1 + n};
    for (int k = 0; k < n; k++)
        if ((axes.axis[k] = knonnx_axis(c, axis[k], ndim + n)) < 0)
            return -1;
    return knonnx_set_moved(c, &pool, 0, n ? kn_expand_dims(x, &axes) : x);
}

/* ---- What a shape is. */

/* Extents as an int64 vector. Dimension variables (kn_jit's .symbolic) have no number: they stay operands. */
static kn_array extents(const int64_t *dim, int n)
{
    kn_array part[KN_MAX_NDIM];
    bool symbolic = false;
    for (int k = 0; k < n; k++) {
        const char *text = kn_dim_text(dim[k]);
        symbolic |= !text || text[strspn(text, "0123456789")];
    }
    if (!symbolic)
        return knonnx_int_array(dim, n);
    for (int k = 0; k < n; k++)
        part[k] = kn_dim_as_array(dim[k]);
    return kn_stack(kn_list_from(part, n), NULL);
}

static int shape(knonnx_call *c)
{
    kn_shape s;
    if (knonnx_shape_in(c, 0, &s) < 0)
        return -1;
    int64_t start = knonnx_int(c, "start", 0), end = knonnx_int(c, "end", s.ndim);
    start += start < 0 ? s.ndim : 0;
    end += end < 0 ? s.ndim : 0;
    start = start < 0 ? 0 : start > s.ndim ? s.ndim : start;
    end = end < start ? start : end > s.ndim ? s.ndim : end;
    return knonnx_set(c, 0, extents(s.dim + start, (int)(end - start)));
}

static int size(knonnx_call *c)
{
    kn_shape s;
    int64_t n = 1;
    if (knonnx_shape_in(c, 0, &s) < 0)
        return -1;
    for (int k = 0; k < s.ndim; k++)
        n = kn_dim_mul(n, s.dim[k]);
    return knonnx_set(c, 0, kn_reshape(extents(&n, 1), &(kn_shape){0}, NULL));
}

const knonnx_row knonnx_rows_shapes[] = {
    {"Identity", 1, identity, 1, 1, 1, 1},
    {"Reshape", 1, reshape_1, 1, 1, 1, 1},
    {"Reshape", 5, reshape, 2, 2, 1, 1},
    {"Flatten", 1, flatten, 1, 1, 1, 1},
    {"Transpose", 1, transpose, 1, 1, 1, 1},
    {"Concat", 1, concat, 1, -1, 1, 1},
    {"Tile", 1, tile_1, 3, 3, 1, 1},
    {"Tile", 6, tile, 2, 2, 1, 1},
    {"Expand", 8, expand, 2, 2, 1, 1},
    {"Squeeze", 1, squeeze, 1, 1, 1, 1},
    {"Squeeze", 13, squeeze, 1, 2, 1, 1},
    {"Unsqueeze", 1, unsqueeze, 1, 1, 1, 1},
    {"Unsqueeze", 13, unsqueeze, 2, 2, 1, 1},
    {"Shape", 1, shape, 1, 1, 1, 1},
    {"Size", 1, size, 1, 1, 1, 1},
    {0},
};
