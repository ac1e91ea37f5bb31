/* SPDX-License-Identifier: Apache-2.0
 * take.c -- take, take_along_axis: gathers along one axis. */
#include "lib/internal.h"
#include "numpy/indexing/index_plan.h"
#include <string.h>

kni_atom knl_take_axis(kna_op *op, kni_atom x, kni_atom indices, int axis, int64_t mode)
{
    kni_builder *b = op->b;
    if (kna_failed(op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(b, x), i = knb_type(b, indices);
    int64_t offset[KN_MAX_NDIM], size[KN_MAX_NDIM], at_axis = axis;
    kn_shape vectors = knl_shape_of(op, indices);
    if (i.ndim + t.ndim - 1 > KN_MAX_NDIM || i.ndim == KN_MAX_NDIM) {
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, i.ndim + t.ndim - 1);
        return KN_ATOM_NONE;
    }
    vectors.dim[vectors.ndim++] = 1;
    int n = 0;
    for (int d = 0; d < t.ndim; d++) {
        size[d] = d == axis ? (t.dim[d] ? 1 : 0) : t.dim[d];
        if (d != axis) {
            offset[n] = n < axis ? n : n + i.ndim;
            n++;
        }
    }
    kni_p_gather g = {.offset_dims = {n, offset},
                      .collapsed_slice_dims = {1, &at_axis},
                      .start_index_map = {1, &at_axis},
                      .slice_sizes = {t.ndim, size},
                      .mode = mode};
    return knb_gather(b, x, knb_reshape(b, indices, vectors.ndim, vectors.dim), &g);
}

static kni_atom index_operand(kna_op *op, kn_array indices)
{
    kni_atom a = kna_in(op, indices);
    if (kna_failed(op))
        return a;
    kn_dtype d = knb_type(op->b, a).dtype;
    if (d->kind == KN_KIND_BOOL)
        return knb_astype(op->b, a, KN_DT(I64));
    if (!knx_is_integer(d))
        kna_fail(op, KN_ERROR_TYPE,
                 "Cannot cast array data from dtype('%s') to dtype('int64') according to the rule 'safe'", d->name);
    return a;
}

/* x, of type t if it need not be flattened, at few positions of an axis. */
static knx_buffer *take_few(kna_op *op, kn_array x, int axis, kni_type t, const knn_index_array *at, kni_type *few,
                            int64_t dim[KN_MAX_NDIM])
{
    knn_index p;
    if (!kni_type_same_shape(kna_type(op, x), t) || at->type.ndim + t.ndim - 1 > KN_MAX_NDIM)
        return NULL;
    knn_plan_axis(&p, op, t, axis, at);
    return knn_few_read(&p, x, few, dim);
}

/* Has the result elements? */
static bool takes_something(kni_type t, int axis, kni_type indices)
{
    int64_t n = kni_type_size(indices);
    for (int i = 0; i < t.ndim; i++)
        n = i == axis ? n : knx_dim_mul(n, t.dim[i]);
    return !knx_dim_eq(n, 0);
}

kn_array kn_take(kn_array x, kn_array indices, const kn_take_opts *opts)
{
    KNX_OPTS(kn_take_opts, o, opts);
    kna_op op;
    kna_begin(&op, "take");
    kni_atom a = kna_in(&op, x), i = index_operand(&op, indices);
    bool clip = o.mode && !strcmp(o.mode, "clip");
    bool wrap = o.mode && !strcmp(o.mode, "wrap");
    if (o.mode && !clip && !wrap && strcmp(o.mode, "raise") != 0)
        kna_fail(&op, KN_ERROR_VALUE, "clipmode must be one of 'clip', 'raise', or 'wrap' (got '%s')", o.mode);
    if (o.axis.n <= 0 || (!kna_failed(&op) && knb_type(op.b, a).ndim == 0))
        a = knl_flatten(&op, a);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_type t = knb_type(op.b, a);
    int axis = o.axis.n <= 0 ? 0 : kna_axis(&op, o.axis, t.ndim, 0);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    if (!t.dim[axis] && takes_something(t, axis, knb_type(op.b, i)))
        kna_fail(&op, KN_ERROR_INDEX, "cannot do a non-empty take from an empty axes.");
    knn_index_array at = {.negative = true};
    if (!wrap && !clip)
        at = knn_index_given(&op, indices, t.dim[axis], false);
    kni_type few;
    int64_t dim[KN_MAX_NDIM];
    knx_buffer *b = at.at ? take_few(&op, x, axis, t, &at, &few, dim) : NULL;
    if (b)
        return kna_from_buffer(&op, few, b);
    knn_index_check(&at, t.dim[axis]);
    if (wrap)
        i = knl_remainder(&op, i, t.dim[axis]);
    else if (!clip && at.negative)
        i = knl_wrap(&op, i, t.dim[axis]);
    int64_t mode = clip ? KN_GATHER_CLIP : wrap || at.in_bounds ? KN_GATHER_PROMISE : KN_GATHER_CHECK;
    return kna_end(&op, knl_take_axis(&op, a, i, axis, mode));
}

/* Both with the same extents everywhere but on the axis. */
static bool align(kna_op *op, kni_atom *x, kni_atom *indices, int axis)
{
    kn_shape s = knl_shape_of(op, *x), t = knl_shape_of(op, *indices);
    for (int i = 0; i < s.ndim; i++) {
        if (i == axis || knx_dim_eq(s.dim[i], t.dim[i]))
            continue;
        if (s.dim[i] != 1 && t.dim[i] != 1) {
            knx_text p = {0}, q = {0};
            kna_fail(op, KN_ERROR_INDEX,
                     "shape mismatch: indexing arrays could not be broadcast together with shapes %s %s",
                     knx_show_shape(&p, s.ndim, s.dim), knx_show_shape(&q, t.ndim, t.dim));
            return false;
        }
        s.dim[i] = t.dim[i] = s.dim[i] == 1 ? t.dim[i] : s.dim[i];
    }
    *x = knb_broadcast_to(op->b, *x, knl_shaped(KN_DT(F32), &s));
    *indices = knb_broadcast_to(op->b, *indices, knl_shaped(KN_DT(F32), &t));
    return true;
}

kni_atom knl_take_along(kna_op *op, kni_atom x, kni_atom indices, int axis, int64_t mode)
{
    if (kna_failed(op) || !align(op, &x, &indices, axis) || kna_failed(op))
        return KN_ATOM_NONE;
    kni_type t = knb_type(op->b, x);
    kn_shape vectors = knl_shape_of(op, indices);
    int64_t others[KN_MAX_NDIM], size[KN_MAX_NDIM], at_axis = axis;
    int n = 0;
    if (t.ndim == KN_MAX_NDIM) {
        kna_fail(op, KN_ERROR_VALUE, "maximum supported dimension for an ndarray is currently %d, found %d",
                 KN_MAX_NDIM, KN_MAX_NDIM + 1);
        return KN_ATOM_NONE;
    }
    vectors.dim[vectors.ndim++] = 1;
    for (int d = 0; d < t.ndim; d++) {
        size[d] = t.dim[d] ? 1 : 0;
        if (d != axis)
            others[n++] = d;
    }
    kni_p_gather g = {.collapsed_slice_dims = {1, &at_axis},
                      .start_index_map = {1, &at_axis},
                      .operand_batching_dims = {n, others},
                      .start_indices_batching_dims = {n, others},
                      .slice_sizes = {t.ndim, size},
                      .mode = mode};
    return knb_gather(op->b, x, knb_reshape(op->b, indices, vectors.ndim, vectors.dim), &g);
}

kn_array kn_take_along_axis(kn_array x, kn_array indices, const kn_squeeze_opts *opts)
{
    KNX_OPTS(kn_squeeze_opts, o, opts);
    kna_op op;
    kna_begin(&op, "take_along_axis");
    kni_atom a = kna_in(&op, x), i = kna_in(&op, indices);
    if (!kna_failed(&op) && !knx_is_integer(knb_type(op.b, i).dtype))
        kna_fail(&op, KN_ERROR_INDEX, "`indices` must be an integer array");
    if (o.axis.n < 0)
        a = knl_flatten(&op, a);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    int ndim = knb_type(op.b, a).ndim, axis = kna_axis(&op, o.axis.n < 0 ? (kn_axes){0} : o.axis, ndim, -1);
    if (!kna_failed(&op) && knb_type(op.b, i).ndim != ndim)
        kna_fail(&op, KN_ERROR_VALUE, "`indices` and `arr` must have the same number of dimensions");
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    i = knl_wrap(&op, i, knb_type(op.b, a).dim[axis]);
    return kna_end(&op, knl_take_along(&op, a, i, axis, KN_GATHER_CHECK));
}
