/* SPDX-License-Identifier: Apache-2.0
 * kinds.c -- plans for all extents: a cut is recorded once more with dimension variables in place of its extents, and
 * compiled to a program that takes any numbers for them (docs/shapes.md).
 *
 * The extents of a cut are those of its leaves and those among its parameters, in order. 0 and 1 stay numbers, and
 * belong
 * to the kind; each other one becomes a variable, equal ones the same. What the rules and the compiler had to ask of
 * the
 * variables is a condition of the kind. */
#include "array/plans.h"
#include "base/log.h"
#include <string.h>

enum { MOST_VARIABLES = 24, MOST_PLACES = 512 };

void kna_kind_release(kna_kind *k)
{
    if (!k || atomic_fetch_sub_explicit(&k->refs, 1, memory_order_acq_rel) != 1)
        return;
    kni_release(k->jaxpr);
    knc_release(k->program);
    knx_dim_conditions_free(&k->conditions);
    knx_arena_free(&k->arena);
    knx_free(k);
}

/* ---- The extents of a cut, one after the other. */

typedef bool visitor(void *env, int64_t *extent);

static bool visit_extents(const kna_cut *c, visitor *visit, void *env)
{
    for (size_t i = 0; i < c->leaf.n; i++)
        for (int d = 0; d < c->leaf.at[i]->type.ndim; d++)
            if (!visit(env, &c->leaf.at[i]->dims[d]))
                return false;
    for (size_t k = 0; k < c->node.n; k++)
        if (!kni_params_visit_extents(c->node.at[k]->prim, c->node.at[k]->params, visit, env))
            return false;
    return true;
}

static uint64_t class_of(int64_t extent) { return extent < 0 ? 3 : extent < 2 ? (uint64_t)extent : 2; }

static bool hash_extent(void *env, int64_t *extent)
{
    uint64_t *h = env;
    *h = knx_hash_mix(*h, class_of(*extent));
    return true;
}

uint64_t kna_kind_hash(const kna_cut *c)
{
    uint64_t h = c->fuse ? 21 : 22;
    for (size_t i = 0; i < c->leaf.n; i++)
        h = knx_hash_mix(h + (c->donated && c->donated[i]),
                         (uint64_t)(uintptr_t)c->leaf.at[i]->type.dtype ^ (uint64_t)c->leaf.at[i]->type.ndim);
    const kni_atom *a = c->atom.at;
    for (size_t k = 0; k < c->node.n; k++) {
        const kna_node *n = c->node.at[k];
        h = knx_hash_mix(h, (uint64_t)(uintptr_t)n->prim);
        for (uint32_t i = 0; i < n->n_in; i++, a++)
            h = knx_hash_mix(h, n->in[i] ? *a : n->literal[i].bits.u[0] ^ n->literal[i].bits.u[1] ^ KN_LITERAL_BIT);
    }
    for (size_t i = 0; i < c->out_atom.n; i++)
        h = knx_hash_mix(h, c->out_atom.at[i]);
    visit_extents(c, hash_extent, &h);
    return h;
}

/* ---- Does a kind fit? */

typedef struct binding {
    const kna_kind *k;
    uint32_t at;
    int64_t *value, *extent; /* extent: NULL: not wanted */
    uint32_t bound;          /* bit per variable */
} binding;

static bool bind(void *env, int64_t *extent)
{
    binding *b = env;
    if (b->at == b->k->n_place)
        return false;
    int32_t v = b->k->place[b->at];
    if (b->extent)
        b->extent[b->at] = *extent;
    if (v < 0)
        return b->k->fixed[b->at++] == *extent;
    b->at++;
    if (b->bound >> v & 1)
        return b->value[v] == *extent;
    b->bound |= 1u << v;
    b->value[v] = *extent;
    return *extent >= 2;
}

bool kna_kind_fits(const kna_kind *k, const kna_cut *c, knx_dim_value *value, int64_t *extent)
{
    int64_t number[MOST_VARIABLES];
    binding b = {.k = k, .value = number, .extent = extent};
    if (!visit_extents(c, bind, &b) || b.at != k->n_place || !knx_dim_conditions_hold(&k->conditions, number))
        return false;
    for (uint32_t i = 0; i < k->n_var; i++)
        value[i] = (knx_dim_value){k->var[i], number[i]};
    return true;
}

typedef struct comparison {
    const int64_t *extent, *end;
} comparison;

static bool compare(void *env, int64_t *extent)
{
    comparison *x = env;
    return x->extent < x->end && *x->extent++ == *extent;
}

bool kna_kind_has(const kna_kind *k, const int64_t *extent, const kna_cut *c)
{
    comparison x = {extent, extent + k->n_place};
    return visit_extents(c, compare, &x) && x.extent == x.end;
}

