/* SPDX-License-Identifier: Apache-2.0
 * internal.h -- what the functions of NumPy share: options, dtypes, broadcasting, axes. */
#ifndef KN_LIB_INTERNAL_H
#define KN_LIB_INTERNAL_H
#include "array/storage.h"
#include "base/options.h"
#include "kiln/function.h"
#include "kiln/numpy.h"
#include "kiln/special.h"

/* numpy/ufunc/table.c */
const char *knl_ufunc_name(kn_ufunc f);
/* numpy/mathematics/ufunc.c: the functions of two arrays of one dtype by their numbers. */
bool knl_ufunc_has_formula(kn_ufunc f); /* is it one of these? (any number; not the logical ones) */
/* f of x and y in dtype d (knl_ufunc_dtype), both broadcast to this shape. xa: stands for x, whose dtype it has;
 * KN_ATOM_NONE: x itself. */
kni_atom knl_apply(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, kni_atom xa, kn_array y, const kn_shape *shape);
kn_dtype knl_ufunc_dtype(kna_op *op, kn_ufunc f, kn_array x, kn_array y); /* in which f computes */
/* f of two scalars that are there, computed in dtype d, and the result's dtype; NULL: the ordinary path has to.
 * element: x's bits, of dtype d; NULL: x itself. */
kn_dtype knl_scalar_ufunc(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, const void *element, kn_array y,
                          knx_scalar_bits *result);
/* The same of short arrays, which ends the operation; NULL: the ordinary path goes on. */
kn_array knl_short_ufunc(kna_op *op, kn_ufunc f, kn_dtype d, kn_array x, kn_array y, const kn_shape *shape);
/* f of operands of the dtype that it computes in, each of this shape or a scalar. Not for those that give truth values,
 * whose knl_ufunc_dtype is an error. */
kni_atom knl_ufunc_formula(kni_builder *b, kn_ufunc f, kni_atom x, kni_atom y, const kn_shape *shape);
/* ValueError where an integer of dtype d has a negative power: elements of y, if any has to be computed. */
void knl_check_powers(kna_op *op, kn_array y, kn_dtype d, const kn_shape *shape);
kn_array knl_binary(kn_ufunc f, kn_array x, kn_array y); /* f, but for those that give truth values */
/* d may become to by 'same_kind', or NumPy's TypeError */
bool knl_output_fits(kna_op *op, kn_ufunc f, kn_dtype d, kn_dtype to);

/* operands.c */
/* As an operand of an elementwise primitive: a scalar as it is, else broadcast. */
kni_atom knl_spread(kna_op *op, kni_atom a, const kn_shape *shape);
kni_atom knl_operand(kna_op *op, kn_array x, kn_dtype d, const kn_shape *shape);
/* The dtype that a function of real numbers computes in: float16 for bool and 8 bits, float32 for 16, else the default
 * float. */
kn_dtype knl_float_for(kni_type t);
kn_dtype knl_inexact_for(kn_dtype d);                    /* the dtype itself if inexact, else the default float */
kni_atom knl_truth(kna_op *op, kni_atom a);              /* a != 0 */
kni_atom knl_less_than_infinity(kna_op *op, kni_atom a); /* isfinite */
kni_atom knl_self_equal(kna_op *op, kni_atom a);         /* not isnan */
kni_atom knl_select(kna_op *op, kni_atom which, kni_atom yes, kni_atom no, const kn_shape *shape);
void knl_not_supported(kna_op *op, const char *function); /* TypeError for the input types */
kni_atom knl_in_number(kna_op *op, kn_array x);           /* bool counts as int8 where NumPy has no loop for it */
/* casting.c: the option .casting, or what is meant without one; ValueError for what is no name up to `most`. */
knx_casting knl_casting(kna_op *op, const char *casting, knx_casting otherwise, knx_casting most);
const char *knl_casting_name(knx_casting how);
/* NumPy's TypeError where knx_can_cast says no. what: "array data" or "scalar" */
void knl_cannot_cast(kna_op *op, const char *what, kn_dtype from, kn_dtype to, knx_casting how);
/* A function of the table ir/unary.def; `traits` is its column of dtypes. */
kn_array knl_unary(kn_array x, const char *name, kni_atom (*f)(kni_builder *b, kni_atom x), const char *traits);
bool knl_not_a_number(kna_op *op, const char *function, kn_dtype d); /* TypeError for random keys */

/* numpy/dtypes/same_value.c: ValueError if the elements of x, which are looked at, are others in dtype `to` */
void knl_check_same_value(kna_op *op, kn_array x, kn_dtype to);

/* numpy/dtypes/stored.c: what is only stored as float32, int8 or uint8, and a value of a dtype that computes
 * stored. knl_as is kna_in_as that does so, too; knl_full is knb_full. */
kni_atom knl_stored_value(kni_builder *b, kni_atom x);
kni_atom knl_store_value(kni_builder *b, kni_atom x, kn_dtype d);
kni_atom knl_as(kna_op *op, kn_array x, kn_dtype d);
kni_atom knl_full(kni_builder *b, kni_type t, double v);

