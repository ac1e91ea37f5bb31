/* SPDX-License-Identifier: Apache-2.0
 * simplify.c -- passes that keep the meaning: dead code, common subexpressions, algebra that changes no bits (each
 * row's `simplify`), results that no one reads of equations with others (`prune`), inlining of calls, expansion of
 * primitives that stand for others. */
#include "base/hash.h"
#include "ir/ops.h"
#include "transform/replay.h"

knx_error *knt_passes(const kni_jaxpr *j, int n, knt_pass *const *pass, kni_jaxpr **out)
{
    *out = kni_retain(j);
    for (int i = 0; i < n; i++) {
        kni_jaxpr *next = NULL;
        knx_error *error = pass[i](*out, &next);
        kni_release(*out);
        *out = next;
        if (error)
            return error;
    }
    return NULL;
}

/* Applies `one` to every equation in order. */
static knx_error *rewrite(const kni_jaxpr *j, knx_error *(*one)(knt_replay *r, const kni_eqn *e, void *env), void *env,
                          kni_jaxpr **out)
{
    knt_replay r;
    knx_error *error = knt_replay_begin(&r, j, true);
    for (uint32_t i = 0; !error && i < j->n_eqn; i++) {
        knt_operands(&r, &j->eqn[i]);
        error = one(&r, &j->eqn[i], env);
        if (!error)
            error = knb_take_error(&r.b);
    }
    r.b.whole = false; /* these passes are for what runs */
    if (!error)
        error = knt_replay_finish(&r, out);
    knt_replay_end(&r);
    return error;
}

/* Equations already written, by hash of primitive, parameters and operands. */
typedef struct known {
    knx_table map;
} known;

static uint64_t hash_of(const kni_eqn *e, const kni_atom *in)
{
    uint64_t h = knx_hash_mix(kni_params_hash(e->prim, e->params, 1), (uint64_t)(uintptr_t)e->prim);
    return knx_hash_bytes(in, e->n_in * sizeof *in, h);
}

static const kni_draft_eqn *find_equal(known *k, knt_replay *r, const kni_eqn *e, uint64_t h)
{
    size_t cursor;
    for (void *v = knx_table_first(&k->map, h, &cursor); v; v = knx_table_next(&k->map, h, &cursor)) {
        const kni_draft_eqn *d = &r->b.eqn.at[(uintptr_t)v - 1];
        bool same = d->prim == e->prim && d->n_in == e->n_in && kni_params_equal(e->prim, d->params, e->params);
        for (uint32_t i = 0; same && i < e->n_in; i++)
            same = d->in[i] == r->in[i];
        if (same)
            return d;
    }
    return NULL;
}

static knx_error *simplify_equation(knt_replay *r, const kni_eqn *e, void *env)
{
    known *k = env;
    if (e->prim->simplify && e->n_out <= 1) {
        kni_rule rule = knt_rule(r, e, NULL);
        kni_atom y = e->prim->simplify(&rule);
        if (y != KN_ATOM_NONE) {
            knt_bind(r, e, &y);
            return NULL;
        }
    }
    if (kni_bits(e->prim, e->params) & KN_EFFECT) { /* twice is not once */
        knt_emit_same(r, e);
        return NULL;
    }
    uint64_t h = hash_of(e, r->in);
    const kni_draft_eqn *same = find_equal(k, r, e, h);
    if (same) {
        for (uint32_t i = 0; i < e->n_out; i++)
            r->map[e->out + i] = same->out + i;
        return NULL;
    }
    knt_emit_same(r, e);
    if (!r->b.error && !knx_table_add(&k->map, h, (void *)(uintptr_t)r->b.eqn.n))
        return knx_error_nomem();
    return NULL;
}

/* Which variables are read: what rows with several results are asked about. */
typedef struct reading {
    bool *read, changed;
} reading;

static bool is_live(const kni_eqn *e, const bool *read)
{
    for (uint32_t i = 0; i < e->n_out; i++)
        if (read[e->out + i])
            return true;
    return kni_must_stay(e->prim, e->params);
}

static knx_error *prune_equation(knt_replay *r, const kni_eqn *e, void *env)
{
    reading *t = env;
    bool pruned = false;
    if (!is_live(e, t->read)) /* it may read what is not there any more */
        return NULL;
    if (e->prim->prune) {
        kni_rule rule = knt_rule(r, e, NULL);
        for (uint32_t i = 0; i < e->n_out; i++)
            r->out[i] = KN_ATOM_NONE;
        KN_TRY(e->prim->prune(&rule, t->read + e->out, r->out, &pruned));
    }
    if (pruned)
        knt_bind(r, e, r->out);
    else
        knt_emit_same(r, e);
    t->changed |= pruned;
    return NULL;
}

static void mark_read(const kni_jaxpr *j, bool *read)
{
    for (uint32_t v = 0; v < j->n_var; v++)
        read[v] = false;
    for (uint32_t i = 0; i < j->n_out; i++)
        if (kni_is_var(j->out[i]))
            read[j->out[i]] = true;
    for (uint32_t k = j->n_eqn; k-- > 0;) {
        const kni_eqn *e = &j->eqn[k];
        for (uint32_t i = 0; is_live(e, read) && i < e->n_in; i++)
            if (kni_is_var(e->in[i]))
                read[e->in[i]] = true;
    }
}

