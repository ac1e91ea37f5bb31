/* SPDX-License-Identifier: Apache-2.0
 * internal.h -- what the functions of NumPy share: options, dtypes, broadcasting, axes. */
#ifndef KN_LIB_INTERNAL_H
#define KN_LIB_INTERNAL_H
#include "array/storage.h"
#include "base/options.h"
#include "kiln/function.h"
#include "kiln/numpy.h"
#include "kiln/special.h"

/* numpy/mathematics/ufunc.c: a function of two arrays by its number. */
const char *knn_ufunc_name(kn_ufunc f);
bool knn_ufunc_exists(kna_op *op, kn_ufunc f); /* ValueError if not */
/* f of x and y in dtype d (knn_ufunc_dtype), both broadcast to this shape. xa: stands for x, whose dtype it has;
 * KN_ATOM_NONE: x itself. */
kn_atom knn_apply(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, kn_atom xa, kn_array y, const kn_shape *shape);
kn_dtype knn_ufunc_dtype(kna_op *op, kn_ufunc f, kn_array x, kn_array y); /* in which f computes */
/* f of two scalars that are there, computed in dtype d, and the result's dtype; NULL: the ordinary path has to.
 * element: x's bits, of dtype d; NULL: x itself. */
kn_dtype knn_scalar_ufunc(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, const void *element, kn_array y,
                          kn_scalar_bits *result);
/* f of operands of the dtype that it computes in, each of this shape or a scalar. Not for those that give truth values,
 * whose knn_ufunc_dtype is an error. */
kn_atom knn_ufunc_formula(kn_builder *b, kn_ufunc f, kn_atom x, kn_atom y, const kn_shape *shape);
kn_array knn_binary(kn_ufunc f, kn_array x, kn_array y); /* f, but for those that give truth values */
kn_array knn_ufunc_whole(kn_ufunc f, kn_array x, kn_array y); /* the public function */
/* d may become to by 'same_kind', or NumPy's TypeError */
bool knn_output_fits(kna_op *op, kn_ufunc f, kn_dtype d, kn_dtype to);

/* operands.c */
/* As an operand of an elementwise primitive: a scalar as it is, else broadcast. */
kn_atom knn_spread(kna_op *op, kn_atom a, const kn_shape *shape);
kn_atom knn_operand(kna_op *op, kn_array x, kn_dtype d, const kn_shape *shape);
/* The dtype that a function of real numbers computes in: float16 for bool and 8 bits, float32 for 16, else the default
 * float. */
kn_dtype knn_float_for(kn_type t);
kn_dtype knn_inexact_for(kn_dtype d);                  /* the dtype itself if inexact, else the default float */
kn_atom knn_truth(kna_op *op, kn_atom a);              /* a != 0 */
kn_atom knn_less_than_infinity(kna_op *op, kn_atom a); /* isfinite */
kn_atom knn_self_equal(kna_op *op, kn_atom a);         /* not isnan */
kn_atom knn_select(kna_op *op, kn_atom which, kn_atom yes, kn_atom no, const kn_shape *shape);
void knn_not_supported(kna_op *op, const char *function); /* TypeError for the input types */
kn_atom knn_in_number(kna_op *op, kn_array x); /* bool counts as int8 where NumPy has no loop for it */
/* A function of the table ir/unary.def; `traits` is its column of dtypes. */
kn_array knn_unary(kn_array x, const char *name, kn_atom (*f)(kn_builder *b, kn_atom x), const char *traits);
bool knn_not_a_number(kna_op *op, const char *function, kn_dtype d); /* TypeError for random keys */

/* numpy/logic/comparisons.c */
int knn_beyond(kna_op *op, kn_array x,
               kn_dtype d); /* 1 if the weak integer x lies above all values of integer dtype d, -1 if below */

/* shapes.c */
kn_type knn_shaped(kn_dtype d, const kn_shape *shape); /* points into *shape */
kn_shape knn_shape_of(kna_op *op, kn_atom a);
bool knn_too_many_axes(kna_op *op, int64_t ndim); /* ValueError for more than an array can have */
kn_atom knn_flatten(kna_op *op, kn_atom a);
kn_atom knn_reshape(kna_op *op, kn_atom a, const kn_shape *shape);
kn_atom knn_axes_last(kna_op *op, kn_atom a, int n, const int64_t *axes); /* these (sorted) axes become one, the last */
kn_atom knn_insert_axes(kna_op *op, kn_atom a, const kn_shape *shape, const bool *is_new); /* new axes of extent 1 */
kn_atom knn_keep_axes(kna_op *op, kn_atom reduced, kn_type before, int n, const int64_t *axes); /* keepdims */
bool knn_is_fortran(kna_op *op, kn_array x);           /* Fortran-contiguous and not C-contiguous */
/* 'C', 'F' or (if keeps) 'K' for the option `order`; "A" is what x is; ValueError for others */
char knn_read_order(kna_op *op, const char *order, kn_array x, bool keeps);
/* numpy/manipulation/memory_order.c: x itself (a view) or, where dtype or order ('C', 'F', 'K' for any) differ or if
 * `copy`, a copy */
