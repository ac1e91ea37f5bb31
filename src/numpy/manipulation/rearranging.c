/* SPDX-License-Identifier: Apache-2.0
 * rearranging.c -- the same elements in another order (flips, rotations, rolls), and other numbers of axes. */
#include "tree/tree.h"
#include "lib/compose.h"
#include <limits.h>
#include <string.h>

/* ---- Flips: views. */

static kn_array flip_one(const char *name, kn_array x, int axis, const char *too_few)
{
    kna_op op;
    kna_begin(&op, name);
    kn_atom a = kna_in(&op, x);
    int64_t at = axis;
    if (!kna_failed(&op) && knb_type(op.b, a).ndim <= axis)
        kna_fail(&op, KN_ERROR_VALUE, "%s", too_few);
    return kna_end_view(&op, x, a, kna_failed(&op) ? KN_ATOM_NONE : knb_rev(op.b, a, 1, &at));
}

kn_array kn_fliplr(kn_array x) { return flip_one("fliplr", x, 1, "Input must be >= 2-d."); }
kn_array kn_flipud(kn_array x) { return flip_one("flipud", x, 0, "Input must be >= 1-d."); }

static void rotation_axes(kna_op *op, const kn_axes *given, int ndim, int64_t axis[2])
{
    kn_text t = {0};
    axis[0] = given->n ? given->axis[0] : 0;
    axis[1] = given->n ? given->axis[1] : 1;
    knx_text_add(&t, "(%lld, %lld)", (long long)axis[0], (long long)axis[1]);
    if (given->n && given->n != 3)
        kna_fail(op, KN_ERROR_VALUE, "len(axes) must be 2.");
    else if (axis[0] == axis[1] || axis[0] - axis[1] == ndim || axis[1] - axis[0] == ndim)
        kna_fail(op, KN_ERROR_VALUE, "Axes must be different.");
    for (int i = 0; i < 2 && !kna_failed(op); i++) {
        if (axis[i] < -ndim || axis[i] >= ndim)
            kna_fail(op, KN_ERROR_VALUE, "Axes=%s out of range for array of ndim=%d.", t.s, ndim);
        axis[i] += axis[i] < 0 ? ndim : 0;
    }
}

kn_array kn_rot90(kn_array x, const kn_rot90_opts *opts)
{
    KNN_OPTS(kn_rot90_opts, o, opts);
    kna_op op;
    kna_begin(&op, "rot90");
    kn_atom a = kna_in(&op, x), y = a;
    int ndim = kna_failed(&op) ? 0 : knb_type(op.b, a).ndim, turns = (int)((o.k % 4 + 4) % 4);
    int64_t axis[2], order[KN_MAX_NDIM];
    if (!kna_failed(&op))
        rotation_axes(&op, &o.axes, ndim, axis);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    for (int i = 0; i < ndim; i++)
        order[i] = i == axis[0] ? axis[1] : i == axis[1] ? axis[0] : i;
    if (turns == 2)
        y = knb_rev(op.b, knb_rev(op.b, a, 1, &axis[0]), 1, &axis[1]);
    else if (turns == 1)
        y = knb_transpose(op.b, knb_rev(op.b, a, 1, &axis[1]), order);
    else if (turns == 3)
        y = knb_rev(op.b, knb_transpose(op.b, a, order), 1, &axis[1]);
    return kna_end_view(&op, x, a, y);
}

/* ---- Rolls: the end of each axis joined before its start. */

static kn_atom roll(kna_op *op, kn_atom a, int axis, int64_t shift)
{
    kn_builder *b = op->b;
    kn_shape from = {0}, to = knn_shape_of(op, a), cut = to, none = {0};
    if (kna_failed(op) || !to.dim[axis])
        return a;
    int64_t n = to.dim[axis], at = n - ((shift % n) + n) % n;
    if (at == n)
        return a;
    from.dim[axis] = at;
    cut.dim[axis] = at;
    kn_atom part[] = {knb_slice(b, a, from.dim, to.dim, NULL), knb_slice(b, a, none.dim, cut.dim, NULL)};
    return knb_concatenate(b, 2, part, axis);
}

/* How far each axis is rolled: shifts and axes are broadcast, and those of one axis add up. */
static void add_shifts(kna_op *op, const int64_t *shift, int64_t n, int shift_ndim, const kn_axes *given, int ndim,
                       int64_t *by)
{
    int axes = knn_axis_count(op, *given);
    int64_t count = n == 1 ? axes : n;
    memset(by, 0, KN_MAX_NDIM * sizeof *by);
    if (shift_ndim > 1)
        kna_fail(op, KN_ERROR_VALUE, "'shift' and 'axis' should be scalars or 1D sequences");
    else if (axes != 1 && n != 1 && axes != n)
        kna_fail(op, KN_ERROR_VALUE,
                 "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg 0 with shape "
                 "(%lld,) and arg 1 with shape (%d,).",
                 (long long)n, axes);
    for (int64_t i = 0; i < count && !kna_failed(op); i++) {
        int axis = kna_normalize_axis(op, given->axis[axes == 1 ? 0 : i], ndim);
        if (!kna_failed(op))
            by[axis] = (int64_t)((uint64_t)by[axis] + (uint64_t)shift[n == 1 ? 0 : i]);
    }
}

