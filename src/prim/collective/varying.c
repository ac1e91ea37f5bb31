/* SPDX-License-Identifier: Apache-2.0
 * varying.c -- along which axes of a mesh the values of a jaxpr may differ from device to device: a result along those
 * of its operands. Rows that speak of named axes add these, or make what is the same along them (KN_AGREES). */
#include "prim/collective/shard_map.h"
#include <string.h>

typedef struct walk {
    const kni_mesh *m;
    knx_arena arena;
} walk;

static knx_error *walk_jaxpr(walk *w, const kni_jaxpr *j, const uint32_t *in, uint32_t always, uint32_t *out);

/* The axes that an equation of such a row names. */
static uint32_t named(const kni_mesh *m, const kni_eqn *e)
{
    uint32_t set = 0;
    for (const kni_param_field *f = e->prim->fields; f && f->name; f++) {
        if (f->kind != KN_P_NAMES)
            continue;
        const kni_names *v = (const kni_names *)((const char *)e->params + f->offset);
        for (int i = 0; i < v->n; i++) {
            int a = kni_mesh_axis(m, v->v[i], strlen(v->v[i]));
            set |= a >= 0 ? 1u << a : 0;
        }
    }
    return set;
}

uint32_t knp_named_in(const kni_jaxpr *j, const kni_mesh *m)
{
    uint32_t set = 0;
    for (uint32_t i = 0; (j->has & KN_NAMES) && i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        set |= e->params ? named(m, e) : 0;
        for (const kni_param_field *f = e->params ? e->prim->fields : NULL; f && f->name; f++) {
            kni_jaxprs inner = kni_field_jaxprs(f, e->params);
            for (int k = 0; k < inner.n; k++)
                set |= knp_named_in(inner.v[k], m);
        }
    }
    return set;
}

static uint32_t of_atom(const uint32_t *var, kni_atom a) { return kni_is_var(a) ? var[a] : 0; }

static uint32_t of_operands(const kni_eqn *e, const uint32_t *var)
{
    uint32_t set = 0;
    for (uint32_t i = 0; i < e->n_in; i++)
        set |= of_atom(var, e->in[i]);
    return set;
}

/* How operands and jaxprs of a loop belong together: carries are operands first .. first + n, and the first n results
 * of the last jaxpr; the condition takes its own constants in front of them. */
static knx_error *walk_scan(walk *w, const kni_eqn *e, const uint32_t *x, uint32_t *y)
{
    const kni_p_scan *p = e->params;
    uint32_t *in = knx_arena_copy(&w->arena, x, (e->n_in + 1) * sizeof *in);
    bool changed = in != NULL;
    while (changed) {
        changed = false;
        KN_TRY(walk_jaxpr(w, p->jaxpr, in, 0, y));
        for (int64_t k = 0; k < p->num_carry; k++)
            if (y[k] & ~in[p->num_consts + k]) {
                in[p->num_consts + k] |= y[k];
                changed = true;
            }
    }
    for (int64_t k = 0; in && k < p->num_carry; k++)
        y[k] |= in[p->num_consts + k];
    return in ? NULL : knx_error_nomem();
}

static knx_error *walk_while(walk *w, const kni_eqn *e, const uint32_t *x, uint32_t *y)
{
    const kni_p_while *p = e->params;
    int64_t n_cond = p->cond_nconsts, n_body = p->body_nconsts;
    uint32_t n = e->n_out, goes_on = 0;
    uint32_t *in = knx_arena_alloc(&w->arena, ((size_t)e->n_in + 1) * sizeof *in),
             *test = knx_arena_alloc(&w->arena, ((size_t)e->n_in + 1) * sizeof *test);
    if (!in || !test)
        return knx_error_nomem();
    memcpy(in, x + n_cond, ((size_t)n_body + n) * sizeof *in);
    for (bool changed = true; changed;) {
        changed = false;
        memcpy(test, x, (size_t)n_cond * sizeof *test);
        memcpy(test + n_cond, in + n_body, n * sizeof *test);
        KN_TRY(walk_jaxpr(w, p->cond_jaxpr, test, 0, &goes_on));
        KN_TRY(walk_jaxpr(w, p->body_jaxpr, in, goes_on, y));
        for (uint32_t k = 0; k < n; k++)
            if (y[k] & ~in[n_body + k]) {
                in[n_body + k] |= y[k];
                changed = true;
            }
    }
    memcpy(y, in + n_body, n * sizeof *y);
    return NULL;
}