kn_array knn_in_order(const char *name, kn_array x, kn_dtype d, char order, bool copy);
/* The same of an axis or more. */
kn_array knn_contiguous(const char *name, kn_array x, const kn_zeros_opts *opts, char order);
/* How many axes were given (KN_AXIS(...)): 0 for None, too, and where they cannot be axes. */
static inline int knn_axis_count(kna_op *op, kn_axes a)
{
    return kna_axes_fit(op, a, "axis") && a.n > 0 ? a.n - 1 : 0;
}

/* numpy/indexing/indexing.c */
kn_atom knn_take_axis(kna_op *op, kn_atom x, kn_atom indices, int axis, int64_t mode);
/* numpy/indexing/take.c: the elements at indices[...] along an axis; both have the same extents elsewhere, or 1 */
kn_atom knn_take_along(kna_op *op, kn_atom x, kn_atom indices, int axis, int64_t mode);
kn_atom knn_wrap(kna_op *op, kn_atom index, int64_t extent); /* negative ones count from the end; int64 */

/* numpy/reductions/reductions.c: maximum, minimum; of fmax and fmin, which leave NaN out, these ufuncs' names */
kn_array knn_variance(const char *name, kn_array x, const kn_var_opts *opts, bool root, bool nan);
kn_array knn_extreme(const char *name, const char *ufunc, kn_array x, const kn_max_opts *opts, bool largest);

/* numpy/sorting/nan_order.c: NumPy's order, NaN last, of complex numbers those whose imaginary part is NaN before
 * those whose real part is. */
kn_atom knn_sorts_before(kna_op *op, kn_atom x, kn_atom y); /* is x < y in that order? */
/* n arrays, rearranged by the first n_key of them along an axis; stable */
void knn_sort(kna_op *op, int n, const kn_atom *x, int axis, int n_key, kn_atom *out);
/* n arrays by the first one, the largest element first; NaN last all the same; stable */
void knn_sort_descending(kna_op *op, int n, const kn_atom *x, int axis, kn_atom *out);
/* Integers in the order of the real numbers x, NaN the least of all */
kn_atom knn_order_image(kna_op *op, kn_atom x);
/* How many elements of the sorted vector a come before each of v (right: before or equal); int64 */
kn_atom knn_search(kna_op *op, kn_atom a, kn_atom v, bool right);

/* numpy/products/products.c */
kn_array knn_vecdot(kn_array x, kn_array y, int axis);

/* numpy/products/diagonals.c: the diagonal as a view, behind the other axes */
kn_array knn_diagonal(const char *name, kn_array x, int64_t offset, int axis1, int axis2);

/* numpy/indexing/choose.c: the remainder of a division by n that is not negative, int64 */
kn_atom knn_remainder(kna_op *op, kn_atom x, int64_t n);

/* numpy/indexing/index_parse.c: an index string as items. */
typedef enum { KNN_INTEGER, KNN_SLICE, KNN_ELLIPSIS, KNN_NEW_AXIS, KNN_ARRAY } knn_item_kind;
typedef struct knn_bound {
    bool given, operand;
    int64_t value;
} knn_bound; /* operand: came with a %, not structure */
typedef struct knn_item {
    knn_item_kind kind;
    knn_bound start, stop, step; /* of a slice; an integer has `start` */
    kn_array array;              /* integers or booleans */
} knn_item;
enum { KNN_MAX_ITEMS = 2 * KN_MAX_NDIM };
/* Fills item[] and returns their number, or fails: syntax, number of arguments, kinds. */
int knn_parse_index(kna_op *op, const char *text, int n_args, const kn_index_arg *args, knn_item item[KNN_MAX_ITEMS]);

/* numpy/reductions/reductions.c: the option .initial as a value of dtype d; a floating C number becomes an integer as
 * Python's int does it, or is NumPy's error */
kn_atom knn_initial(kna_op *op, kn_array initial, kn_dtype d);

/* numpy/linalg/determinants.c: of the matrices in the last two axes, of float64 or complex128 */
kn_atom knn_determinant(kn_builder *b, kn_atom a);
void knn_log_determinant(kn_builder *b, kn_atom a, kn_atom *sign, kn_atom *log);
/* The rows of the identity in the order of the permutation, of a's shape and dtype. */
kn_atom knn_permuted_identity(kn_builder *b, kn_type a, kn_atom permutation);
#endif
