/* SPDX-License-Identifier: Apache-2.0
 * finish.c -- from a builder to a jaxpr: dead equations dropped, variables and literals numbered anew, everything in
 * one arena. */
#include "ir/builder.h"
#include "ir/prim.h"
#include <string.h>

typedef struct finish {
    kni_builder *b;
    kni_jaxpr *j;
    knx_arena scratch;
    uint8_t *live;            /* per variable: somebody reads it */
    uint8_t *keep;            /* per equation */
    uint32_t *number;         /* per variable: its new number */
    uint32_t *literal_number; /* per literal: 1 + its new number */
    size_t n_keep, n_operands, n_results;
    kni_type *type;
    kni_eqn *eqn;
    kni_literal *literal;
    kni_atom *atoms;             /* the jaxpr's, being filled */
    kni_type last_from, last_to; /* the last copied type: neighbours often share their extents */
} finish;

static bool is_known(const kni_builder *b, kni_atom a)
{
    return kni_is_literal(a) ? (a & ~KN_LITERAL_BIT) < b->literal.n : a < b->type.n;
}

static void mark(finish *f, kni_atom a)
{
    if (!kni_is_literal(a))
        f->live[a] = 1;
}

static bool is_needed(const finish *f, const kni_draft_eqn *e, bool drop_dead)
{
    if (!drop_dead || kni_must_stay(e->prim, e->params))
        return true;
    for (uint32_t k = 0; k < e->n_out; k++)
        if (f->live[e->out + k])
            return true;
    return false;
}

static void find_live(finish *f, int n_out, const kni_atom *out, bool drop_dead)
{
    for (int i = 0; i < n_out; i++)
        mark(f, out[i]);
    for (size_t i = f->b->eqn.n; i-- > 0;) {
        const kni_draft_eqn *e = &f->b->eqn.at[i];
        if (!(f->keep[i] = is_needed(f, e, drop_dead)))
            continue;
        for (uint32_t k = 0; k < e->n_in; k++)
            mark(f, e->in[k]);
        f->n_keep++;
        f->n_operands += e->n_in;
        f->n_results += e->n_out;
    }
}

static bool make_room(finish *f, int n_out)
{
    const kni_builder *b = f->b;
    knx_arena *a = &f->j->arena;
    size_t n_var = b->constvar.n + b->invar.n + f->n_results;
    f->type = knx_arena_alloc(a, n_var * sizeof *f->type);
    f->eqn = knx_arena_alloc(a, f->n_keep * sizeof *f->eqn);
    f->atoms = knx_arena_alloc(a, (f->n_operands + (size_t)n_out) * sizeof *f->atoms);
    f->literal = knx_arena_alloc(a, b->literal.n * sizeof *f->literal);
    f->j->type = f->type;
    f->j->eqn = f->eqn;
    f->j->literal = f->literal;
    return f->type && f->eqn && f->atoms && f->literal;
}

static bool add_variable(finish *f, uint32_t old)
{
    kni_type t = f->b->type.at[old], *to = &f->type[f->j->n_var];
    if (t.ndim && t.dim == f->last_from.dim && t.ndim == f->last_from.ndim) {
        *to = t;
        to->dim = f->last_to.dim;
    } else if (!kni_type_copy(&f->j->arena, t, to)) {
        return false;
    }
    if (t.ndim) {
        f->last_from = t;
        f->last_to = *to;
    }
    f->number[old] = f->j->n_var++;
    return true;
}

static kni_atom renumber(finish *f, kni_atom a)
{
    if (!kni_is_literal(a))
        return f->number[a];
    uint32_t *n = &f->literal_number[a & ~KN_LITERAL_BIT];
    if (!*n) {
        f->literal[f->j->n_literal++] = f->b->literal.at[a & ~KN_LITERAL_BIT];
        *n = f->j->n_literal;
    }
    return (*n - 1) | KN_LITERAL_BIT;
}

