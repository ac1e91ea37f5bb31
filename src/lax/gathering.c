/* SPDX-License-Identifier: Apache-2.0
 * gathering.c -- jax.lax: gather, scatter and index_take. */
#include "lax/internal.h"

/* The numbers of both operations, and room for the lists that the parameters point to. */
typedef struct lists {
    int64_t v[5][KN_MAX_NDIM];
} lists;

static kni_ints list_of(kna_op *op, lists *l, int k, const kn_axes *axes, const char *name)
{
    int n = knlax_list_of(op, kna_given_axes(op, axes, name), l->v[k]);
    return (kni_ints){n, l->v[k]};
}

static int64_t mode_of(kna_op *op, int mode, int64_t by_default)
{
    switch (mode) {
    case KN_LAX_MODE_DEFAULT: return by_default;
    case KN_LAX_CLIP: return KN_GATHER_CLIP;
    case KN_LAX_FILL_OR_DROP: return KN_GATHER_FILL;
    case KN_LAX_PROMISE_IN_BOUNDS: return KN_GATHER_PROMISE;
    }
    kna_fail(op, KN_ERROR_VALUE, "Unknown gather mode: %d", mode);
    return by_default;
}

kn_array kn_lax_gather(kn_array x, kn_array indices, const kn_lax_gather_dimension_numbers *dimension_numbers,
                       const kn_shape *slice_sizes, const kn_lax_gather_opts *opts)
{
    KNX_OPTS(kn_lax_gather_opts, o, opts);
    static const kn_lax_gather_dimension_numbers none;
    const kn_lax_gather_dimension_numbers *d = dimension_numbers ? dimension_numbers : &none;
    kna_op op;
    lists l;
    kna_begin(&op, "lax.gather");
    kna_given_pointer(&op, dimension_numbers, "dimension_numbers");
    slice_sizes = kna_shape(&op, slice_sizes);
    kni_atom a = kna_in(&op, x), i = kna_in(&op, indices);
    kni_p_gather p = {.offset_dims = list_of(&op, &l, 0, &d->offset_dims, "offset_dims"),
                      .collapsed_slice_dims = list_of(&op, &l, 1, &d->collapsed_slice_dims, "collapsed_slice_dims"),
                      .start_index_map = list_of(&op, &l, 2, &d->start_index_map, "start_index_map"),
                      .operand_batching_dims = list_of(&op, &l, 3, &d->operand_batching_dims, "operand_batching_dims"),
                      .start_indices_batching_dims =
                          list_of(&op, &l, 4, &d->start_indices_batching_dims, "start_indices_batching_dims"),
                      .slice_sizes = {slice_sizes->ndim, slice_sizes->dim},
                      .mode = mode_of(&op, o.mode, KN_GATHER_PROMISE),
                      .indices_are_sorted = o.indices_are_sorted,
                      .unique_indices = o.unique_indices};
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_gather(op.b, a, i, &p));
}

static kn_array scatter(const char *name, const kni_prim *row, const kn_array x[3],
                        const kn_lax_scatter_dimension_numbers *numbers, const kn_lax_gather_opts *opts)
{
    KNX_OPTS(kn_lax_gather_opts, o, opts);
    static const kn_lax_scatter_dimension_numbers none;
    const kn_lax_scatter_dimension_numbers *d = numbers ? numbers : &none;
    kna_op op;
    lists l;
    kni_atom a[3], both[2];
    kna_begin(&op, name);
    kna_given_pointer(&op, numbers, "dimension_numbers");
    knlax_same_dtypes(&op, 2, (kn_array[]){x[0], x[2]}, both);
    a[0] = both[0];
    a[1] = kna_in(&op, x[1]);
    a[2] = both[1];
    kni_p_scatter p = {.update_window_dims = list_of(&op, &l, 0, &d->update_window_dims, "update_window_dims"),
                       .inserted_window_dims = list_of(&op, &l, 1, &d->inserted_window_dims, "inserted_window_dims"),
                       .scatter_dims_to_operand_dims =
                           list_of(&op, &l, 2, &d->scatter_dims_to_operand_dims, "scatter_dims_to_operand_dims"),
                       .operand_batching_dims = list_of(&op, &l, 3, &d->operand_batching_dims, "operand_batching_dims"),
                       .scatter_indices_batching_dims =
                           list_of(&op, &l, 4, &d->scatter_indices_batching_dims, "scatter_indices_batching_dims"),
                       .mode = mode_of(&op, o.mode, KN_GATHER_FILL),
                       .indices_are_sorted = o.indices_are_sorted,
                       .unique_indices = o.unique_indices};
    return kna_end(&op, kna_failed(&op) ? KN_ATOM_NONE : knb_emit1(op.b, row, &p, 3, a));
}

