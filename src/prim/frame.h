/* SPDX-License-Identifier: Apache-2.0
 * frame.h -- what rows with jaxprs inside of loops and branches share: writing a jaxpr around another one, and the
 * types of a carry. */
#ifndef KN_PRIM_FRAME_H
#define KN_PRIM_FRAME_H
#include "prim/rules.h"

/* A jaxpr in the making whose inputs are numbered as they are made. */
typedef struct knp_frame {
    kni_builder b;
    knx_arena arena;
    kni_atom *in, *out;
    uint32_t n_in;
} knp_frame;
bool knp_frame_begin(knp_frame *f, size_t inputs, size_t outputs); /* room for so many; false without memory */
void knp_frame_input(knp_frame *f, kni_type t);
/* The jaxpr; errors of the builder come out here. */
knx_error *knp_frame_finish(knp_frame *f, uint32_t n, const kni_atom *out, const char *name, kni_jaxpr **j);
void knp_frame_end(knp_frame *f); /* in every case */

/* Which inputs of j (without constants) the marked results need, and equations that have to stay. */
knx_error *knp_needs(const kni_jaxpr *j, const bool *out, bool *in);
/* j with these of its inputs and results only, in this order, and the equations that they need. */
knx_error *knp_pick(const kni_jaxpr *j, uint32_t n_in, const uint32_t *in, uint32_t n_out, const uint32_t *out,
                   kni_jaxpr **y);
/* j, whose last result is a flag of failure (knt_unfailing), with a flag of this type: joined over the other axes. */
knx_error *knp_flag_as(const kni_jaxpr *j, kni_type flag, kni_jaxpr **y);
/* Writes the derivative of j, which takes the operands of the rule and gives its results, in reverse mode: instead of
 * the rule's equation. */
knx_error *knp_linearize_instead(const kni_rule *r, const kni_jaxpr *j, const kni_atom *tx, kni_atom *y, kni_atom *ty);

/* Batches the rule's equation as a scan over the lanes, each of which it treats as it would alone. */
knx_error *knp_lane_by_lane(const kni_rule *r, int64_t size, const int *axis, kni_atom *y, int *axis_out);

void knp_put_all(kni_atom *to, uint32_t *n, const kni_atom *from, uint32_t count);
bool knp_same_type(kni_type a, kni_type b); /* dtype and shape */
/* TypeError if a body does not return carry i as it takes it. name: of the leaf; NULL: it has none */
knx_error *knp_check_carry(const char *name, uint32_t i, kni_type in, kni_type out);
#endif
