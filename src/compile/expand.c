/* SPDX-License-Identifier: Apache-2.0
 * expand.c -- replaces equations that call jaxprs by their bodies, and those that rows expand into other primitives, until none is left. */
#include "compile/plan.h"
#include "ir/builder.h"

static bool to_expand(const kn_eqn *e) { return (e->prim->bits & KN_CALLS) || e->prim->expand; }

static bool anything_to_expand(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (to_expand(&j->eqn[i]))
            return true;
    return false;
}

typedef struct rewrite {
    kn_builder b;
    const kni_jaxpr *j;
    kn_atom *atom;               /* per variable of j */
    KN_VEC(kn_atom) in, out;     /* of one equation */
    KN_VEC(kn_type) type;
} rewrite;

static kn_atom renamed(rewrite *r, kn_atom a)
{
    if (kni_is_var(a))
        return r->atom[a];
    if (!kni_is_literal(a))
        return a;
    const kn_literal *l = &r->j->literal[a & ~KN_LITERAL_BIT];
    return knb_literal(&r->b, l->type.dtype, l->type.weak, l->bits);
}

static bool room(rewrite *r, const kn_eqn *e)
{
    r->in.n = r->out.n = r->type.n = 0;
    return KN_VEC_RESERVE(&r->in, e->n_in + 1) && KN_VEC_RESERVE(&r->out, e->n_out + 1) && KN_VEC_RESERVE(&r->type, e->n_in + e->n_out + 1);
}

static kn_error *expand_row(rewrite *r, const kn_eqn *e)
{
    for (uint32_t i = 0; i < e->n_in; i++)
        r->type.at[i] = kni_atom_type(r->j, e->in[i]);
    for (uint32_t i = 0; i < e->n_out; i++)
        r->type.at[e->n_in + i] = r->j->type[e->out + i];
    kn_rule rule = { .b = &r->b, .prim = e->prim, .params = e->params, .n_in = (int)e->n_in, .n_out = (int)e->n_out, .x = r->in.at,
        .xt = r->type.at, .yt = r->type.at + e->n_in };
    return e->prim->expand(&rule, r->out.at);
}

static kn_error *rewrite_eqn(rewrite *r, const kn_eqn *e)
{
    if (!room(r, e))
        return knx_error_nomem();
    for (uint32_t i = 0; i < e->n_in; i++)
        r->in.at[i] = renamed(r, e->in[i]);
    r->b.place = e->place;
    if (e->prim->bits & KN_CALLS)
        knb_inline(&r->b, ((const kn_p_jit *)e->params)->jaxpr, r->in.at, r->out.at);
    else if (e->prim->expand)
        KN_TRY(expand_row(r, e));
    else
        knb_emit(&r->b, e->prim, e->params, (int)e->n_in, r->in.at, r->out.at, (int)e->n_out);
    for (uint32_t i = 0; i < e->n_out; i++)
        r->atom[e->out + i] = r->out.at[i];
    return knb_take_error(&r->b);
}

static kn_error *rewrite_all(rewrite *r, kni_jaxpr **out)
{
    const kni_jaxpr *j = r->j;
    for (uint32_t i = 0; i < j->n_const + j->n_in; i++)
        r->atom[i] = i < j->n_const ? knb_constvar(&r->b, j->type[i]) : knb_invar(&r->b, j->type[i]);
    for (uint32_t i = 0; i < j->n_eqn; i++)
        KN_TRY(rewrite_eqn(r, &j->eqn[i]));
    kn_atom *results = knx_arena_alloc(&r->b.arena, (j->n_out + 1) * sizeof *results);
    if (!results)
        return knx_error_nomem();
    for (uint32_t i = 0; i < j->n_out; i++)
        results[i] = renamed(r, j->out[i]);
    return knb_finish(&r->b, (int)j->n_out, results, j->name, true, out);
}

static kn_error *expand_once(const kni_jaxpr *j, kni_jaxpr **out)
{
    rewrite r = { .j = j };
    knb_init(&r.b);
    r.atom = knx_alloc((j->n_var + 1) * sizeof *r.atom);
    kn_error *e = r.atom ? rewrite_all(&r, out) : knx_error_nomem();
    knb_free(&r.b);
    knx_free(r.atom);
    KN_VEC_FREE(&r.in);
    KN_VEC_FREE(&r.out);
    KN_VEC_FREE(&r.type);
    return e;
}

kn_error *knc_expand(const kni_jaxpr *j, kni_jaxpr **out)
{
    *out = NULL;
    while (anything_to_expand(*out ? *out : j)) {
        kni_jaxpr *next = NULL;
        kn_error *e = expand_once(*out ? *out : j, &next);
        kni_release(*out);
        *out = next;
        KN_TRY(e);
    }
    return NULL;
}