kn_array kn_roll(kn_array x, kn_array shift, const kn_squeeze_opts *opts)
{
    KNN_OPTS(kn_squeeze_opts, o, opts);
    kna_op op;
    kna_begin(&op, "roll");
    kn_atom a = kna_in(&op, x), y = a;
    kn_shape shape = knn_shape_of(&op, a);
    int64_t n = 0, by[KN_MAX_NDIM];
    int shift_ndim = 0;
    int64_t *shifts = knn_look_integers(&op, shift, &n, &shift_ndim, "shift must be an integer");
    if (o.axis.n <= 0) {
        y = knn_flatten(&op, a);
        o.axis = knn_one_axis(0);
    }
    if (!kna_failed(&op)) {
        int ndim = knb_type(op.b, y).ndim;
        add_shifts(&op, shifts, n, shift_ndim, &o.axis, ndim, by);
        for (int i = 0; i < ndim && !kna_failed(&op); i++)
            y = roll(&op, y, i, by[i]);
    }
    knx_free(shifts);
    return kna_end_like(&op, knn_reshape(&op, y, &shape), x);
}

kn_array kn_rollaxis(kn_array x, int axis, const kn_rollaxis_opts *opts)
{
    KNN_OPTS(kn_rollaxis_opts, o, opts);
    kna_op op;
    kna_begin(&op, "rollaxis");
    kn_atom a = kna_in(&op, x);
    int ndim = kna_failed(&op) ? 0 : knb_type(op.b, a).ndim, start = o.start;
    int64_t order[KN_MAX_NDIM];
    axis = kna_failed(&op) ? 0 : kna_normalize_axis(&op, axis, ndim);
    if (!kna_failed(&op) && (start < -ndim || start > ndim))
        kna_fail(&op, KN_ERROR_AXIS, "'start' arg requires %d <= start < %d, but %d was passed in", -ndim, ndim + 1,
                 start);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    start += start < 0 ? ndim : 0;
    start -= axis < start;
    for (int i = 0, old = 0; i < ndim; i++) {
        if (i == start)
            order[i] = axis;
        else {
            old += old == axis;
            order[i] = old++;
        }
    }
    return kna_end_view(&op, x, a, knb_transpose(op.b, a, order));
}

kn_array kn_permute_dims(kn_array x, const kn_transpose_opts *opts) { return kn_transpose(x, opts); }

kn_array kn_matrix_transpose(kn_array x)
{
    kna_op op;
    kna_begin(&op, "matrix_transpose");
    kn_atom a = kna_in(&op, x);
    if (!kna_failed(&op) && knb_type(op.b, a).ndim < 2)
        kna_fail(&op, KN_ERROR_VALUE, "Input array must be at least 2-dimensional, but it is %d",
                 knb_type(op.b, a).ndim);
    return kna_end_view(&op, x, a, kna_failed(&op) ? KN_ATOM_NONE : knb_swap_last(op.b, a));
}

/* ---- At least so many axes. */

static kn_array at_least(const char *name, kn_array x, int least)
{
    kna_op op;
    kna_begin(&op, name);
    kn_atom a = kna_in(&op, x), y = a;
    kn_shape shape = knn_shape_of(&op, a);
    bool is_new[KN_MAX_NDIM] = {false};
    int ndim = shape.ndim;
    if (!kna_failed(&op) && ndim < least) {
        int at = least == 3 ? (ndim == 2 ? 0 : 1) : least - ndim; /* where the old axes begin */
        kn_shape wide = {.ndim = least};
        for (int i = 0; i < least; i++) {
            is_new[i] = i < at || i >= at + ndim;
            wide.dim[i] = is_new[i] ? 1 : shape.dim[i - at];
        }
        y = knn_insert_axes(&op, a, &wide, is_new);
    }
    return kna_end_view(&op, x, a, y);
}

kn_array kn_atleast_1d(kn_array x) { return at_least("atleast_1d", x, 1); }
kn_array kn_atleast_2d(kn_array x) { return at_least("atleast_2d", x, 2); }
kn_array kn_atleast_3d(kn_array x) { return at_least("atleast_3d", x, 3); }

/* ---- Broadcasting of several. */

