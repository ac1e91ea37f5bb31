/* SPDX-License-Identifier: Apache-2.0
 * kinds.c -- plans for all extents: a cut is recorded once more with dimension variables in place of its extents, and
 * compiled to a program that takes any numbers for them (docs/shapes.md).
 *
 * The extents of a cut are those of its leaves and those among its parameters, in order. 0 and 1 stay numbers, and
 * belong to the kind; each other one becomes a variable, equal ones the same. What the rules and the compiler had to
 * ask of the variables is a condition of the kind. */
#include "array/plans.h"
#include "base/log.h"
#include <string.h>

enum { MOST_PLACES = 512 };

void kna_kind_free(kna_kind *k)
{
    if (!k)
        return;
    knc_release(k->program);
    knx_dim_conditions_free(&k->conditions);
    knx_arena_free(&k->arena);
    knx_free(k);
}

KNX_HOT bool kna_kind_numbers(const kna_kind *k, const kna_cut *c, int64_t *number)
{
    uint32_t bound = 0; /* a bit per variable */
    if (c->key.extent.n != k->n_place)
        return false;
    for (uint32_t i = 0; i < k->n_place; i++) {
        int64_t extent = c->key.extent.at[i];
        int32_t v = k->place[i];
        if (v < 0) {
            if (k->sample[i] != extent)
                return false;
        } else if (bound >> v & 1) {
            if (number[v] != extent)
                return false;
        } else {
            if (extent < 2)
                return false;
            number[v] = extent;
            bound |= 1u << v;
        }
    }
    return true;
}

/* ---- Making one. */

typedef struct maker {
    kna_kind *k;
    kni_jaxpr *jaxpr;
    knx_dim_scope scope;
    int32_t place[MOST_PLACES];
    int64_t handle[KNA_KIND_VARIABLES], number[KNA_KIND_VARIABLES];
    knx_dim_var var[KNA_KIND_VARIABLES];
    uint32_t n_place, n_var, at;
    const char *why;
} maker;

/* A variable with this number in the sample: one that there is, or a new one. */
static knx_error *name_extent(maker *m, int64_t extent, int32_t *variable)
{
    uint32_t v = 0;
    char name[16];
    while (v < m->n_var && m->number[v] != extent)
        v++;
    *variable = (int32_t)v;
    if (v < m->n_var)
        return NULL;
    if (v == KNA_KIND_VARIABLES) {
        m->why = "it has too many extents";
        return NULL;
    }
    snprintf(name, sizeof name, "s%u", (unsigned)v);
    m->number[v] = extent;
    m->n_var++;
    bool fine = knx_dim_named(name, strlen(name), &m->handle[v]) && knx_dim_is_var(m->handle[v], &m->var[v]) &&
                knx_dim_sample(&m->scope, m->var[v], extent);
    return fine ? NULL : knx_error_nomem();
}

static knx_error *name_extents(maker *m, const kna_cut *c)
{
    m->n_place = (uint32_t)c->key.extent.n;
    m->why = m->n_place > MOST_PLACES ? "it has too many extents" : NULL;
    for (uint32_t i = 0; i < m->n_place && !m->why; i++) {
        m->place[i] = -1;
        KN_TRY(c->key.extent.at[i] < 2 ? NULL : name_extent(m, c->key.extent.at[i], &m->place[i]));
    }
    if (!m->n_var && !m->why)
        m->why = "it has no extents";
    return NULL;
}

static bool put_variable(void *env, int64_t *extent)
{
    maker *m = env;
    int32_t v = m->place[m->at++];
    if (v >= 0)
        *extent = m->handle[v];
    return true;
}

/* Is what the rule says of the variables what it said of the numbers? */
static bool same_result(const maker *m, kni_type made, kni_type was)
{
    bool same = made.dtype == was.dtype && made.ndim == was.ndim;
    for (int d = 0; same && d < was.ndim; d++) {
        int64_t n = 0;
        same = knx_dim_evaluate(made.dim[d], (int)m->scope.sample.n, m->scope.sample.at, &n) && n == was.dim[d];
    }
    return same;
}

static bool add_node(maker *m, kni_builder *b, const kna_node *n, const kni_atom *a, knx_arena *arena)
{
    kni_atom *in = knx_arena_alloc(arena, (n->n_in + 1) * sizeof *in),
             *y = knx_arena_alloc(arena, (n->n_out + 1) * sizeof *y);
    const void *params;
    if (!in || !y || !kni_params_copy(arena, n->prim, n->params, &params))
        return false;
    b->place = n->place;
    kni_params_visit_extents(n->prim, params, put_variable, m);
    for (uint32_t i = 0; i < n->n_in; i++)
        in[i] = n->in[i] ? a[i] : knb_literal(b, n->literal[i].type.dtype, n->literal[i].type.weak, n->literal[i].bits);
    knb_emit(b, n->prim, params, (int)n->n_in, in, y, (int)n->n_out);
    kni_params_drop(n->prim, params);
    for (uint32_t i = 0; !b->error && i < n->n_out; i++)
        if (!same_result(m, knb_type(b, y[i]), n->out_type[i])) {
            m->why = n->prim->name;
            return false;
        }
    return !b->error;
}

