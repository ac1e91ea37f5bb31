/* SPDX-License-Identifier: Apache-2.0
 * operand.h -- operands of the functions of this folder. */
#ifndef KN_NN_OPERAND_H
#define KN_NN_OPERAND_H
#include "array/op.h"

kn_dtype knn_inexact(kna_op *op, int n, const kn_array *x); /* their result type; the default float if that is none with a fraction */
kn_atom knn_in(kna_op *op, kn_array x);                     /* x in that dtype */
#endif
