/* SPDX-License-Identifier: Apache-2.0
 * inline.c -- emits the equations of a jaxpr into a builder, its variables replaced by the builder's atoms. */
#include "ir/builder.h"
#include "ir/prim.h"

typedef struct inlining {
    kni_builder *b;
    const kni_jaxpr *j;
    kni_atom *var; /* per variable of j: the builder's atom */
    KN_VEC(kni_atom) in;
} inlining;

static kni_atom atom(inlining *s, kni_atom a)
{
    if (!kni_is_literal(a))
        return s->var[a];
    const kni_literal *l = &s->j->literal[a & ~KN_LITERAL_BIT];
    return knb_literal(s->b, l->type.dtype, l->type.weak, l->bits);
}

static bool emit(inlining *s, const kni_eqn *e)
{
    s->in.n = 0;
    if (!KN_VEC_RESERVE(&s->in, e->n_in)) {
        knb_fail(s->b, knx_error_nomem());
        return false;
    }
    for (uint32_t i = 0; i < e->n_in; i++)
        s->in.at[s->in.n++] = atom(s, e->in[i]);
    int n = knb_emit(s->b, e->prim, e->params, (int)e->n_in, s->in.at, s->var + e->out, (int)e->n_out);
    if (!s->b->error && n != (int)e->n_out)
        knb_fail(s->b, knx_error_new(KN_ERROR_VALUE, "%s has %d results here and %d in the jaxpr", e->prim->name, n,
                                     (int)e->n_out));
    return !s->b->error;
}

void knb_inline(kni_builder *b, const kni_jaxpr *j, const kni_atom *operands, kni_atom *out)
{
    inlining s = {.b = b, .j = j};
    const kn_place *place = b->place;
    b->whole |= j->whole && !b->hook;
    if (!b->error && !(s.var = knx_alloc((size_t)j->n_var * sizeof *s.var)))
        knb_fail(b, knx_error_nomem());
    if (s.var) {
        for (uint32_t i = 0; i < j->n_const + j->n_in; i++)
            s.var[i] = operands[i];
        for (uint32_t i = 0; i < j->n_eqn; i++) {
            b->place = j->eqn[i].place ? j->eqn[i].place : place;
            if (!emit(&s, &j->eqn[i]))
                break;
        }
        b->place = place;
    }
    for (uint32_t i = 0; i < j->n_out; i++)
        out[i] = b->error || !s.var ? KN_ATOM_NONE : atom(&s, j->out[i]);
    if (b->error) /* the last literal may have failed */
        for (uint32_t i = 0; i < j->n_out; i++)
            out[i] = KN_ATOM_NONE;
    KN_VEC_FREE(&s.in);
    knx_free(s.var);
}
