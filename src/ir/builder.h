/* SPDX-License-Identifier: Apache-2.0
 * builder.h -- makes equations. The same builder serves the recorder, the rules of primitives and the passes; one
 * typed helper per primitive is in ops.h. Errors stick: after one, every call returns KN_ATOM_NONE and the error
 * comes out at the end, so rules need no checks.
 *
 * A builder usually collects equations of a jaxpr. With `hook` set it hands each equation (already type-checked) to
 * somebody else: lazy recording makes pending nodes that way. */
#ifndef KN_IR_BUILDER_H
#define KN_IR_BUILDER_H
#include "base/hash.h"
#include "ir/jaxpr.h"
#include "ir/params.h"

typedef struct kn_builder kn_builder;
typedef struct kn_draft_eqn {
    const kn_prim *prim;
    const void *params;
    const kn_place *place;
    uint32_t n_in, n_out;
    const kn_atom *in;
    uint32_t out;
} kn_draft_eqn;
/* Called for each emitted equation when set; results are variables e->out ...; params and `in` belong to the
 * builder's arena until it is reset or freed. */
typedef kn_error *(*kn_builder_hook)(void *env, kn_builder *b, const kn_draft_eqn *e);

struct kn_builder {
    kn_arena arena;       /* types, params, operands */
    KN_VEC(kn_type) type; /* per variable */
    KN_VEC(kn_draft_eqn) eqn;
    KN_VEC(kn_literal) literal;       /* equal ones are made once */
    kn_map literal_map;               /* from their hashes to 1 + index; used when there are many */
    bool holds_jaxprs;                /* some equation's parameters hold one */
    bool whole;                       /* of the jaxpr that it becomes: see there. One inlined makes it so */
    KN_VEC(uint32_t) constvar, invar; /* variables, in order of their making */
    const kn_place *place;            /* put on equations that are emitted now */
    kn_error *error;                  /* the first one; owned */
    /* The log hears of each equation at debug level 5 (trace.c): of the function that is recorded; "": of operations
     * outside of one. NULL: it does not, as of equations that rules and passes write */
    const char *traced;
    kn_builder_hook hook;
    void *hook_env;
    kn_builder_hook fold; /* hears of each equation that is collected, and may change its operands or drop it */
    void *fold_env;
};

void knb_init(kn_builder *b);
void knb_free(kn_builder *b); /* drops everything that was not finished */
/* empty again, keeping memory (a hooked builder between operations) */
void knb_reset(kn_builder *b);
kn_error *knb_take_error(kn_builder *b);   /* hands over the error, or NULL */
void knb_fail(kn_builder *b, kn_error *e); /* takes e over; the first one stays */

/* numbering is settled by knb_finish: these may be made at any time */
kn_atom knb_constvar(kn_builder *b, kn_type t);
kn_atom knb_invar(kn_builder *b, kn_type t);
kn_type knb_type(const kn_builder *b, kn_atom a); /* KN_ATOM_NONE: a float32 scalar */
kn_atom knb_literal(kn_builder *b, kn_dtype d, bool weak, kn_scalar_bits bits);
bool knb_literal_value(const kn_builder *b, kn_atom a, kn_scalar_bits *bits); /* true if a is a literal */

/* Emits prim over in[]: checks arity, copies params, runs the type rule; out[] gets n_out atoms. n_out is returned (0
 * after an error; then out[] is all KN_ATOM_NONE). A type rule of a row with n_out -1 finds in *n_out how many types
 * y has room for: at least n_in and as many as the jaxprs in its parameters have results. in and out may be the same
 * array. */
int knb_emit(kn_builder *b, const kn_prim *p, const void *params, int n_in, const kn_atom *in, kn_atom *out,
             int max_out);
void kni_trace_equation(const kn_builder *b, const kn_draft_eqn *e);
/* primitives with one result */
kn_atom knb_emit1(kn_builder *b, const kn_prim *p, const void *params, int n_in, const kn_atom *in);

/* Emits all equations of j with its variables replaced: operands are constants first, then inputs. Places are j's own
 * where it has them; literals that are results stay literals. */
void knb_inline(kn_builder *b, const kni_jaxpr *j, const kn_atom *operands, kn_atom *out);

/* The jaxpr with these results; equations that no result needs go if `drop_dead` and b is not `whole` (those of
 * primitives that can fail never do). All constvars and invars are kept, as they were made. Leaves b empty as after
 * knb_init. In debug builds the result is checked. */
kn_error *knb_finish(kn_builder *b, int n_out, const kn_atom *out, const char *name, bool drop_dead, kni_jaxpr **jaxpr);
#endif
