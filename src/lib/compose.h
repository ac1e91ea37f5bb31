/* SPDX-License-Identifier: Apache-2.0
 * compose.h -- functions made of other public functions. A body is an operation with a scope of its own: what is made
 * inside goes when it ends, but for the results.
 *
 *     kn_array kn_fliplr(kn_array x)
 *     {
 *         knl_body c;
 *         knl_begin(&c, "fliplr");
 *         ...
 *         return knl_end(&c, (kn_flip)(x, &o));
 *     }
 *
 * Errors of the functions inside are carried by their results and reported once, under the outermost name. */
#ifndef KN_LIB_COMPOSE_H
#define KN_LIB_COMPOSE_H
#include "kiln/tree.h"
#include "lib/internal.h"

typedef struct knl_body {
    kna_op op;
    kn_scope scope;
} knl_body;

void knl_begin(knl_body *c, const char *name);
/* y must have been made inside; NULL after an error. An array with the error if the operation failed. */
kn_array knl_end(knl_body *c, kn_array y);
void knl_end_n(knl_body *c, int n, kn_array *y);
bool knl_end_plain(knl_body *c); /* where the result is no array: was all well? */
kn_list knl_end_list(knl_body *c, kn_list y); /* an empty list after an error */
/* The atom as an array made inside: a part of a body that speaks to the builder. It carries the body's error, if there
 * is one. */
kn_array knl_made(knl_body *c, kni_atom a);
/* The same in Fortran's order where x lies in that alone (orders.c). */
kn_array knl_made_like(knl_body *c, kni_atom a, kn_array x);

/* Options given on the spot, where what is not named is zero: KNL_WITH(kn_sum_opts, .axis = axis) */
#define KNL_WITH(T, ...) (&(const T){.size_ = sizeof(T), __VA_ARGS__})
/* May the values of x be looked at here? Checks of values are left out where not. */
bool knl_may_look(kn_array x);
/* numpy/mathematics/emath.c */
bool knl_any(knl_body *c, kn_array truth); /* is any element of this truth array true? Looked at */

/* The elements of an integer or boolean array as int64, looked at; *n receives how many, *ndim (if not NULL) the axes.
 * NULL with the op failed; else it is the caller's to free. `what` begins the TypeError for other dtypes. */
int64_t *knl_look_integers(kna_op *op, kn_array x, int64_t *n, int *ndim, const char *what);
/* Is x a real number that waits for a dtype? Then its value, so that what is computed of it can wait, too. */
bool knl_weak_value(kna_op *op, kn_array x, double *value);
/* Room for n integers, to be freed by knx_free; NULL and a failed operation without memory. */
int64_t *knl_integer_room(kna_op *op, int64_t n);
/* An int64 vector of these elements. */
kn_array knl_integers(const int64_t *v, int64_t n);
kn_axes knl_one_axis(int axis);
/* x[..., start:limit, ...] along an axis, as a view of x. */
kn_array knl_part(const char *name, kn_array x, int axis, int64_t start, int64_t limit);

/* Calls as operands of calls run from left to right, as builder calls do (ir/order.h). */
#define KNL_2(f, x, y) KNL_2_(__COUNTER__, f, x, y)
#define KNL_2_(c, f, x, y)                                                                                             \
    __extension__({ kn_array KNB_CAT(knn_x_, c) = (x); kn_array KNB_CAT(knn_y_, c) = (y);                              \
        (f)(KNB_CAT(knn_x_, c), KNB_CAT(knn_y_, c)); })
#define KNL_3(f, x, y, z) KNL_3_(__COUNTER__, f, x, y, z)
#define KNL_3_(c, f, x, y, z)                                                                                          \
    __extension__({ kn_array KNB_CAT(knn_x_, c) = (x); kn_array KNB_CAT(knn_y_, c) = (y);                              \
        kn_array KNB_CAT(knn_z_, c) = (z); (f)(KNB_CAT(knn_x_, c), KNB_CAT(knn_y_, c), KNB_CAT(knn_z_, c)); })
#define kn_add(x, y) KNL_2(kn_add, x, y)
#define kn_subtract(x, y) KNL_2(kn_subtract, x, y)
#define kn_multiply(x, y) KNL_2(kn_multiply, x, y)
#define kn_divide(x, y) KNL_2(kn_divide, x, y)
#define kn_arctan2(x, y) KNL_2(kn_arctan2, x, y)
#define kn_logical_and(x, y) KNL_2(kn_logical_and, x, y)
#define kn_logical_or(x, y) KNL_2(kn_logical_or, x, y)
#define kn_where(condition, x, y) KNL_3(kn_where, condition, x, y)
#endif
