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

typedef struct kni_builder kni_builder;
typedef struct kni_draft_eqn {
    const kni_prim *prim;
    const void *params;
    const kn_place *place;
    uint32_t n_in, n_out;
    const kni_atom *in;
    uint32_t out;
} kni_draft_eqn;
/* Called for each emitted equation when set; results are variables e->out ...; params and `in` belong to the
 * builder's arena until it is reset or freed. */
typedef knx_error *(*kni_builder_hook)(void *env, kni_builder *b, const kni_draft_eqn *e);

struct kni_builder {
    knx_arena arena;      /* types, params, operands */
    KN_VEC(kni_type) type; /* per variable */
    KN_VEC(kni_draft_eqn) eqn;
    KN_VEC(kni_literal) literal;      /* equal ones are made once */
    knx_table literal_map;            /* from their hashes to 1 + index; used when there are many */
    bool holds_jaxprs;                /* some equation's parameters hold one */
    bool whole;                       /* of the jaxpr that it becomes: see there. One inlined makes it so */
    KN_VEC(uint32_t) constvar, invar; /* variables, in order of their making */
    const kn_place *place;            /* put on equations that are emitted now */
    knx_error *error;                 /* the first one; owned */
    /* The log hears of each equation at debug level 5 (trace.c): of the function that is recorded; "": of operations
     * outside of one. NULL: it does not, as of equations that rules and passes write */
    const char *traced;
    kni_builder_hook hook;
    void *hook_env;
    kni_builder_hook fold; /* hears of each equation that is collected, and may change its operands or drop it */
    void *fold_env;
};

void knb_init(kni_builder *b);
void knb_free(kni_builder *b); /* drops everything that was not finished */
/* empty again, keeping memory (a hooked builder between operations) */
void knb_reset(kni_builder *b);
knx_error *knb_take_error(kni_builder *b); /* hands over the error, or NULL */
void knb_fail(kni_builder *b, knx_error *e); /* takes e over; the first one stays */

/* numbering is settled by knb_finish: these may be made at any time */
kni_atom knb_constvar(kni_builder *b, kni_type t);
kni_atom knb_invar(kni_builder *b, kni_type t);
static inline bool knb_is_known(const kni_builder *b, kni_atom a)
{
    return kni_is_literal(a) ? (a & ~KN_LITERAL_BIT) < b->literal.n : a < b->type.n;
}
static inline kni_type knb_type(const kni_builder *b, kni_atom a) /* KN_ATOM_NONE: a float32 scalar */
{
    return !knb_is_known(b, a) ? kni_scalar_type(KN_DT(F32))
           : kni_is_literal(a) ? b->literal.at[a & ~KN_LITERAL_BIT].type
                               : b->type.at[a];
}
kni_atom knb_literal(kni_builder *b, kn_dtype d, bool weak, knx_scalar_bits bits);
bool knb_literal_value(const kni_builder *b, kni_atom a, knx_scalar_bits *bits); /* true if a is a literal */
/* The equation that makes a, NULL: there is none to look at. It lies elsewhere after the next one is emitted. */
const kni_draft_eqn *knb_maker(const kni_builder *b, kni_atom a);

/* Emits prim over in[]: checks arity, copies params, runs the type rule; out[] gets n_out atoms. n_out is returned (0
 * after an error; then out[] is all KN_ATOM_NONE). A type rule of a row with n_out -1 finds in *n_out how many types
 * y has room for: at least n_in and as many as the jaxprs in its parameters have results. in and out may be the same
 * array. */
int knb_emit(kni_builder *b, const kni_prim *p, const void *params, int n_in, const kni_atom *in, kni_atom *out,
             int max_out);
void kni_trace_equation(const kni_builder *b, const kni_draft_eqn *e);
/* primitives with one result */
kni_atom knb_emit1(kni_builder *b, const kni_prim *p, const void *params, int n_in, const kni_atom *in);

/* Emits all equations of j with its variables replaced: operands are constants first, then inputs. Places are j's own
 * where it has them; literals that are results stay literals. */
void knb_inline(kni_builder *b, const kni_jaxpr *j, const kni_atom *operands, kni_atom *out);

/* The jaxpr with these results; equations that no result needs go if `drop_dead` and b is not `whole` (those of
 * primitives that can fail never do). All constvars and invars are kept, as they were made. Leaves b empty as after
 * knb_init. In debug builds the result is checked. */
knx_error *knb_finish(kni_builder *b, int n_out, const kni_atom *out, const char *name, bool drop_dead,
                      kni_jaxpr **jaxpr);
/* The body of an equation of `outer`, which gets its errors: NULL then. Without equations that no result needs. */
kni_jaxpr *knb_finish_for(kni_builder *outer, kni_builder *b, int n_out, const kni_atom *out);
#endif
