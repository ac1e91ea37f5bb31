/* SPDX-License-Identifier: Apache-2.0
 * open.c -- before cutting: calls are inlined, and rows that say nothing of factors are what they expand into, also in
 * the bodies of loops. Rows that know how they are cut stay: their expansions would hide it (a tile, random_bits). So
 * do those whose jaxpr is written for one device of this mesh. */
#include "shard/factors.h"
#include "transform/replay.h"

/* What the other columns show. */
static bool knows_factors(const kni_prim *p)
{
    return p->spread || p->map || p->rows || p->product || (p->bits & (KN_ELEMENTWISE | KN_REDUCES));
}

bool knshard_expands(const kni_rule *r)
{
    const kni_prim *p = r->prim;
    return p->expand && (!p->expands || p->expands(r)) && (!knows_factors(p) || kni_can_fail(p, r->params));
}

/* Bodies of an equation's copy of parameters, opened. */
static knx_error *open_bodies(const kni_prim *p, const kni_mesh *m, void *params)
{
    for (const kni_param_field *f = p->fields; f && f->name; f++) {
        kni_jaxprs bodies = kni_field_jaxprs(f, params);
        for (int i = 0; i < bodies.n; i++) {
            kni_jaxpr *opened;
            KN_TRY(knshard_open(bodies.v[i], m, &opened));
            kni_release(bodies.v[i]);
            ((kni_jaxpr **)(uintptr_t)bodies.v)[i] = opened;
        }
    }
    return NULL;
}

static knx_error *open_loop(knt_replay *r, const kni_mesh *m, const kni_eqn *e)
{
    const void *params;
    if (!kni_params_copy(&r->arena, e->prim, e->params, &params))
        return knx_error_nomem();
    knx_error *error = open_bodies(e->prim, m, (void *)(uintptr_t)params);
    if (!error) {
        knb_emit(&r->b, e->prim, params, (int)e->n_in, r->in, r->out, (int)e->n_out);
        knt_bind(r, e, r->out);
    }
    kni_params_drop(e->prim, params);
    return error;
}

/* Is its jaxpr one for devices of this mesh? */
static knx_error *is_manual(knt_replay *r, const kni_mesh *m, kni_rule rule, bool *yes)
{
    kni_manual found = {0};
    rule.arena = &r->arena;
    KN_TRY(rule.prim->manual ? rule.prim->manual(&rule, m, &found) : NULL);
    *yes = found.body != NULL;
    kni_release(found.body);
    return NULL;
}

static knx_error *open_equation(knt_replay *r, const kni_mesh *m, const kni_eqn *e, bool bodies, bool *any)
{
    kni_rule rule = knt_rule(r, e, NULL);
    bool manual = false;
    KN_TRY(is_manual(r, m, rule, &manual));
    if (manual) {
        knt_emit_same(r, e);
        return NULL;
    }
    if (e->prim->bits & KN_CALLS) {
        *any = true;
        knb_inline(&r->b, ((const kni_p_jit *)e->params)->jaxpr, r->in, r->out);
    } else if (knshard_expands(&rule)) {
        *any = true;
        KN_TRY(e->prim->expand(&rule, r->out));
    } else if (bodies && e->prim->loops) {
        return open_loop(r, m, e);
    } else {
        knt_emit_same(r, e);
        return NULL;
    }
    knt_bind(r, e, r->out);
    return NULL;
}

static knx_error *open_once(const kni_jaxpr *j, const kni_mesh *m, bool bodies, bool *any, kni_jaxpr **out)
{
    knt_replay r;
    knx_error *error = knt_replay_begin(&r, j, true);
    for (uint32_t i = 0; !error && i < j->n_eqn; i++) {
        knt_operands(&r, &j->eqn[i]);
        error = open_equation(&r, m, &j->eqn[i], bodies, any);
        if (!error)
            error = knb_take_error(&r.b);
    }
    r.b.whole = false;
    if (!error)
        error = knt_replay_finish(&r, out);
    knt_replay_end(&r);
    return error;
}

knx_error *knshard_open(const kni_jaxpr *j, const kni_mesh *m, kni_jaxpr **out)
{
    *out = kni_retain(j);
    for (bool any = true, bodies = false; any || !bodies;) { /* bodies last, once */
        kni_jaxpr *now = *out;
        bodies = !any;
        any = false;
        *out = NULL;
        knx_error *error = open_once(now, m, bodies, &any, out);
        kni_release(now);
        if (error)
            return error;
    }
    return NULL;
}
