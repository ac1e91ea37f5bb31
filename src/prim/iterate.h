/* SPDX-License-Identifier: Apache-2.0
 * iterate.h -- for rows that expand into loops: a while over arrays that runs until every element is done, and the
 * arithmetic of builders in few letters. */
#ifndef KN_PRIM_ITERATE_H
#define KN_PRIM_ITERATE_H
#include "prim/rules.h"
#include <math.h>

enum { KNP_MAX_ITERATED = 20 };

/* A loop in the making. Its first carry says which elements are not done (bool, of their shape); elements that are done
 * keep their carries. */
typedef struct knp_iteration {
    kni_builder *outer, body;
    int n_const, n;
    kni_atom init[KNP_MAX_ITERATED], in[KNP_MAX_ITERATED]; /* constants, then carries: outside and in the body */
    kni_type carry[KNP_MAX_ITERATED];
} knp_iteration;

/* `n` carries after `n_const` constants in init[]; carry 0 is the mask. The body is written with it->body, from
 * it->in[]. */
void knp_iterate(knp_iteration *it, kni_builder *outer, int n_const, int n, const kni_atom *init);
/* next[]: the carries after one round; next[0] is joined with the mask by `and`. out[]: what they are in the end. */
void knp_iterate_end(knp_iteration *it, const kni_atom *next, kni_atom *out);

/* Operands of one dtype, broadcast to the common shape; 16-bit floats become float32. Returns the dtype. */
kn_dtype knp_widen_operands(const kni_rule *r, kni_atom *x);
/* The result of such an expansion in the row's own dtype. */
kni_atom knp_narrow_result(const kni_rule *r, kni_atom y);

double knp_epsilon(kn_dtype d);     /* of float32 or float64 */
double knp_log_of_most(kn_dtype d); /* log of the largest number */
kni_atom knp_is_nan(kni_builder *b, kni_atom x);

/* Rows of floats that expand: their type rule. */
knx_error *knp_floats_type(kni_rule *r, kni_type *y);
#endif
