/* SPDX-License-Identifier: Apache-2.0
 * cond.h -- what the rules of cond share: cond.c has the row, cond_linear.c the derivatives, cond_batch.c batching. */
#ifndef KN_PRIM_CONTROL_COND_H
#define KN_PRIM_CONTROL_COND_H
#include "prim/body.h"
#include "prim/frame.h"

/* New branches in the place of others. */
typedef struct knp_branches {
    int n;
    kni_jaxpr **v; /* NULL: not made yet; in the builder's arena */
} knp_branches;
bool knp_branches_begin(knp_branches *t, kni_builder *b, int n);
void knp_branches_end(knp_branches *t); /* in every case */
/* Writes the equation; out gets its results. The last n_linear operands are tangents or cotangents. */
void knp_branches_emit(const knp_branches *t, kni_builder *b, const kni_atom *in, uint32_t n_linear, kni_atom *out);

/* Zeros of any type, keys too: what stands for a value that a branch does not have. */
kni_atom knp_blank(kni_builder *b, kni_type t);

knx_error *knp_cond_linearize(const kni_rule *r, const kni_atom *tx, kni_atom *y, kni_atom *ty);
knx_error *knp_cond_transpose(const kni_rule *r, const kni_atom *ct, kni_atom *ct_in);
knx_error *knp_cond_batch(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out);
#endif
