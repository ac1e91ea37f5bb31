/* SPDX-License-Identifier: Apache-2.0
 * index_plan.h -- an index, worked through in steps. The basic part (slices, and integers where there are no arrays)
 * becomes slices, reversals and a squeeze. The arrays (with the integers beside them) become one gather, or the scatter
 * of a write. New axes are put in at the end. */
#ifndef KN_NUMPY_INDEXING_INDEX_PLAN_H
#define KN_NUMPY_INDEXING_INDEX_PLAN_H
#include "host/routine/windows.h"
#include "lib/internal.h"

typedef struct knn_index_axis { /* what happens to one axis of the operand */
    int64_t start, count, step; /* elements start, start + step, ... */
    int64_t stop;               /* where they end, if the count is an expression */
    bool operand;               /* the start is an operand, not structure */
    bool dropped;               /* an integer: the axis goes */
    int index;                  /* which index array reads it, or -1 */
} knn_index_axis;

typedef struct knn_index_array { /* positions of one axis */
    kn_array given;  /* NULL: `atom` has them, or they are one number */
    kni_atom atom;   /* int64, none is negative; KN_ATOM_NONE: not made yet */
    int64_t number;
    kni_type type;
    const void *at;  /* their elements, if those were looked at; else NULL */
    bool negative, in_bounds; /* some may be; none is outside */
} knn_index_array;

/* The slice that an index is. */
typedef struct knn_slices {
    int64_t start[KN_MAX_NDIM], limit[KN_MAX_NDIM], step[KN_MAX_NDIM];
    bool whole, steps; /* it leaves nothing out; some steps are not 1 */
} knn_slices;

typedef struct knn_index {
    kna_op *op;
    kni_atom x;                   /* once begun: the operand's basic part */
    int ndim, n_items, n_index;
    int64_t dim[KN_MAX_NDIM];     /* the operand's, with an axis of extent 1 ... */
    int n_expanded, expanded[KN_MAX_NDIM]; /* ... for each boolean scalar, put in here one after the other */
    bool looks;                   /* at index arrays, whether they are in bounds */
    bool scalar;                  /* an integer for each axis and nothing else: NumPy's result is no view */
    bool sliced;                  /* it is these slices, and nothing else */
    knn_slices slices;
    knn_index_axis axis[KN_MAX_NDIM];
    knl_item item[KNL_MAX_ITEMS + 1];
    knn_index_array array[KN_MAX_NDIM];
    kn_shape points;              /* their common shape */
    int gap_at;                   /* among the result's axes: where the points go */
    bool is_new[2 * KN_MAX_NDIM]; /* per axis of the result without points: from None */
    int n_result;                 /* how many those are */
} knn_index;

/* index_plan.c */
/* From the parsed items, for an array of type x; no equation is made. looks: outside of traces index arrays are checked
 * now. False with the op failed. */
bool knn_plan_index(knn_index *p, kna_op *op, kni_type x, bool looks);
/* Of positions of one axis alone, and all of the others. */
void knn_plan_axis(knn_index *p, kna_op *op, kni_type x, int axis, const knn_index_array *at);
/* A slice of an axis with so many elements; p: has the operation, for its errors. */
void knn_plan_slice(knn_index *p, const knl_item *s, int64_t extent, knn_index_axis *a);

/* Positions that are given, perhaps outside, and perhaps negative. They are looked at if they are in memory, or if
 * `looks` and that is no wait for a device, which finds out by itself then; never under traces. */
knn_index_array knn_index_given(kna_op *op, kn_array index, int64_t extent, bool looks);
/* Sees what can be seen: whether they are outside or negative. */
void knn_index_check(knn_index_array *a, int64_t extent);
/* The error of those that are outside. */
void knn_index_refuse(kna_op *op, const knn_index_array *a, int axis, int64_t extent);
/* One axis as a slice has it; backwards from its last element. */
void knn_slice_of(const knn_index_axis *a, int64_t *start, int64_t *limit, int64_t *step);
/* Outside of traces, for an array of type t: is the index forward slices alone, whose starts are no operands? The most
 * frequent one by far, and simple. False also after an error. */
bool knn_are_slices(knn_index *p, kni_type t, knn_slices *s);

/* indexing.c */
/* Emits the basic part of an index that was planned on x. False with the op failed. */
bool knn_index_begin(knn_index *p, kni_atom x);
/* Do the items that were read name one element of an array of this type, and no view? Then at[] gets its positions. */
bool knn_index_element(const knn_index *p, kni_type x, int64_t *at);
int knn_axes_before(const knn_index *p); /* of those that no array reads: so many come before the points */
void knn_index_shape(knn_index *p, kn_shape *shape); /* of the result */
kni_atom knn_index_read(knn_index *p);  /* the elements; indices are checked */
/* The basic part with v, of the result's shape, put in by a scatter (`put`, or knb_scatter if NULL); without index
 * arrays v as it is. *place: where that belongs, see kna_put. */
typedef kni_atom (*knn_scatter)(kni_builder *b, kni_atom x, kni_atom indices, kni_atom updates, const kni_p_scatter *p);
kni_atom knn_index_write(knn_index *p, knn_scatter put, bool check, kni_atom v, kni_atom *place);
/* The basic part with f of its elements, in dtype d, and v put in, one point after the other. v has the result's shape
 * and a dtype that f takes; KN_ATOM_NONE: f has one argument. There are index arrays. */
kni_atom knn_index_fold(knn_index *p, kn_ufunc f, kn_dtype d, kni_atom v);

/* few.c */
/* The elements that a planned index names, read at once: their number is small, and everything is in memory. Fills *t,
 * whose extents are in dim. NULL: the ordinary path has to do it. */
knx_buffer *knn_few_read(knn_index *p, kn_array x, kni_type *t, int64_t dim[KN_MAX_NDIM]);
/* The same for v, of the result's shape and x's dtype or one number, which is put there or combined with what is there.
 * False: the ordinary path has to do it. */
bool knn_few_write(knn_index *p, kn_array x, kn_array v, knr_combine how);
/* y, of the result's shape and x's dtype, put where knn_few_read has read; it is computed for it. */
bool knn_few_put(knn_index *p, kn_array x, kni_atom y);
#endif