#define SCATTER(function, name)                                                                                     \
    kn_array function(kn_array x, kn_array indices, kn_array updates,                                               \
                      const kn_lax_scatter_dimension_numbers *dimension_numbers, const kn_lax_gather_opts *opts)    \
    {                                                                                                               \
        return scatter("lax." #name, &knp_prim_##name, (kn_array[]){x, indices, updates}, dimension_numbers, opts); \
    }
SCATTER(kn_lax_scatter, scatter)
SCATTER(kn_lax_scatter_add, scatter_add)
SCATTER(kn_lax_scatter_sub, scatter_sub)
SCATTER(kn_lax_scatter_mul, scatter_mul)
SCATTER(kn_lax_scatter_min, scatter_min)
SCATTER(kn_lax_scatter_max, scatter_max)

/* ---- index_take. */

/* Vectors of n indices as a column of a matrix, modulo the extent. */
static kni_atom column(kna_op *op, kn_array index, kn_dtype d, int64_t extent)
{
    kni_atom i = kna_in_as(op, index, d);
    kni_type t = knb_type(op->b, i);
    if (!kna_failed(op) && t.ndim != 1)
        kna_fail(op, KN_ERROR_TYPE, "indices must be arrays of one dimension, got %d", t.ndim);
    if (kna_failed(op))
        return i;
    kni_atom size = knb_dimension(op->b, d, extent);
    i = knb_rem(op->b, i, size);
    if (d->kind != 'u') {
        kni_atom below = knb_lt(op->b, i, knb_integer(op->b, d, 0));
        i = knb_select_n(op->b, below, 2, (kni_atom[]){i, knb_add(op->b, i, size)});
    }
    return knb_broadcast_in_dim(op->b, i, 2, (int64_t[]){t.dim[0], 1}, (int64_t[]){0});
}

kn_array kn_lax_index_take(kn_array x, kn_list indices, const kn_axes *axes)
{
    kna_op op;
    const kn_array *index = NULL;
    int64_t axis[KN_MAX_NDIM], offset[KN_MAX_NDIM], sizes[KN_MAX_NDIM];
    kni_atom columns[KN_MAX_NDIM];
    kna_begin(&op, "lax.index_take");
    axes = kna_axes_of(&op, axes);
    kni_atom a = kna_in(&op, x);
    kni_type t = knb_type(op.b, a);
    int n = kntree_list_read(&op, indices, &index), given = kna_failed(&op) ? 0 : knlax_axes(&op, axes, t.ndim, axis);
    if (!kna_failed(&op) && (n != given || !n))
        kna_fail(&op, KN_ERROR_VALUE, "takes one array of indices for each axis, got %d for %d axes", n, given);
    kn_dtype d = kna_failed(&op) ? KN_DT(I64) : kna_result_type(&op, n, index);
    for (int k = 0; k < n && !kna_failed(&op); k++)
        columns[k] = column(&op, index[k], d, t.dim[axis[k]]);
    if (kna_failed(&op))
        return kna_end(&op, KN_ATOM_NONE);
    kni_p_gather p = {.mode = KN_GATHER_PROMISE};
    for (int k = 0; k < t.ndim; k++) {
        bool taken = false;
        for (int i = 0; i < n; i++)
            taken |= axis[i] == k;
        sizes[k] = taken ? 1 : t.dim[k];
        if (!taken)
            offset[p.offset_dims.n] = p.offset_dims.n + 1, p.offset_dims.n++;
    }
    int64_t collapsed[KN_MAX_NDIM];
    for (int k = 0; k < t.ndim; k++)
        for (int i = 0; i < n; i++)
            if (axis[i] == k)
                collapsed[p.collapsed_slice_dims.n++] = k;
    p.offset_dims.v = offset;
    p.collapsed_slice_dims.v = collapsed;
    p.start_index_map = (kni_ints){n, axis};
    p.slice_sizes = (kni_ints){t.ndim, sizes};
    kni_atom places = n == 1 ? columns[0] : knb_concatenate(op.b, n, columns, 1);
    return kna_end(&op, knb_gather(op.b, a, places, &p));
}
