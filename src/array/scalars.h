/* SPDX-License-Identifier: Apache-2.0
 * scalars.h -- arithmetic with few elements: elementwise functions of scalars, and of short arrays, whose values are
 * there; and the routines whose rows say that they are worth it (`ready`).
 *
 * A node, a cut and the search for a plan cost a hundred times what the arithmetic with one element does, and more than
 * that with a thousand. So what is asked for often has a compiled function of its own, for arrays one for each length,
 * which computes the result at once; its bits are those of a plan. The first times it waits in the recording as
 * everything else does, for code is made only for what comes again. Outside of traces only, and neither where lazy
 * recording is off nor where equations are watched; arrays on the host alone. */
#ifndef KN_ARRAY_SCALARS_H
#define KN_ARRAY_SCALARS_H
#include "array/op.h"

enum { KNA_MOST_SCALARS = 4 };          /* operands */
typedef struct kna_scalars kna_scalars; /* the functions of a context */
void kna_scalars_free(kna_scalars *s);  /* NULL is fine */

/* The result of an equation, or NULL: it has to be recorded. in[i] NULL: literals[i] is the operand. */
kna_value *kna_scalars_equation(const kni_draft_eqn *e, kna_value *const *in, const kni_literal *literals,
                                kni_type result);

/* Elementwise equations, written for number `which` of some functions and operands of this shape; for vectors alone any
 * that have a vector for a result. */
typedef kni_atom (*kna_scalar_formula)(kni_builder *b, int which, const kni_atom *x, const kn_shape *shape);
/* The formula's result for n operands of dtype d, and its dtype; NULL: the ordinary path has to find out. */
kn_dtype kna_scalars_formula(kna_scalar_formula formula, int which, int n, kn_dtype d, const void *const *x,
                             knx_scalar_bits *result);
/* Ends the operation with the formula's result for arrays of this shape and dtype d, or scalars beside them that become
 * d; NULL: nothing was done, the ordinary path goes on. */
kn_array kna_short_formula(kna_op *op, kna_scalar_formula formula, int which, int n, kn_dtype d, const kn_array *x,
                           const kn_shape *shape);
/* The bits of x as a scalar of dtype d, in memory or, if it is a C number, in *room; NULL if they are not there, or
 * something has to be said or recorded to convert them. */
const void *kna_scalar_there(kna_op *op, kn_array x, kn_dtype d, knx_scalar_bits *room);
#endif