/* Until nothing changes: what one equation does not need any more another one need not make. */
static knx_error *prune(const kni_jaxpr *j, kni_jaxpr **out)
{
    bool any = false;
    for (uint32_t k = 0; k < j->n_eqn; k++)
        any |= j->eqn[k].prim->prune != NULL;
    kni_jaxpr *now = kni_retain(j);
    while (any) {
        reading t = {.read = knx_alloc((size_t)now->n_var + 1)};
        kni_jaxpr *next = NULL;
        knx_error *error = t.read ? NULL : knx_error_nomem();
        if (!error) {
            mark_read(now, t.read);
            error = rewrite(now, prune_equation, &t, &next);
        }
        knx_free(t.read);
        kni_release(now);
        if (error)
            return error;
        now = next;
        any = t.changed;
    }
    *out = now;
    return NULL;
}

knx_error *knt_simplify(const kni_jaxpr *j, kni_jaxpr **out)
{
    known k = {0};
    kni_jaxpr *pruned = NULL;
    KN_TRY(prune(j, &pruned));
    knx_error *error = rewrite(pruned, simplify_equation, &k, out);
    kni_release(pruned);
    knx_table_free(&k.map);
    return error;
}

static knx_error *inline_equation(knt_replay *r, const kni_eqn *e, void *env)
{
    (void)env;
    if (e->prim->bits & KN_CALLS) {
        knb_inline(&r->b, ((const kni_p_jit *)e->params)->jaxpr, r->in, r->out);
        knt_bind(r, e, r->out);
    } else {
        knt_emit_same(r, e);
    }
    return NULL;
}

static bool expands(const kni_jaxpr *j, const kni_eqn *e)
{
    kni_type x[8]; /* rows that ask have few operands */
    if (!e->prim->expand || !e->prim->expands)
        return e->prim->expand;
    for (uint32_t i = 0; i < e->n_in && i < 8; i++)
        x[i] = kni_atom_type(j, e->in[i]);
    kni_rule r = kni_rule_of(e, x, NULL);
    return e->prim->expands(&r);
}

static knx_error *expand_equation(knt_replay *r, const kni_eqn *e, void *env)
{
    (void)env;
    if (!expands(r->j, e)) {
        knt_emit_same(r, e);
        return NULL;
    }
    kni_rule rule = knt_rule(r, e, NULL);
    KN_TRY(e->prim->expand(&rule, r->out));
    knt_bind(r, e, r->out);
    return NULL;
}

static bool any_calls(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (j->eqn[i].prim->bits & KN_CALLS)
            return true;
    return false;
}

static bool any_expands(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (expands(j, &j->eqn[i]))
            return true;
    return false;
}

/* Rewrites until nothing is left to rewrite. */
static knx_error *exhaust(const kni_jaxpr *j, bool (*left)(const kni_jaxpr *),
                          knx_error *(*one)(knt_replay *, const kni_eqn *, void *), kni_jaxpr **out)
{
    kni_jaxpr *now = kni_retain(j);
    while (left(now)) {
        kni_jaxpr *next = NULL;
        knx_error *error = rewrite(now, one, NULL, &next);
        kni_release(now);
        if (error)
            return error;
        now = next;
    }
    *out = now;
    return NULL;
}

/* Calls, and what can fail in a way that only its expansion tells. */
static bool opens(const kni_jaxpr *j, const kni_eqn *e)
{
    bool fails = kni_can_fail(e->prim, e->params) && !e->prim->unfailing;
    return (e->prim->bits & KN_CALLS) || (fails && expands(j, e));
}

static knx_error *open_equation(knt_replay *r, const kni_eqn *e, void *env)
{
    if (opens(r->j, e))
        return e->prim->bits & KN_CALLS ? inline_equation(r, e, env) : expand_equation(r, e, env);
    knt_emit_same(r, e);
    return NULL;
}

static bool any_opens(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (opens(j, &j->eqn[i]))
            return true;
    return false;
}

knx_error *knt_expand_failing(const kni_jaxpr *j, kni_jaxpr **out) { return exhaust(j, any_opens, open_equation, out); }

knx_error *knt_inline_calls(const kni_jaxpr *j, kni_jaxpr **out) { return exhaust(j, any_calls, inline_equation, out); }

knx_error *knt_expand(const kni_jaxpr *j, kni_jaxpr **out) { return exhaust(j, any_expands, expand_equation, out); }

knx_error *knt_simplify_opened(const kni_jaxpr *j, kni_jaxpr **out)
{
    static knt_pass *const opening[] = {knt_inline_calls, knt_expand, knt_inline_calls};
    KN_TRY(knt_simplify(j, out));
    for (;;) {
        kni_jaxpr *simple = *out, *opened = NULL;
        knx_error *error = knt_passes(simple, sizeof opening / sizeof *opening, opening, &opened);
        bool same = opened == simple;
        *out = NULL;
        if (!error && !same)
            error = knt_simplify(opened, out);
        if (!error && same) {
            *out = opened; /* a reference to the simple one */
            opened = NULL;
        }
        kni_release(simple);
        kni_release(opened);
        if (error || same)
            return error;
    }
}
