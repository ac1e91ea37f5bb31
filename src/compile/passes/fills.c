/* SPDX-License-Identifier: Apache-2.0
 * fills.c -- a jaxpr pass: an update of a fill (a value made of literals only: zeros, iota) that is read elsewhere too
 * gets a fill of its own, which it then overwrites. Filling memory again is cheaper than copying it. */
#include "compile/plan.h"
#include "transform/replay.h"

typedef struct fills {
    knt_replay r;
    uint32_t *uses;  /* per variable: how often it is read */
    uint32_t *maker; /* per variable: its equation if that is a fill, else KNC_NO */
} fills;

static bool is_fill(const kni_eqn *e)
{
    bool fill = e->n_out == 1 && (e->prim->map || (e->prim->pull && (e->prim->bits & KN_CHEAP)));
    for (uint32_t i = 0; fill && i < e->n_in; i++)
        fill = kni_is_literal(e->in[i]);
    return fill;
}

/* The number of the operand that e updates, if that is a fill; else -1. */
static int updated_fill(const fills *f, const kni_eqn *e)
{
    int k = e->prim->updates - 1;
    return k >= 0 && kni_is_var(e->in[k]) && f->maker[e->in[k]] != KNC_NO ? k : -1;
}

/* Finds uses and makers; false if no fill that is updated is read elsewhere. */
static bool survey(fills *f, const kni_jaxpr *j)
{
    bool any = false;
    for (uint32_t v = 0; v < j->n_var; v++)
        f->maker[v] = KNC_NO;
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        if (is_fill(e))
            f->maker[e->out] = i;
        for (uint32_t k = 0; k < e->n_in; k++)
            if (kni_is_var(e->in[k]))
                f->uses[e->in[k]]++;
    }
    for (uint32_t k = 0; k < j->n_out; k++)
        if (kni_is_var(j->out[k]))
            f->uses[j->out[k]]++;
    for (uint32_t i = 0; !any && i < j->n_eqn; i++) {
        int k = updated_fill(f, &j->eqn[i]);
        any = k >= 0 && f->uses[j->eqn[i].in[k]] > 1;
    }
    return any;
}

static knx_error *write_eqn(fills *f, const kni_eqn *e)
{
    knt_replay *r = &f->r;
    kni_atom own = KN_ATOM_NONE;
    int k = updated_fill(f, e);
    if (k >= 0 && f->uses[e->in[k]] > 1) {
        const kni_eqn *fill = &r->j->eqn[f->maker[e->in[k]]];
        f->uses[e->in[k]]--;
        knt_operands(r, fill);
        own = knb_emit1(&r->b, fill->prim, fill->params, (int)fill->n_in, r->in);
    }
    knt_operands(r, e);
    if (own != KN_ATOM_NONE)
        r->in[k] = own;
    knt_emit_same(r, e);
    return knb_take_error(&r->b);
}

static knx_error *write_all(fills *f, kni_jaxpr **out)
{
    knt_replay *r = &f->r;
    const kni_jaxpr *j = r->j;
    for (uint32_t i = 0; i < j->n_eqn; i++)
        KN_TRY(write_eqn(f, &j->eqn[i]));
    return knt_replay_finish(r, out);
}

knx_error *knc_separate_fills(const kni_jaxpr *j, kni_jaxpr **out)
{
    bool any = false;
    for (uint32_t i = 0; !any && i < j->n_eqn; i++)
        any = j->eqn[i].prim->updates > 0;
    *out = any ? NULL : kni_retain(j);
    if (!any)
        return NULL;
    fills f = {0};
    knx_error *e = knt_replay_begin(&f.r, j, true);
    f.uses = e ? NULL : knx_arena_zero(&f.r.arena, ((size_t)j->n_var + 1) * sizeof *f.uses);
    f.maker = e ? NULL : knx_arena_alloc(&f.r.arena, ((size_t)j->n_var + 1) * sizeof *f.maker);
    if (!e && (!f.uses || !f.maker))
        e = knx_error_nomem();
    if (!e && survey(&f, j))
        e = write_all(&f, out);
    else if (!e)
        *out = kni_retain(j);
    knt_replay_end(&f.r);
    return e;
}