static knx_error *walk_cond(walk *w, const kni_eqn *e, const uint32_t *x, uint32_t *y)
{
    const kni_p_cond *p = e->params;
    uint32_t *one = knx_arena_alloc(&w->arena, ((size_t)e->n_out + 1) * sizeof *one);
    if (!one)
        return knx_error_nomem();
    memset(y, 0, e->n_out * sizeof *y);
    for (int b = 0; b < p->branches.n; b++) {
        KN_TRY(walk_jaxpr(w, p->branches.v[b], x + 1, x[0], one));
        for (uint32_t k = 0; k < e->n_out; k++)
            y[k] |= one[k];
    }
    return NULL;
}

/* A jaxpr over the equation's operands, as calls and checkpoints have it; NULL: it has none like that. */
static const kni_jaxpr *body_of(const kni_eqn *e)
{
    const kni_jaxpr *body = NULL;
    for (const kni_param_field *f = e->params ? e->prim->fields : NULL; f && f->name; f++) {
        kni_jaxprs inner = kni_field_jaxprs(f, e->params);
        if (inner.n && (body || inner.n > 1))
            return NULL;
        body = inner.n ? inner.v[0] : body;
    }
    return body && body->n_in == e->n_in && body->n_out == e->n_out && !body->n_const ? body : NULL;
}

static knx_error *walk_equation(walk *w, const kni_eqn *e, uint32_t *var)
{
    uint32_t *x = knx_arena_alloc(&w->arena, ((size_t)e->n_in + 1) * sizeof *x), *y = var + e->out;
    uint32_t all = of_operands(e, var);
    const kni_jaxpr *body = body_of(e);
    if (!x)
        return knx_error_nomem();
    for (uint32_t i = 0; i < e->n_in; i++)
        x[i] = of_atom(var, e->in[i]);
    if (e->prim->loops == KN_LOOP_SCAN)
        return walk_scan(w, e, x, y);
    if (e->prim->loops == KN_LOOP_WHILE)
        return walk_while(w, e, x, y);
    if (e->prim->loops == KN_LOOP_COND)
        return walk_cond(w, e, x, y);
    if (body)
        return walk_jaxpr(w, body, x, 0, y);
    if (e->prim->bits & KN_NAMES)
        all = e->prim->bits & KN_AGREES ? all & ~named(w->m, e) : all | named(w->m, e);
    for (uint32_t k = 0; k < e->n_out; k++)
        y[k] = all;
    return NULL;
}

/* always: axes along which whether it runs at all differs. */
static knx_error *walk_jaxpr(walk *w, const kni_jaxpr *j, const uint32_t *in, uint32_t always, uint32_t *out)
{
    uint32_t *var = knx_arena_zero(&w->arena, ((size_t)j->n_var + 1) * sizeof *var);
    if (!var)
        return knx_error_nomem();
    for (uint32_t i = 0; i < j->n_in; i++)
        var[j->n_const + i] = in[i];
    for (uint32_t i = 0; i < j->n_eqn; i++)
        KN_TRY(walk_equation(w, &j->eqn[i], var));
    for (uint32_t i = 0; i < j->n_out; i++)
        out[i] = of_atom(var, j->out[i]) | always;
    return NULL;
}

knx_error *knp_varying(const kni_jaxpr *j, const kni_mesh *m, const uint32_t *in, uint32_t *out)
{
    walk w = {.m = m, .arena = KN_ARENA_INIT};
    knx_error *error = walk_jaxpr(&w, j, in, 0, out);
    knx_arena_free(&w.arena);
    return error;
}