static bool add_equation(finish *f, const kni_draft_eqn *e)
{
    kni_eqn *to = &f->eqn[f->j->n_eqn];
    *to = (kni_eqn){
        .prim = e->prim, .place = e->place, .n_in = e->n_in, .n_out = e->n_out, .in = f->atoms, .out = f->j->n_var};
    for (uint32_t k = 0; k < e->n_in; k++)
        *f->atoms++ = renumber(f, e->in[k]);
    for (uint32_t k = 0; k < e->n_out; k++)
        if (!add_variable(f, e->out + k))
            return false;
    if (!kni_params_copy(&f->j->arena, e->prim, e->params, &to->params))
        return false;
    f->j->has |= kni_bits(e->prim, e->params) & KN_DEEP_BITS;
    f->j->n_eqn++; /* now releasing the jaxpr drops its parameters */
    return true;
}

static bool fill(finish *f, int n_out, const kni_atom *out, const char *name)
{
    kni_jaxpr *j = f->j;
    const kni_builder *b = f->b;
    for (size_t i = 0; i < b->constvar.n; i++, j->n_const++)
        if (!add_variable(f, b->constvar.at[i]))
            return false;
    for (size_t i = 0; i < b->invar.n; i++, j->n_in++)
        if (!add_variable(f, b->invar.at[i]))
            return false;
    for (size_t i = 0; i < b->eqn.n; i++)
        if (f->keep[i] && !add_equation(f, &b->eqn.at[i]))
            return false;
    j->out = f->atoms;
    for (int i = 0; i < n_out; i++)
        *f->atoms++ = renumber(f, out[i]);
    j->n_out = (uint32_t)n_out;
    return (j->name = knx_arena_string(&j->arena, name ? name : "")) != NULL;
}

static knx_error *make(finish *f, int n_out, const kni_atom *out, const char *name, bool drop_dead)
{
    const kni_builder *b = f->b;
    for (int i = 0; i < n_out; i++)
        if (!is_known(b, out[i]))
            return knx_error_new(KN_ERROR_VALUE, "result %d of the function has no value", i);
    f->live = knx_arena_zero(&f->scratch, b->type.n);
    f->keep = knx_arena_zero(&f->scratch, b->eqn.n);
    f->number = knx_arena_alloc(&f->scratch, b->type.n * sizeof *f->number);
    f->literal_number = knx_arena_zero(&f->scratch, b->literal.n * sizeof *f->literal_number);
    f->j = knx_alloc_zero(sizeof *f->j);
    if (f->j)
        atomic_init(&f->j->refs, 1);
    if (!f->live || !f->keep || !f->number || !f->literal_number || !f->j)
        return knx_error_nomem();
    find_live(f, n_out, out, drop_dead && !b->whole);
    f->j->whole = b->whole;
    if (!make_room(f, n_out) || !fill(f, n_out, out, name))
        return knx_error_nomem();
    f->j->hash = kni_hash(f->j);
#ifdef KN_DEBUG
    return kni_check(f->j);
#else
    return NULL;
#endif
}

knx_error *knb_finish(kni_builder *b, int n_out, const kni_atom *out, const char *name, bool drop_dead,
                      kni_jaxpr **jaxpr)
{
    finish f = {.b = b};
    *jaxpr = NULL;
    knx_error *e = knb_take_error(b);
    if (!e)
        e = make(&f, n_out, out, name, drop_dead);
    if (e)
        kni_release(f.j);
    else
        *jaxpr = f.j;
    knx_arena_free(&f.scratch);
    knb_free(b);
    return e;
}

kni_jaxpr *knb_finish_for(kni_builder *outer, kni_builder *b, int n_out, const kni_atom *out)
{
    kni_jaxpr *j;
    knx_error *e = knb_finish(b, n_out, out, "", true, &j);
    if (e)
        knb_fail(outer, e);
    return j;
}
