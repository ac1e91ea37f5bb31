/* SPDX-License-Identifier: Apache-2.0
 * own.h -- ufuncs of the user's own: a definition, and the primitive that it is, unless it is nothing but Kiln's
 * calls. */
#ifndef KN_NUMPY_UFUNC_OWN_H
#define KN_NUMPY_UFUNC_OWN_H
#include "kiln/primitive.h"
#include "numpy/ufunc/core.h"

typedef struct knn_own {
    knn_ufunc u; /* u.own is this */
    kn_ufunc_opts o;
    kn_primitive primitive; /* NULL: the calls of expression or compute are recorded as any others are */
    kn_function core;       /* compute as a function of core arrays */
} knn_own;

/* strips.c: loops as a primitive's run and shape. */
int knn_strips_shape(const kn_primitive_call *c, kn_aval *out);
int knn_strips_run(const kn_primitive_call *c, const void *const *x, void *const *y);

/* lift.c: what is defined for core arrays or scalars, of arrays with loop axes. */
void knn_lift_describe(knn_own *o); /* fills in o->core */
/* The user's function in Kiln's calls, as the primitive's or (primitive NULL) at once; 0, or an error was told. */
int knn_lift_compute(const kn_primitive_call *c, const kn_array *x, kn_array *y);
int knn_lift_expression(const kn_primitive_call *c, const kn_array *x, kn_array *y);
int knn_lift_jvp(const kn_primitive_call *c, const kn_array *x, const kn_array *y, int i, kn_array t, kn_array *ty);
int knn_lift_transpose(const kn_primitive_call *c, const kn_array *x, int i, const kn_array *ct, kn_array *ct_x);
#endif
