/* SPDX-License-Identifier: Apache-2.0
 * manual.c -- equations whose jaxprs are written for one device of the mesh (shard_map): their operands are brought
 * into the layouts that they say, and the jaxpr takes their place, its collectives being those of the mesh. */
#include "shard/write.h"
#include "transform/replay.h"
#include <string.h>

bool knshard_lay_of_spec(knx_arena *a, int ndim, const kni_sharding *spec, knshard_lay *out)
{
    bool fine = knshard_lay_new(a, ndim, out);
    for (int d = 0; fine && d < ndim && d < spec->ndim; d++)
        out->dim[d] = spec->dim[d];
    return fine;
}

knx_error *knshard_solve_manual(knshard_solution *s, uint32_t i)
{
    const kni_eqn *e = &s->j->eqn[i];
    kni_rule r = kni_rule_of(e, s->cut[i].xt, s->j->type + e->out);
    kni_manual found = {0}, *own;
    r.arena = s->arena;
    KN_TRY(e->prim->manual ? e->prim->manual(&r, s->mesh, &found) : NULL);
    if (!found.body)
        return NULL;
    kni_release(found.body); /* asked for again when it is written: solutions own nothing */
    found.body = NULL;
    s->cut[i].manual = own = knx_arena_copy(s->arena, &found, sizeof found);
    for (uint32_t k = 0; own && k < e->n_out; k++) {
        knshard_lay *l = &s->var[e->out + k];
        if (!knshard_lay_of_spec(s->arena, l->ndim, found.out[k], l))
            return knx_error_nomem();
        l->fixed = true;
    }
    for (uint32_t k = 0; own && k < e->n_in; k++)
        for (int d = 0; kni_is_var(e->in[k]) && d < found.in[k]->ndim; d++)
            knshard_extend(s, e->in[k], d, found.in[k]->dim[d]);
    return own ? NULL : knx_error_nomem();
}

/* ---- The jaxpr of one device. */

static knx_error *bind_names(const kni_jaxpr *j, const kni_mesh *m, kni_jaxpr **out);

static bool has_names(const kni_mesh *m, const kni_names *names)
{
    for (int i = 0; i < names->n; i++)
        if (kni_mesh_axis(m, names->v[i], strlen(names->v[i])) < 0)
            return false;
    return names->n > 0;
}

/* In a copy of an equation's parameters, and in the jaxprs that it holds. */
static knx_error *bind_params(const kni_prim *p, const kni_mesh *m, void *params)
{
    const kni_names *names = NULL;
    for (const kni_param_field *f = p->fields; f && f->name; f++)
        if (f->kind == KN_P_NAMES)
            names = (const kni_names *)((char *)params + f->offset);
    for (const kni_param_field *f = p->fields; f && f->name; f++) {
        kni_jaxprs inner = kni_field_jaxprs(f, params);
        const kni_mesh **mesh = (const kni_mesh **)(void *)((char *)params + f->offset);
        if (f->kind == KN_P_MESH && names && !*mesh && has_names(m, names))
            *mesh = m;
        for (int i = 0; i < inner.n; i++) {
            kni_jaxpr *bound = NULL;
            KN_TRY(bind_names(inner.v[i], m, &bound));
            kni_release(inner.v[i]);
            ((kni_jaxpr **)(uintptr_t)inner.v)[i] = bound;
        }
    }
    return NULL;
}

static knx_error *bind_equation(knt_replay *r, const kni_mesh *m, const kni_eqn *e)
{
    const void *params = NULL;
    if (!(kni_bits(e->prim, e->params) & KN_NAMES)) {
        knt_emit_same(r, e);
        return NULL;
    }
    if (!kni_params_copy(&r->arena, e->prim, e->params, &params))
        return knx_error_nomem();
    knx_error *error = bind_params(e->prim, m, (void *)(uintptr_t)params);
    if (!error) {
        knb_emit(&r->b, e->prim, params, (int)e->n_in, r->in, r->out, (int)e->n_out);
        knt_bind(r, e, r->out);
    }
    kni_params_drop(e->prim, params);
    return error ? error : knb_take_error(&r->b);
}

static knx_error *bind_names(const kni_jaxpr *j, const kni_mesh *m, kni_jaxpr **out)
{
    if (!(j->has & KN_NAMES)) {
        *out = kni_retain(j);
        return NULL;
    }
    knt_replay r;
    knx_error *error = knt_replay_begin(&r, j, true);
    for (uint32_t i = 0; !error && i < j->n_eqn; i++) {
        knt_operands(&r, &j->eqn[i]);
        error = bind_equation(&r, m, &j->eqn[i]);
    }
    if (!error)
        error = knt_replay_finish(&r, out);
    knt_replay_end(&r);
    return error;
}

knx_error *knshard_write_manual(knshard_writer *w, const kni_manual *manual, const kni_atom *x, kni_atom *y)
{
    kni_jaxpr *bound = NULL;
    KN_TRY(bind_names(manual->body, w->mesh, &bound));
    knb_inline(&w->b, bound, x, y);
    kni_release(bound);
    return knb_take_error(&w->b);
}
