/* SPDX-License-Identifier: Apache-2.0
 * replay.h -- what every pass does: walk a jaxpr's equations in order while writing into a builder, keeping for each
 * old variable the atom that stands for it now. */
#ifndef KN_TRANSFORM_REPLAY_H
#define KN_TRANSFORM_REPLAY_H
#include "transform/transform.h"

typedef struct knt_replay {
    const kni_jaxpr *j;
    kni_builder b;
    knx_arena arena;     /* of the pass */
    kni_atom *map;       /* per variable of j: its atom in b; KN_ATOM_NONE before it is made */
    kni_atom *in, *out;  /* room for the widest equation's operands and results in b */
    kni_type *in_type, *out_type;
    uint32_t max_in, max_out;
} knt_replay;

/* Starts a pass over j: constvars and (with_inputs) invars of j are made in b and mapped. */
knx_error *knt_replay_begin(knt_replay *r, const kni_jaxpr *j, bool with_inputs);
void knt_replay_end(knt_replay *r); /* in every case, also after an error */
/* The new jaxpr: j's results, mapped. Errors of the builder come out here. */
knx_error *knt_replay_finish(knt_replay *r, kni_jaxpr **out);
/* an atom of j as an atom of b (literals are made anew) */
kni_atom knt_atom(knt_replay *r, kni_atom old);
void knt_operands(knt_replay *r, const kni_eqn *e);              /* fills r->in and r->in_type, and sets b.place */
void knt_emit_same(knt_replay *r, const kni_eqn *e);             /* the equation as it is; its results are mapped */
void knt_bind(knt_replay *r, const kni_eqn *e, const kni_atom *y); /* maps the results of e to y[] */
/* A rule's argument for e, with r->in as operands. */
kni_rule knt_rule(knt_replay *r, const kni_eqn *e, const kni_atom *y);
knx_error *knt_missing_rule(const char *transformation, const kni_eqn *e);
#endif