/* ---- Making one. */

typedef struct maker {
    kna_kind *k;
    knx_dim_scope scope;
    int32_t place[MOST_PLACES + 1];
    int64_t fixed[MOST_PLACES + 1], handle[MOST_VARIABLES], number[MOST_VARIABLES];
    knx_dim_var var[MOST_VARIABLES + 1];
    uint32_t n_place, n_var, at;
    const char *why;
} maker;

static bool name_extent(void *env, int64_t *extent)
{
    maker *m = env;
    uint32_t v = 0;
    if (m->n_place == MOST_PLACES)
        return false;
    m->fixed[m->n_place] = *extent;
    m->place[m->n_place++] = -1;
    if (*extent < 2)
        return true;
    while (v < m->n_var && m->number[v] != *extent)
        v++;
    if (v == m->n_var) {
        char name[16];
        if (m->n_var == MOST_VARIABLES)
            return false;
        snprintf(name, sizeof name, "s%u", (unsigned)v);
        if (!knx_dim_named(name, strlen(name), &m->handle[v]) || !knx_dim_is_var(m->handle[v], &m->var[v]) ||
            !knx_dim_sample(&m->scope, m->var[v], *extent))
            return false;
        m->number[v] = *extent;
        m->n_var++;
    }
    m->place[m->n_place - 1] = (int32_t)v;
    return true;
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

static bool keep(maker *m)
{
    kna_kind *k = m->k;
    k->place = knx_arena_copy(&k->arena, m->place, (m->n_place + 1) * sizeof *m->place);
    k->fixed = knx_arena_copy(&k->arena, m->fixed, (m->n_place + 1) * sizeof *m->fixed);
    k->var = knx_arena_copy(&k->arena, m->var, (m->n_var + 1) * sizeof *m->var);
    k->n_place = m->n_place;
    k->n_var = m->n_var;
    return k->place && k->fixed && k->var && knx_dim_conditions_of(&m->scope, &k->conditions);
}

/* Why no such cut has a kind; NULL: it may have one. */
static const char *excluded(const kna_cut *c)
{
    if (!c->fuse)
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

static knx_error *make(maker *m, kna_cut *c, const knd_device *d)
{
    kna_kind *k = m->k;
    if (!visit_extents(c, name_extent, m)) {
        m->why = "it has too many extents";
        return NULL;
    }
    if (!m->n_var) {
        m->why = "it has no extents";
        return NULL;
    }
    KN_TRY(record(m, c, &k->jaxpr));
    if (m->why)
        return NULL;
    knc_compile_options o = {
        .target = d->target(d), .kernels = c->s->caches->kernels, .fuse = true, .donated = c->donated};
    KN_TRY(knc_compile(k->jaxpr, &o, &k->program));
    if (m->scope.error)
        return knx_dim_take_error(&m->scope);
    if (!keep(m))
        return knx_error_nomem();
    if (!knc_has_variables(k->program))
        m->why = "no extent matters";
    return NULL;
}

knx_error *kna_kind_make(kna_cut *c, const knd_device *d, kna_kind **out)
{
    kna_kind *k = knx_alloc_zero(sizeof *k);
    maker *m = knx_alloc_zero(sizeof *m);
    *out = NULL;
    if (!k || !m) {
        knx_free(k);
        knx_free(m);
        return knx_error_nomem();
    }
    atomic_init(&k->refs, 1);
    m->k = k;
    m->why = excluded(c);
    knx_error *error = NULL;
    if (!m->why) {
        knx_dim_scope_init(&m->scope);
        m->scope.least = 2;
        m->scope.assumes = true;
        knx_dim_enter(&m->scope);
        error = make(m, c, d);
        knx_dim_leave(&m->scope);
    }
    if (error && error->kind != KN_ERROR_MEMORY) {
        m->why = knx_arena_string(&k->arena, error->message);
        knx_error_release(error);
        error = m->why ? NULL : knx_error_nomem();
    }
    if (m->why) {
        knc_release(k->program);
        k->program = NULL;
        kni_release(k->jaxpr);
        k->jaxpr = NULL;
        k->why = m->why;
        KN_LOG(1, "plan: not for all extents: %s", k->why);
    }
    k->bytes = sizeof *k + k->arena.total + knx_dim_conditions_bytes(&k->conditions) +
               (k->program ? kni_bytes(k->jaxpr) + knc_bytes(k->program, k->jaxpr) : 0);
    knx_dim_scope_free(&m->scope);
    knx_free(m);
    if (error)
        kna_kind_release(k);
    else
        *out = k;
    return error;
}
