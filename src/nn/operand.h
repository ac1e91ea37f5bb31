/* SPDX-License-Identifier: Apache-2.0
 * operand.h -- operands of the functions of this folder. */
#ifndef KN_NN_OPERAND_H
#define KN_NN_OPERAND_H
#include "array/op.h"

/* The result type of the arrays, the default float for integers; NULL after errors. All but the first may be NULL. */
kn_dtype knnn_inexact(kna_op *op, int n, const kn_array *x);
kni_atom knnn_in(kna_op *op, kn_array x); /* x in that dtype */

/* float.c: the same, TypeError for complex numbers and keys; what is stored, and what is computed in: float32 for 16
 * bits. */
typedef struct knnn_float {
    kn_dtype stored, wide;
} knnn_float;
knnn_float knnn_floats(kna_op *op, int n, const kn_array *x);
void knnn_need_integers(kna_op *op, kn_array x, const char *name); /* or TypeError */
/* x, which has the extents of these axes of t, or none, as an operand beside an array of t's shape. ValueError with its
 * name. */
kni_atom knnn_along(kna_op *op, kn_array x, kn_dtype d, const char *name, kni_type t, int n, const int64_t *axes);

/* softmax.c: along the last axis of a float */
kni_atom knnn_softmax_last(kna_op *op, kni_atom x);
kni_atom knnn_logsumexp_last(kna_op *op, kni_atom x);
#endif
