/* SPDX-License-Identifier: Apache-2.0
 * ufunc.h -- ufuncs as objects: NumPy's (ufuncs.def) and the user's own, which loops they have, and how they are
 * called. */
#ifndef KN_NUMPY_UFUNC_UFUNC_H
#define KN_NUMPY_UFUNC_UFUNC_H
#include "lib/compose.h"

enum { KNN_MOST_OPERANDS = 16 }; /* operands and results of a ufunc */

typedef struct knn_ufunc {
    const char *name;
    int n_in, n_out;
    void (*call)(const kn_array *x, kn_array *y); /* NumPy's: the public function */
    const char *loops;     /* "dd->d", each with a zero behind it, then an empty one; "": any dtypes */
    const char *signature; /* NULL: element by element */
    bool reorderable, not_of_bool, in_default_floats; /* see ufuncs.def */
    char identity_kind; /* 'b', 'i', 'f'; 0: none */
    double identity;
    const struct knn_own *own; /* the user's; NULL: NumPy's */
} knn_ufunc;

/* table.c. ValueError and NULL for a number that is none. */
const knn_ufunc *knn_ufunc_of(kna_op *op, kn_ufunc f);
#ifdef __clang_analyzer__
#define knn_ufunc_of(op, f) KNA_NULL_IF_FAILED(op, (knn_ufunc_of)(op, f))
#endif
const knn_ufunc *knn_ufunc_plain(kn_ufunc f); /* one of NumPy's, or NULL */
static inline bool knn_is_own(kn_ufunc f) { return f >= kn_ufunc_own_; }
kn_dtype knn_dtype_of_letter(char c); /* NULL: none of Kiln's */
/* ValueError, RuntimeError or TypeError if the ufunc cannot reduce, accumulate or reduceat (`method`). */
bool knn_reduces(kna_op *op, const knn_ufunc *u, const char *method);

/* resolve.c. The dtypes of operands and results of the loop for operands of these types. fixed: dtypes that the loop
 * must have, n_in + n_out of them, each NULL for any; NULL: none. Errors are NumPy's. */
bool knn_resolve(kna_op *op, const knn_ufunc *u, const kni_type *in, const kn_dtype *fixed, knx_casting how,
                 kn_dtype *loop);
bool knn_read_signature(kna_op *op, const knn_ufunc *u, const char *signature, kn_dtype dtype, kn_dtype *fixed);
bool knn_can_cast(kni_type from, kn_dtype to, knx_casting how); /* C numbers are of a kind, not of a dtype */
/* Operand i of a loop of this dtype, operand or result, or TypeError. */
bool knn_check_cast(kna_op *op, const knn_ufunc *u, int i, kni_type from, kn_dtype to, knx_casting how);

/* call.c: without options; y[k] are of the innermost scope. */
void knn_apply(const knn_ufunc *u, const kn_array *x, kn_array *y);

/* formula.c: a ufunc of one result, of n operands of the dtypes of one of its loops and of one shape. */
kni_atom knn_formula(kna_op *op, kni_builder *b, kn_ufunc f, int n, const kni_atom *x);

/* numpy/mathematics/ufunc_methods.c: what sums and products of this dtype are computed in. */
kn_dtype knn_widened(kn_ufunc f, kn_dtype d);

/* own.c: the user's ufuncs. */
const knn_ufunc *knn_own_of(kn_ufunc f); /* NULL: none */
kn_ufunc knn_own_named(const char *name);
void knn_own_apply(const knn_ufunc *u, const kn_array *x, kn_array *y);
bool knn_own_is_primitive(const knn_ufunc *u);
/* As an equation of its primitive. */
kni_atom knn_own_formula(kna_op *op, kni_builder *b, const knn_ufunc *u, const kni_atom *x);
#endif