/* (2, 3): here NumPy writes shapes as Python does. */
static const char *spaced(kn_text *t, const kn_shape *s)
{
    knx_text_add(t, "(");
    for (int i = 0; i < s->ndim; i++)
        knx_text_add(t, i ? ", %lld" : "%lld", (long long)s->dim[i]);
    knx_text_add(t, s->ndim == 1 ? ",)" : ")");
    return t->s;
}

static void shapes_differ(kna_op *op, const kn_shape *a, int i, const kn_shape *b, int j)
{
    kn_text s = {0}, t = {0};
    kna_fail(op, KN_ERROR_VALUE,
             "shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between arg %d with shape %s "
             "and arg %d with shape %s.",
             i, spaced(&s, a), j, spaced(&t, b));
}

static kn_shape common_shape(kna_op *op, int n, const kn_shape *shape)
{
    kn_shape all = {.ndim = 0};
    for (int i = 0; i < n; i++)
        all.ndim = shape[i].ndim > all.ndim ? shape[i].ndim : all.ndim;
    for (int d = 0; d < all.ndim && !kna_failed(op); d++) {
        int from = -1;
        all.dim[d] = 1;
        for (int i = 0; i < n && !kna_failed(op); i++) {
            int at = d - (all.ndim - shape[i].ndim);
            if (at < 0 || shape[i].dim[at] == 1)
                continue;
            if (shape[i].dim[at] < 0)
                kna_fail(op, KN_ERROR_VALUE, "negative dimensions are not allowed");
            else if (from >= 0 && shape[i].dim[at] != all.dim[d])
                shapes_differ(op, &shape[from], from, &shape[i], i);
            else if (from < 0) {
                all.dim[d] = shape[i].dim[at];
                from = i;
            }
        }
    }
    return all;
}

kn_shape kn_broadcast_shapes(int n, const kn_shape *shapes)
{
    kna_op op;
    kna_begin(&op, "broadcast_shapes");
    kna_given_list(&op, n, shapes, INT_MAX, "shapes");
    for (int i = 0; i < n && !kna_failed(&op); i++)
        kna_shape(&op, &shapes[i]);
    kn_shape all = {.ndim = 0};
    if (!kna_failed(&op))
        all = common_shape(&op, n, shapes);
    return kna_end_plain(&op) ? all : (kn_shape){.ndim = -1};
}

/* The shapes of the arrays of a list; the caller frees them. NULL with the op failed. */
static kn_shape *shapes_of(kna_op *op, kn_list list, int *n, const kn_array **x)
{
    *n = kna_list_read(op, list, x);
    kn_shape *shape = kna_failed(op) ? NULL : knx_alloc((size_t)*n * sizeof *shape);
    if (!shape && !kna_failed(op))
        kna_fail_with(op, knx_error_nomem());
    for (int i = 0; shape && i < *n; i++) {
        kn_type t = kna_type(op, (*x)[i]);
        shape[i].ndim = t.ndim;
        if (t.ndim)
            memcpy(shape[i].dim, t.dim, (size_t)t.ndim * sizeof *t.dim);
    }
    return shape;
}

kn_broadcast_result kn_broadcast(kn_list list)
{
    kna_op op;
    kn_broadcast_result r = {.numiter = -1};
    const kn_array *x;
    int n;
    kna_begin(&op, "broadcast");
    kn_shape *shape = shapes_of(&op, list, &n, &x);
    kn_shape all = {.ndim = 0};
    if (!kna_failed(&op))
        all = common_shape(&op, n, shape);
    knx_free(shape);
    if (!kna_end_plain(&op))
        return r;
    r = (kn_broadcast_result){.shape = all, .size = 1, .ndim = all.ndim, .numiter = n};
    for (int i = 0; i < all.ndim; i++)
        r.size *= all.dim[i];
    return r;
}

kn_list kn_broadcast_arrays(kn_list list)
{
    knn_body c;
    const kn_array *x;
    int n;
    kn_list result = NULL;
    knn_begin(&c, "broadcast_arrays");
    kn_shape *shape = shapes_of(&c.op, list, &n, &x), all = {.ndim = 0};
    kn_array *out = kna_failed(&c.op) ? NULL : knx_alloc((size_t)n * sizeof *out);
    if (!kna_failed(&c.op) && !out)
        kna_fail_with(&c.op, knx_error_nomem());
    if (!kna_failed(&c.op))
        all = common_shape(&c.op, n, shape);
    if (!kna_failed(&c.op)) {
        for (int i = 0; i < n; i++)
            out[i] = kn_broadcast_to(x[i], &all);
        result = kn_list_from(out, n);
    }
    knx_free(out);
    knx_free(shape);
    return knn_end_list(&c, result);
}
