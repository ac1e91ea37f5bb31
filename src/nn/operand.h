/* SPDX-License-Identifier: Apache-2.0
 * operand.h -- operands of the functions of this folder. */
#ifndef KN_NN_OPERAND_H
#define KN_NN_OPERAND_H
#include "array/op.h"

/* The result type of the arrays, the default float for integers; NULL after errors. All but the first may be NULL. */
kn_dtype knnn_inexact(kna_op *op, int n, const kn_array *x);
kni_atom knnn_in(kna_op *op, kn_array x); /* x in that dtype */

/* softmax.c: along the last axis of a float */
kni_atom knnn_softmax_last(kna_op *op, kni_atom x);
kni_atom knnn_logsumexp_last(kna_op *op, kni_atom x);
#endif