/* numpy/logic/comparisons.c */
bool knl_names_extent(kna_op *op, kn_array x, int64_t *extent); /* is x a C number that is an expression? */
bool knl_weak_integer(kna_op *op, kn_array x, bool *is_unsigned, knx_scalar_bits *bits); /* is x one? its value */
int knl_beyond(kna_op *op, kn_array x,
               kn_dtype d); /* 1 if the weak integer x lies above all values of integer dtype d, -1 if below */

/* shapes.c */
kni_type knl_shaped(kn_dtype d, const kn_shape *shape); /* points into *shape */
kn_shape knl_shape_of(kna_op *op, kni_atom a);
kni_atom knl_reversed(kna_op *op, kni_atom a); /* the axes the other way round */
bool knl_is_writeable(kna_op *op, kn_array x, const char *what); /* or ValueError: `what` is read-only */
bool knl_too_many_axes(kna_op *op, int64_t ndim); /* ValueError for more than an array can have */
/* Is a number that the user gave an extent of a traced array? While there is no scope it is a large number. */
static inline bool knl_is_extent(int64_t v) { return knx_is_symbolic(v) && knx_dim_now(); }
/* A number that the user gave for positions of an axis: one beyond all of them is as good as the next to the last. */
int64_t knl_within(int64_t v, int64_t extent);
/* A position from the end if negative, cut to low .. high, as the bound of a slice is. */
int64_t knl_cut(int64_t at, int64_t extent, int64_t low, int64_t high);
/* A number that a function makes of its arguments: a literal of a trace, else an operand of the plan, so that there is
 * one plan for all of them. knl_number_of: an extent, or a position. */
kni_atom knl_number(kna_op *op, kn_dtype d, knx_scalar_bits bits);
kni_atom knl_number_of(kna_op *op, kn_dtype d, int64_t n);
kni_atom knl_flatten(kna_op *op, kni_atom a);
kni_atom knl_reshape(kna_op *op, kni_atom a, const kn_shape *shape);
/* these (sorted) axes become one, the last */
kni_atom knl_axes_last(kna_op *op, kni_atom a, int n, const int64_t *axes);
kni_atom knl_insert_axes(kna_op *op, kni_atom a, const kn_shape *shape, const bool *is_new); /* new axes of extent 1 */
kni_atom knl_keep_axes(kna_op *op, kni_atom reduced, kni_type before, int n, const int64_t *axes); /* keepdims */
/* ValueError of a value that is put somewhere */
void knl_cannot_broadcast(kna_op *op, kni_type from, const kn_shape *to);
bool knl_lies_in_fortran_order(kna_op *op, kn_array x);
/* orders.c: ends with y, the reduction of x over these (sorted) axes, which it has as axes of extent 1 if `kept`; its
 * axes lie in memory as those of x do, and of the mask beside it (NULL: none). */
kn_array knl_end_reduced(kna_op *op, kni_atom y, kn_array x, kn_array where, int n, const int64_t *axes, bool kept);
/* Ends with two results of a function that goes element by element. */
void knl_end_two(kna_op *op, const kni_atom parts[2], kn_array y[2], int n, const kn_array *operands);
/* Ends with y, made of arrays with its axes, but for the axis `fresh` of y (-1: none), put one behind the other. */
kn_array knl_end_joined(kna_op *op, kni_atom y, int n, const kn_array *x, int fresh);
bool knl_is_fortran(kna_op *op, kn_array x); /* Fortran-contiguous and not C-contiguous */
/* 'C', 'F' or (if keeps) 'K' for the option `order`; "A" is what x is; ValueError for others */
char knl_read_order(kna_op *op, const char *order, kn_array x, bool keeps);
/* The letter of the option .order, capital, C where it is not given; ValueError for anything but C, F, A and K. */
char knl_order(kna_op *op, const char *order);
bool knl_order_is_fortran(kna_op *op, const char *order); /* a ValueError for A and K, too */
/* numpy/manipulation/memory_order.c: x itself (a view) or, where dtype or order ('C', 'F', 'K' for any) differ or if
 * `copy`, a copy */
kn_array knl_in_order(const char *name, kn_array x, kn_dtype d, char order, bool copy);
/* The same of an axis or more. */
kn_array knl_contiguous(const char *name, kn_array x, const kn_zeros_opts *opts, char order);
/* How many axes were given (KN_AXIS(...)): 0 for None, too, and where they cannot be axes. */
static inline int knl_axis_count(kna_op *op, kn_axes a) { return kna_axes_fit(op, a, "axis") && a.n > 0 ? a.n - 1 : 0; }

/* Axes as NumPy's normalize_axis_tuple reads them: an AxisError of any of them, then a ValueError "repeated axis". With
 * a name: "name: axis 2 is out ...", "repeated axis in `name` argument". Returns what kna_axes returns. */
