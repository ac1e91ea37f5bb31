/* SPDX-License-Identifier: Apache-2.0
 * rearranging.c -- the same elements in another order: flips, rotations, rolls. */
#include "tree/tree.h"
#include "lib/compose.h"
#include <limits.h>
#include <string.h>

/* ---- Flips: views. */

kn_array kn_flip(kn_array x, const kn_squeeze_opts *opts)
{
    KNX_OPTS(kn_squeeze_opts, o, opts);
    kna_op op;
    kna_begin(&op, "flip");
    kni_atom a = kna_in(&op, x);
    int64_t axes[KN_MAX_NDIM];
    int n = kna_failed(&op) ? 0 : knl_axis_tuple(&op, o.axis, knb_type(op.b, a).ndim, NULL, axes);
    return kna_end_view(&op, x, a, kna_failed(&op) || !n ? a : knb_rev(op.b, a, n, axes));
}

static kn_array flip_one(const char *name, kn_array x, int axis, const char *too_few)
{
    kna_op op;
    kna_begin(&op, name);
    kni_atom a = kna_in(&op, x);
    int64_t at = axis;
    if (!kna_failed(&op) && knb_type(op.b, a).ndim <= axis)
        kna_fail(&op, KN_ERROR_VALUE, "%s", too_few);
    return kna_end_view(&op, x, a, kna_failed(&op) ? KN_ATOM_NONE : knb_rev(op.b, a, 1, &at));
}

kn_array kn_fliplr(kn_array x) { return flip_one("fliplr", x, 1, "Input must be >= 2-d."); }
kn_array kn_flipud(kn_array x) { return flip_one("flipud", x, 0, "Input must be >= 1-d."); }

static void rotation_axes(kna_op *op, const kn_axes *given, int ndim, int64_t axis[2])
{
    knx_text t = {0};
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
    KNX_OPTS(kn_rot90_opts, o, opts);
    kna_op op;
    kna_begin(&op, "rot90");
    kni_atom a = kna_in(&op, x), y = a;
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

static kni_atom roll(kna_op *op, kni_atom a, int axis, int64_t shift)
{
    kni_builder *b = op->b;
    kn_shape from = {0}, to = knl_shape_of(op, a), cut = to, none = {0};
    if (kna_failed(op) || !to.dim[axis])
        return a;
    int64_t n = to.dim[axis], at = 0;
    if (knx_is_symbolic(n) || knl_is_extent(shift))
        at = knx_dim_sub(n, knx_dim_mod(shift, n));
    else
        at = n - ((shift % n) + n) % n;
    if (at == n)
        return a;
    from.dim[axis] = at;
    cut.dim[axis] = at;
    kni_atom part[] = {knb_slice(b, a, from.dim, to.dim, NULL), knb_slice(b, a, none.dim, cut.dim, NULL)};
    return knb_concatenate(b, 2, part, axis);
}

/* How far each axis is rolled: shifts and axes are broadcast, and those of one axis add up. */
static void add_shifts(kna_op *op, const int64_t *shift, int64_t n, int shift_ndim, const kn_axes *given, int ndim,
                       int64_t *by)
{
    int axes = knl_axis_count(op, *given);
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
            by[axis] = knl_is_extent(by[axis]) || knl_is_extent(shift[n == 1 ? 0 : i])
                           ? knx_dim_add(by[axis], shift[n == 1 ? 0 : i])
                           : (int64_t)((uint64_t)by[axis] + (uint64_t)shift[n == 1 ? 0 : i]);
    }
}

kn_array kn_roll(kn_array x, kn_array shift, const kn_squeeze_opts *opts)
{
    KNX_OPTS(kn_squeeze_opts, o, opts);
    kna_op op;
    kna_begin(&op, "roll");
    kni_atom a = kna_in(&op, x), y = a;
    kn_shape shape = knl_shape_of(&op, a);
    int64_t n = 0, by[KN_MAX_NDIM];
    int shift_ndim = 0;
    int64_t *shifts = knl_look_integers(&op, shift, &n, &shift_ndim, "shift must be an integer");
    if (o.axis.n <= 0) {
        y = knl_flatten(&op, a);
        o.axis = knl_one_axis(0);
    }
    if (!kna_failed(&op)) {
        int ndim = knb_type(op.b, y).ndim;
        add_shifts(&op, shifts, n, shift_ndim, &o.axis, ndim, by);
        for (int i = 0; i < ndim && !kna_failed(&op); i++)
            y = roll(&op, y, i, by[i]);
    }
    knx_free(shifts);
    return kna_end_like(&op, knl_reshape(&op, y, &shape), x);
}
