/* SPDX-License-Identifier: Apache-2.0
 * index.h -- what gather and the scatters have in common: a table, the starts of windows in it, and a dense array of
 * such windows. The dense array's dimensions are those of the points (all of the indices' but the last one) and, at
 * `window`, those of the windows. */
#ifndef KN_PRIM_INDEX_INDEX_H
#define KN_PRIM_INDEX_INDEX_H
#include "prim/rules.h"
#include "host/routine/windows.h"

typedef struct knp_indexing {
    kni_ints window;        /* dimensions of the dense array: offset_dims, update_window_dims */
    kni_ints dropped;       /* of the table, with windows of extent 1: collapsed_slice_dims, inserted_window_dims */
    kni_ints index_map;     /* the table's dimension for each number of a start */
    kni_ints table_batching; /* of the table, paired with ... */
    kni_ints index_batching; /* ... dimensions of the indices */
    int64_t mode;
    bool is_sorted, is_unique, wraps;
} knp_indexing;

knp_indexing knp_indexing_of_gather(const kni_p_gather *p);
knp_indexing knp_indexing_of_scatter(const kni_p_scatter *p);
kni_p_gather knp_gather_params(const knp_indexing *x, kni_ints slice_sizes);
kni_p_scatter knp_scatter_params(const knp_indexing *x);

/* TypeErrors for dimension numbers that do not fit each other. `op` names the primitive. */
knx_error *knp_check_indexing(const char *op, const knp_indexing *x, kni_type table, kni_type indices, int dense_ndim);
/* The extents of the windows in the table, given those in the dense array. */
knp_dims knp_window_sizes(const knp_indexing *x, kni_type table, kni_type dense);
void knp_describe_windows(const knp_indexing *x, kni_type table, kni_type indices, kni_type dense, kni_ints sizes,
                          bool gathers, knr_windows *w);

/* The largest start along a dimension of the table, given the extents of the windows; -1: there is none. */
int64_t knp_largest_start(const knp_indexing *x, kni_type table, kni_ints sizes, int64_t d);
/* What must hold for number i of a start, in words. The lists live in `lists`. */
typedef struct knp_bounds_lists {
    knp_dims axis, most, size;
} knp_bounds_lists;
kni_p_check_bounds knp_bounds_of(const knp_indexing *x, kni_type table, kni_ints sizes, knp_bounds_lists *lists);

/* Indices as they were given, before they were widened (from `least` bytes at least) and, axis by axis, what is
 * negative counted from the end: *wraps says whether that is to be done. KN_ATOM_NONE: nothing was done to them. For
 * `simplify` */
kni_atom knp_given_indices(kni_builder *b, kni_atom indices, kni_ints sizes, int least, bool *wraps);
kni_atom knp_simplify_indices(const kni_rule *r, knp_indexing *x, int least);

/* Per point: is a number of its start out of bounds? */
kni_atom knp_outside(kni_builder *b, kni_atom indices, const kni_p_check_bounds *p);

/* JAX's value for what is out of bounds: NaN, the smallest signed, the largest unsigned integer, True. */
knx_scalar_bits knp_fill_value(kn_dtype d, bool zero);

/* The same with the batch axis in front of the arrays that have one; the lists live in `lists`. */
typedef struct knp_indexing_lists {
    knp_dims window, dropped, index_map, table_batching, index_batching;
} knp_indexing_lists;
knp_indexing knp_batch_indexing(const knp_indexing *x, bool table, bool indices, knp_indexing_lists *lists);

/* Column `spread`: axes of the table, of windows and of points; join: the kni_factor_kind of a scatter's points, whose
 * parts are joined so; -1: they are whole. */
void knp_spread_windows(const kni_rule *r, const knp_indexing *x, bool gathers, kni_ints sizes, int join,
                        kni_spread *s);
/* Column `local`: the indices for the part of a table that is cut along axes that they move on, as int64: what is
 * outside of the part, or of the whole and not moved into it (`clips`), is negative. sizes: of the whole's windows. */
kni_atom knp_part_indices(const kni_rule *r, const kni_local *l, const knp_indexing *x, kni_ints sizes, bool clips);
bool knp_table_is_cut(const kni_local *l, const knp_indexing *x); /* along such an axis */
kni_atom knp_is_first(const kni_rule *r, const kni_local *l); /* has the device the first part of all joined factors? */

/* The mode of a derivative: indices were checked when the function itself ran, and nothing comes from outside. */
int64_t knp_mode_of_tangent(int64_t mode);
#endif