int knl_axis_tuple(kna_op *op, kn_axes given, int ndim, const char *name, int64_t axes[KN_MAX_NDIM]);

/* numpy/indexing/indexing.c */
kni_atom knl_take_axis(kna_op *op, kni_atom x, kni_atom indices, int axis, int64_t mode);
/* numpy/indexing/take.c: the elements at indices[...] along an axis; both have the same extents elsewhere, or 1 */
kni_atom knl_take_along(kna_op *op, kni_atom x, kni_atom indices, int axis, int64_t mode);
kni_atom knl_wrap(kna_op *op, kni_atom index, int64_t extent); /* negative ones count from the end; int64 */

/* numpy/reductions/reductions.c: maximum, minimum; of fmax and fmin, which leave NaN out, these ufuncs' names */
/* ValueErrors of a mask (`where`) that x would have to be broadcast to: NumPy's, of a reduction or of a mean */
void knl_check_where(kna_op *op, kni_type x, kn_array where, bool of_ufunc);
kn_array knl_variance(const char *name, kn_array x, const kn_var_opts *opts, bool root, bool nan);
kn_array knl_extreme(const char *name, const char *ufunc, kn_array x, const kn_max_opts *opts, bool largest);

/* numpy/sorting/nan_order.c: NumPy's order, NaN last, of complex numbers those whose imaginary part is NaN before
 * those whose real part is. */
kni_atom knl_sorts_before(kna_op *op, kni_atom x, kni_atom y); /* is x < y in that order? */
/* n arrays, rearranged by the first n_key of them along an axis; stable */
void knl_sort(kna_op *op, int n, const kni_atom *x, int axis, int n_key, kni_atom *out);
kni_atom knl_argsort(kna_op *op, int n, const kni_atom *x, int axis); /* int64 positions, by n keys; stable */
/* the largest element first; NaN last all the same; stable */
kni_atom knl_sort_descending(kna_op *op, kni_atom x, int axis);
kni_atom knl_argsort_descending(kna_op *op, kni_atom x, int axis);
/* Elements, or their positions, at int64 ranks of that order, which have x's number of axes, the others of extent 1 or
 * as x's; whole: all of x in an order that has them in their places. Ranks that there are not mean the nearest one. */
kni_atom knl_partition(kna_op *op, kni_atom x, kni_atom ranks, int axis, bool whole, bool positions, bool descending);
/* Numbers of the opposite order, but that NaN stays NaN */
kni_atom knl_opposite(kna_op *op, kni_atom x);
/* Integers in the order of the real numbers x, NaN the least of all */
kni_atom knl_order_image(kna_op *op, kni_atom x);
/* How many elements of the sorted vector a come before each of v (right: before or equal); int64 */
kni_atom knl_search(kna_op *op, kni_atom a, kni_atom v, bool right);

/* numpy/products/products.c */
kn_array knl_vecdot(kn_array x, kn_array y, int axis);

/* numpy/manipulation/views.c: the elements of the last axis, which lie side by side, as those of another size */
kni_atom knl_bytes_as(kna_op *op, kni_atom a, kn_dtype d);

/* numpy/products/diagonals.c: the diagonal as a view, behind the other axes */
kn_array knl_diagonal(const char *name, kn_array x, int64_t offset, int axis1, int axis2);

/* numpy/indexing/choose.c: the remainder of a division by n that is not negative, int64 */
kni_atom knl_remainder(kna_op *op, kni_atom x, int64_t n);

/* numpy/indexing/index_parse.c: an index string as items. */
typedef enum { KNL_INTEGER, KNL_SLICE, KNL_ELLIPSIS, KNL_NEW_AXIS, KNL_ARRAY } knl_item_kind;
typedef struct knl_bound {
    bool given, operand;
    int64_t value;
} knl_bound; /* operand: came with a %, not structure */
typedef struct knl_item {
    knl_item_kind kind;
    knl_bound start, stop, step; /* of a slice; an integer has `start` */
    kn_array array;              /* integers or booleans */
} knl_item;
enum { KNL_MAX_ITEMS = 2 * KN_MAX_NDIM };
/* Fills item[] and returns their number, or fails: syntax, number of arguments, kinds. */
int knl_parse_index(kna_op *op, const char *text, int n_args, const kn_index_arg *args, knl_item item[KNL_MAX_ITEMS]);

/* numpy/reductions/reductions.c: the option .initial as a value of dtype d; a floating C number becomes an integer as
 * Python's int does it, or is NumPy's error */
kni_atom knl_initial(kna_op *op, kn_array initial, kn_dtype d);

/* numpy/linalg/determinants.c: of the matrices in the last two axes, of float64 or complex128 */
kni_atom knl_determinant(kni_builder *b, kni_atom a);
void knl_log_determinant(kni_builder *b, kni_atom a, kni_atom *sign, kni_atom *log);
/* The rows of the identity in the order of the permutation, of a's shape and dtype. */
kni_atom knl_permuted_identity(kni_builder *b, kni_type a, kni_atom permutation);
#endif