static knx_error *record(maker *m, const kna_cut *c, kni_jaxpr **out)
{
    kni_builder b;
    knx_arena arena = KN_ARENA_INIT;
    bool fine = true;
    knb_init(&b);
    m->at = 0;
    for (size_t i = 0; fine && i < c->leaf.n; i++) {
        kni_type own, t = c->leaf.at[i]->type;
        t.weak = false;
        fine = kni_type_copy(&arena, t, &own);
        for (int d = 0; fine && d < t.ndim; d++)
            put_variable(m, (int64_t *)(uintptr_t)&own.dim[d]);
        if (fine)
            knb_invar(&b, own);
    }
    const kni_atom *a = c->atom.at;
    for (size_t k = 0; fine && k < c->node.n; a += c->node.at[k]->n_in, k++)
        fine = add_node(m, &b, c->node.at[k], a, &arena);
    knx_error *error = knb_take_error(&b);
    if (!error && fine)
        error = knb_finish(&b, (int)c->out_atom.n, c->out_atom.at, "", false, out);
    else if (!error && !m->why)
        error = knx_error_nomem();
    knb_free(&b);
    knx_arena_free(&arena);
    return error;
}

static bool keep(maker *m, const kna_cut *c)
{
    kna_kind *k = m->k;
    k->place = knx_arena_copy(&k->arena, m->place, m->n_place * sizeof *m->place);
    k->sample = knx_arena_copy(&k->arena, c->key.extent.at, m->n_place * sizeof *c->key.extent.at);
    k->var = knx_arena_copy(&k->arena, m->var, m->n_var * sizeof *m->var);
    k->n_place = m->n_place;
    k->n_var = m->n_var;
    return k->place && k->sample && k->var && knx_dim_conditions_of(&m->scope, &k->conditions);
}

/* Why no such cut has a kind; NULL: it may have one. */
static const char *excluded(const kna_cut *c)
{
    if (!c->key.fuse)
        return "fusion is off";
    for (size_t k = 0; k < c->node.n; k++) {
        const kni_prim *p = c->node.at[k]->prim;
        if (p->bits & (KN_LOOPS | KN_DEEP_BITS | KN_CALLS))
            return p->name;
        for (const kni_param_field *f = p->fields; f && f->name; f++)
            if (f->kind == KN_P_JAXPR || f->kind == KN_P_JAXPRS || f->kind == KN_P_THUNK)
                return p->name;
    }
    return NULL;
}

static knx_error *make(maker *m, kna_cut *c)
{
    const knd_device *d = c->device;
    knc_compile_options o = {
        .target = d->target(d), .kernels = c->s->caches->kernels, .fuse = true, .donated = c->donated};
    m->why = excluded(c);
    KN_TRY(m->why ? NULL : name_extents(m, c));
    KN_TRY(m->why ? NULL : record(m, c, &m->jaxpr));
    KN_TRY(m->why ? NULL : knc_compile(m->jaxpr, &o, &m->k->program));
    if (m->why)
        return NULL;
    if (!knc_has_variables(m->k->program))
        m->why = "no extent matters";
    return !m->scope.error && !keep(m, c) ? knx_error_nomem() : NULL;
}

/* Recorded and compiled, or m->why says why not. */
static knx_error *try_to_make(maker *m, kna_cut *c, knx_text *why)
{
    knx_dim_scope_init(&m->scope);
    m->scope.least = 2;
    m->scope.assumes = true;
    knx_dim_enter(&m->scope);
    knx_error *error = make(m, c), *refused;
    knx_dim_leave(&m->scope);
    refused = knx_dim_take_error(&m->scope);
    knx_dim_scope_free(&m->scope);
    if (error)
        knx_error_release(refused);
    else
        error = refused;
    if (error && !knx_error_passes(error)) {
        knx_text_add(why, "%s", error->message);
        m->why = why->s;
        knx_error_release(error);
        error = NULL;
    }
    return error;
}

static kna_plan *plan_of(const maker *m, const kna_cut *c)
{
    const kna_kind *k = m->k;
    kna_plan *p = knx_alloc_zero(sizeof *p);
    bool *donated = c->donated ? knx_alloc(c->leaf.n + 1) : NULL;
    if (!p || (c->donated && !donated) || !kni_key_copy(&c->key, &p->key)) {
        knx_free(p);
        knx_free(donated);
        return NULL;
    }
    if (donated)
        memcpy(donated, c->donated, c->leaf.n);
    atomic_init(&p->refs, 1);
    p->kind_hash = c->kind;
    p->likeness = kna_cut_likeness(c);
    p->fuse = c->key.fuse;
    p->device = c->device;
    p->donated = donated;
    p->jaxpr = m->jaxpr;
    p->kind = m->k;
    p->bytes = sizeof *p + sizeof *k + c->leaf.n + kni_key_bytes(&p->key) + k->arena.total +
               knx_dim_conditions_bytes(&k->conditions) + kni_bytes(p->jaxpr) + knc_bytes(k->program, p->jaxpr);
    return p;
}

knx_error *kna_kind_make(kna_cut *c, kna_plan **out)
{
    maker *m = knx_alloc_zero(sizeof *m);
    knx_text why = {0};
    knx_error *error = m && (m->k = knx_alloc_zero(sizeof *m->k)) ? try_to_make(m, c, &why) : knx_error_nomem();
    *out = NULL;
    if (!error && m->why)
        KN_LOG(1, "plan: not for all extents: %s", m->why);
    else if (!error && !(*out = plan_of(m, c)))
        error = knx_error_nomem();
    if (m && !*out) {
        kna_kind_free(m->k);
        kni_release(m->jaxpr);
    }
    knx_free(m);
    return error;
}
