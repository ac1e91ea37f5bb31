/* SPDX-License-Identifier: Apache-2.0
 * index_plan.h -- an index, worked through in steps. The basic part (slices, and integers where there are no arrays)
 * becomes slices, reversals and a squeeze. The arrays (with the integers beside them) become one gather, or the scatter
 * of a write. New axes are put in at the end. */
#ifndef KN_NUMPY_INDEXING_INDEX_PLAN_H
#define KN_NUMPY_INDEXING_INDEX_PLAN_H
#include "lib/internal.h"

typedef struct knn_index_axis { /* what happens to one axis of the operand */
    int64_t start, count, step; /* elements start, start + step, ... */
    int64_t stop;               /* where they end, if the count is an expression */
    bool operand;               /* the start is an operand, not structure */
    bool dropped;               /* an integer: the axis goes */
    int index;                  /* which index array reads it, or -1 */
} knn_index_axis;

typedef struct knn_index {
    kna_op *op;
    kni_atom x;                   /* the operand; once begun, its basic part */
    int ndim, n_items, n_index;
    bool looks;                   /* at index arrays, whether they are in bounds */
    bool scalar;                  /* an integer for each axis and nothing else: NumPy's result is no view */
    knn_index_axis axis[KN_MAX_NDIM];
    knl_item item[KNL_MAX_ITEMS + 1];
    kni_atom index[KN_MAX_NDIM];  /* broadcast index arrays: int64 */
    bool in_bounds[KN_MAX_NDIM];  /* they came from masks */
    kn_shape points;              /* their common shape */
    int gap_at;                   /* among the result's axes: where the points go */
    bool is_new[2 * KN_MAX_NDIM]; /* per axis of the result without points: from None */
    int n_result;                 /* how many those are */
} knn_index;

/* index_plan.c */
void knn_plan_index(knn_index *p); /* from the parsed items */
/* A slice of an axis with so many elements; p: has the operation, for its errors. */
void knn_plan_slice(knn_index *p, const knl_item *s, int64_t extent, knn_index_axis *a);

/* indexing.c */
/* Emits the basic part of an index on x; p->item and n_items were read. looks: outside of traces index arrays are
 * checked now. False with the op failed. */
bool knn_index_begin(knn_index *p, kna_op *op, kni_atom x, bool looks);
/* Do the items that were read name one element of an array of this type, and no view? Then at[] gets its positions. */
bool knn_index_element(const knn_index *p, kni_type x, int64_t *at);
/* Is an index array in memory, and are all its elements positions of an axis? If so, is one negative? False, and
 * perhaps negative, under traces. */
bool knn_are_inside(kna_op *op, kn_array index, int64_t extent, bool *negative);
kn_shape knn_index_shape(knn_index *p); /* of the result */
kni_atom knn_index_read(knn_index *p);  /* the elements; indices are checked */
/* The basic part with v, of the result's shape, put in by a scatter (`put`, or knb_scatter if NULL); without index
 * arrays v as it is. *place: where that belongs, see kna_put. */
typedef kni_atom (*knn_scatter)(kni_builder *b, kni_atom x, kni_atom indices, kni_atom updates, const kni_p_scatter *p);
kni_atom knn_index_write(knn_index *p, knn_scatter put, bool check, kni_atom v, kni_atom *place);
/* The basic part with f of its elements and v put in, one point after the other. v has the result's shape and the dtype
 * that f computes in. There are index arrays. */
kni_atom knn_index_fold(knn_index *p, kn_ufunc f, kni_atom v);
#endif
