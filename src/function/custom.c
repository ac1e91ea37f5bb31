/* SPDX-License-Identifier: Apache-2.0
 * custom.c -- custom_jvp, custom_vjp and checkpoint as functions: each becomes one equation around what it calls. Rules
 * are recorded when a transformation asks for them, once for each list of types.
 *
 * Operands of an equation of custom_jvp or custom_vjp, in order: constants that the function's recording met, arrays
 * captured by the rules, arrays captured by the function, arguments. */
#include "function/custom.h"
#include "array/op.h"
#include "base/lock.h"
#include "ir/ops.h"
#include "transform/transform.h"
#include <string.h>

/* ---- The functions that are called. */

static int rule_captured(const knf_core *f) { return f->n_captured - f->inner->n_captured; }

/* Does the rule take the function's captured arrays as its first argument? (Then it differentiates by them.) */
static bool converts(const knf_core *f)
{
    int n = f->inner->n_args * (f->kind == KNF_FN_CUSTOM_JVP ? 2 : 1);
    return f->inner->n_captured && f->rule[0]->n_args > n;
}

static kni_atom *frame_of(kni_builder *b, size_t n)
{
    kni_atom *a = knx_arena_alloc(&b->arena, (n + 1) * sizeof *a);
    for (size_t i = 0; a && i < n; i++)
        a[i] = KN_ATOM_NONE;
    return a;
}

/* The body's jaxpr with inputs for the rules' captured arrays between its constants and its own inputs. */
static knx_error *with_rule_inputs(const knf_core *f, const kni_jaxpr *j, const kni_type *captured, kni_jaxpr **out)
{
    kni_builder b;
    int extra = rule_captured(f);
    uint32_t n = j->n_const + j->n_in;
    knb_init(&b);
    kni_atom *x = frame_of(&b, n), *y = frame_of(&b, j->n_out);
    knx_error *e = x && y ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !e && i < n; i++) {
        for (int k = 0; i == j->n_const && k < extra; k++)
            knb_invar(&b, captured[k]);
        x[i] = knb_invar(&b, j->type[i]);
    }
    if (!e)
        knb_inline(&b, j, x, y);
    if (!e)
        e = knb_finish(&b, (int)j->n_out, y, f->name, true, out);
    knb_free(&b);
    return e;
}

static void emit_custom(knf_core *f, kni_builder *b, kni_jaxpr *body, int implicit, const kni_atom *x, kni_atom *y)
{
    int n = (int)body->n_in, n_out = (int)body->n_out;
    int64_t consts = implicit + rule_captured(f) + (converts(f) ? 0 : f->inner->n_captured);
    bool jvp = f->kind == KNF_FN_CUSTOM_JVP;
    kni_thunk *rule[2];
    knf_rule_thunks(f, implicit, rule);
    if (!rule[0] || (!jvp && !rule[1]))
        knb_fail(b, knx_error_nomem());
    else if (jvp)
        knb_emit(b, &knp_prim_custom_jvp_call, &(kni_p_custom_jvp){f->name, body, rule[0], consts}, n, x, y, n_out);
    else
        knb_emit(b, &knp_prim_custom_vjp_call, &(kni_p_custom_vjp){f->name, rule[1], body, rule[0], consts}, n, x, y,
                 n_out);
    kni_thunk_release(rule[0]);
    kni_thunk_release(rule[1]);
}

static void emit_checkpoint(knf_core *f, kni_builder *b, kni_jaxpr *body, const kni_atom *x, kni_atom *y)
{
    kni_p_remat p = {.jaxpr = body, .policy = f->o.policy, .names = f->o.policy_names, .prevent_cse = !f->o.allow_cse};
    knb_emit(b, &knp_prim_remat2, &p, (int)body->n_in, x, y, (int)body->n_out);
}

/* A jaxpr of one equation around the body: constants, then f's inputs; keeps the constants' values in *out. */
static knx_error *around(knf_core *f, kni_jaxpr *body, kna_closed *out)
{
    kni_builder b;
    uint32_t implicit = out->n_const;
    knb_init(&b);
    b.place = knx_context()->here;
    kni_atom *x = frame_of(&b, body->n_in), *y = frame_of(&b, body->n_out);
    knx_error *e = x && y ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !e && i < body->n_in; i++)
        x[i] = i < implicit ? knb_constvar(&b, body->type[i]) : knb_invar(&b, body->type[i]);
    if (!e && f->kind == KNF_FN_CHECKPOINT)
        emit_checkpoint(f, &b, body, x, y);
    else if (!e)
        emit_custom(f, &b, body, (int)implicit, x, y);
    kni_jaxpr *j = NULL;
    if (!e)
        e = knb_finish(&b, (int)body->n_out, y, f->name, true, &j);
    knb_free(&b);
    kni_release(out->jaxpr);
    out->jaxpr = j;
    return e;
}

knx_error *knf_derive_custom(knf_core *f, const kni_type *in, kna_value *const *known, const char *why, kna_closed *out)
{
    int skip = rule_captured(f);
    kni_jaxpr *body = NULL;
    KN_TRY(knf_derive(f->inner, in + skip, known ? known + skip : NULL, why, out));
    knx_error *e = with_rule_inputs(f, out->jaxpr, in, &body);
    if (!e)
        e = around(f, body, out);
    kni_release(body);
    if (e)
        kna_closed_free(out);
    return e;
}

/* ---- Rules: recorded, their constants folded in. */

/* An array of a recording as an expression: rules have no operands for what they meet outside. */
static kni_atom constant(kni_builder *b, const char *rule, const char *advice, const kna_value *v)
{
    enum { MOST = 256 };
    kni_type t = v->type;
    int64_t n = kni_type_size(t), one = 1;
    size_t size = t.dtype->size;
    const char *data = kna_elements(v);
    bool uniform = n == 0 || n == 1 || !memcmp(data, data + size, (size_t)(n - 1) * size);
    kni_atom *x = frame_of(b, MOST);
    if (!x || (!uniform && n > MOST)) {
        knx_text text = {0};
        knb_fail(b,
                 !x ? knx_error_nomem()
                    : knx_error_new(KN_ERROR_VALUE, "the rule %s uses an array %s that is not among its arguments; %s",
                                    rule, kni_type_text(&text, t, true), advice));
        return KN_ATOM_NONE;
    }
    for (int64_t i = 0; i < (uniform ? 1 : n); i++) {
        knx_scalar_bits bits = {{0}};
        if (n)
            memcpy(&bits, data + (size_t)i * size, size);
        x[i] = knb_literal(b, t.dtype, false, bits);
        if (!uniform)
            x[i] = knb_broadcast_in_dim(b, x[i], 1, &one, NULL);
    }
    if (uniform)
        return t.ndim ? knb_broadcast_in_dim(b, x[0], t.ndim, t.dim, NULL) : x[0];
    return knb_reshape(b, knb_concatenate(b, (int)n, x, 0), t.ndim, t.dim);
}

knx_error *knf_fold_constants(const char *rule, const char *advice, const kna_closed *c, kni_jaxpr **out)
{
    kni_builder b;
    const kni_jaxpr *j = c->jaxpr;
    if (c->once)
        return knx_error_new(KN_ERROR_LEAKED_TRACER,
                             "the rule %s uses a traced array that is not among its arguments; %s", rule, advice);
    KN_TRY(kna_force_here((int)c->n_const, c->consts));
    knb_init(&b);
    kni_atom *x = frame_of(&b, (size_t)j->n_const + j->n_in), *y = frame_of(&b, j->n_out);
    knx_error *e = x && y ? NULL : knx_error_nomem();
    for (uint32_t i = 0; !e && i < j->n_in; i++)
        x[j->n_const + i] = knb_invar(&b, kni_in_type(j, i));
    for (uint32_t i = 0; !e && i < j->n_const; i++)
        x[i] = constant(&b, rule, advice, c->consts[i]);
    if (!e)
        knb_inline(&b, j, x, y);
    if (!e)
        e = knb_finish(&b, (int)j->n_out, y, j->name, true, out);
    knb_free(&b);
    return e;
}

static bool same_pair(const kntree_structure *a, const kntree_structure *b)
{
    return a == b || (a && b && kntree_structure_equal(a, b));
}

static bool same_types(const knf_rule *r, int which, int n, const kni_type *in)
{
    if (r->which != which || r->n_in != n || r->default_float != kna_default_float() ||
        r->events != kna_state_get()->how.events || !knf_same_axes(r->axes, kna_state_get()->axes))
        return false;
    for (int i = 0; i < n; i++)
        if (r->in[i].dtype != in[i].dtype || !kni_type_same_shape(r->in[i], in[i]))
            return false;
    return true;
}

static void free_rule(knf_rule *r)
{
    kni_release(r->jaxpr);
    kntree_structure_release(r->pair);
    knx_arena_free(&r->arena);
}

/* Not of cores that are in no table: a rule that calls its function would keep it alive for ever. */
static bool remember(knf_core *f, int which, int n, const kni_type *in, kntree_structure *pair, const kni_jaxpr *j)
{
    if (!f->hash)
        return true;
    knf_rule r = {
        .which = which, .n_in = n, .events = kna_state_get()->how.events, .default_float = kna_default_float()};
    bool ok = knf_copy_axes(&r.arena, kna_state_get()->axes, &r.axes) &&
              (r.in = knx_arena_alloc(&r.arena, ((size_t)n + 1) * sizeof *r.in)) != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = kni_type_copy(&r.arena, in[i], &r.in[i]);
    if (ok && f->rules.n >= KNF_MAX_RULES) { /* the oldest goes */
        knf_rule old = f->rules.at[0];
        memmove(f->rules.at, f->rules.at + 1, (f->rules.n - 1) * sizeof old);
        f->rules.n--;
        knf_core_count(f, -(old.arena.total + kni_bytes(old.jaxpr)));
        free_rule(&old);
    }
    r.jaxpr = kni_retain(j);
    r.pair = kntree_structure_retain(pair);
    if (ok && KN_VEC_PUSH(&f->rules, r)) {
        knf_core_count(f, r.arena.total + kni_bytes(j));
        return true;
    }
    free_rule(&r);
    return false;
}

void knf_rules_free(knf_core *f)
{
    for (size_t i = 0; i < f->rules.n; i++)
        free_rule(&f->rules.at[i]);
    KN_VEC_FREE(&f->rules);
    for (size_t i = 0; i < f->pairs.n; i++) {
        kntree_structure_release(f->pairs.at[i].structure);
        knx_arena_free(&f->pairs.at[i].arena);
    }
    KN_VEC_FREE(&f->pairs);
}

/* ---- Rules of trees: what a forward rule returns, and the backward one takes then, is seen when it is recorded. */

/* The residuals of these types as the last forward rule returned them that had such; NULL: none had. */
static knf_pair *pair_of(const knf_core *f, int n, const kni_type *type)
{
    for (size_t i = f->pairs.n; i-- > 0;) {
        knf_pair *p = &f->pairs.at[i];
        bool same = p->n == n;
        for (int k = 0; same && k < n; k++)
            same = p->type[k].dtype == type[k].dtype && kni_type_same_shape(p->type[k], type[k]);
        if (same)
            return p;
    }
    return NULL;
}

static bool remember_pair(knf_core *f, const kni_jaxpr *forward, kntree_structure *pair)
{
    knf_pair p = {.n = (int)forward->n_out - f->inner->n_out};
    bool ok = (p.type = knx_arena_alloc(&p.arena, ((size_t)p.n + 1) * sizeof *p.type)) != NULL;
    for (int i = 0; ok && i < p.n; i++)
        ok = kni_type_copy(&p.arena, kni_out_type(forward, (uint32_t)(f->inner->n_out + i)), &p.type[i]);
    knf_pair *known = ok ? pair_of(f, p.n, p.type) : NULL;
    if (known) {
        kntree_structure_release(known->structure);
        known->structure = kntree_structure_retain(pair);
    }
    if (known || !ok || !KN_VEC_PUSH(&f->pairs, p)) {
        knx_arena_free(&p.arena);
        return known != NULL;
    }
    f->pairs.at[f->pairs.n - 1].structure = kntree_structure_retain(pair);
    knf_core_count(f, p.arena.total);
    return true;
}

static knx_error *check_forward(const knf_core *f, const kntree_structure *pair, const kni_jaxpr *forward)
{
    KN_TRY(knf_check_pair(f, pair));
    kntree_structure *result = kntree_structure_sub(pair, kntree_structure_child(pair, 0, 0));
    int n = result ? result->node[0].leaves : -1;
    kntree_structure_release(result);
    if (n < 0)
        return knx_error_nomem();
    if (n == f->inner->n_out && forward->n_out >= (uint32_t)n)
        return NULL;
    return knx_error_new(
        KN_ERROR_TYPE,
        "Custom VJP fwd rule %s for function %s must produce a pair where the first element represents "
        "the primal output and the second element represents residuals: its first element has %d "
        "arrays, that output %d",
        f->rule[0]->name, f->inner->name, n, f->inner->n_out);
}

static knx_error *derive_forward(knf_core *f, const kni_type *in, kntree_structure **pair, kna_closed *out)
{
    KN_TRY(knf_derive_tree(f->rule[0], in, NULL, "custom_vjp", out, pair));
    knx_error *e = check_forward(f, *pair, out->jaxpr);
    if (!e && !remember_pair(f, out->jaxpr, *pair))
        e = knx_error_nomem();
    if (e)
        kna_closed_free(out);
    return e;
}

/* What the forward rule of this equation returned is known where it ran; else one that returned such residuals. */
static knx_error *find_pair(const knf_core *f, int n, const kni_type *in, kntree_structure **pair)
{
    const knf_core *rule = f->rule[1];
    int own = rule->n_captured, residuals = n - own - f->inner->n_out;
    const knf_pair *p = *pair || residuals < 0 ? NULL : pair_of(f, residuals, in + own);
    if (*pair)
        return NULL;
    if (!p)
        return knx_error_new(KN_ERROR_TYPE, "the rule %s takes trees, and no forward rule returned such residuals",
                             rule->name);
    *pair = kntree_structure_retain(p->structure);
    return NULL;
}

static knx_error *derive_backward(knf_core *f, const kni_type *in, const kntree_structure *pair, kna_closed *out)
{
    knf_core *fitted = NULL;
    KN_TRY(knf_fit_backward(f, pair, &fitted));
    knx_error *e = knf_derive(fitted, in, NULL, "custom_vjp", out);
    knf_core_release(fitted);
    return e;
}

static knx_error *derive_rule(knf_core *f, int which, const kni_type *in, kntree_structure **pair, kna_closed *out)
{
    bool jvp = f->kind == KNF_FN_CUSTOM_JVP;
    if (!jvp && which == 0 && f->rule[0]->open_out)
        return derive_forward(f, in, pair, out);
    if (which == 1 && knf_is_open(f->rule[1]))
        return derive_backward(f, in, *pair, out);
    return knf_derive(f->rule[which], in, NULL, jvp ? "custom_jvp" : "custom_vjp", out);
}

/* The rule itself: its captured arrays, its arguments -> its results. *pair: of rules of trees, what the forward one
 * returns, and the backward one takes, NULL if that is not known. */
static knx_error *recorded(knf_core *f, int which, int n, kni_type *in, kntree_structure **pair, kni_jaxpr **out)
{
    knf_core *rule = f->rule[which];
    for (int i = 0; i < n; i++)
        in[i].weak = false;
    KN_TRY(which == 1 && knf_is_open(rule) ? find_pair(f, n, in, pair) : NULL);
    for (size_t i = 0; i < f->rules.n && !knf_is_assuming(); i++) {
        const knf_rule *r = &f->rules.at[i];
        if (!same_types(r, which, n, in) || (which == 1 && !same_pair(r->pair, *pair)))
            continue;
        *out = kni_retain(r->jaxpr);
        *pair = which ? *pair : kntree_structure_retain(r->pair);
        return NULL;
    }
    kna_closed c = {0};
    uint64_t reports = knx_context()->reports;
    KN_TRY(derive_rule(f, which, in, pair, &c));
    knx_error *e = knf_fold_constants(rule->name, "bind it with KN_CLOSE", &c, out);
    kna_closed_free(&c);
    if (!e && !knx_reported_since(reports) && !knf_is_assuming() && !remember(f, which, n, in, *pair, *out)) {
        kni_release(*out);
        *out = NULL;
        e = knx_error_nomem();
    }
    return e;
}

/* ---- Thunks: rules over the operands of an equation. */

/* Rules of trees of one equation: what the forward one returned there, for its operands' types. */
typedef struct returned {
    atomic_int refs;
    kntree_structure *pair; /* under the lock; NULL: it was not asked for yet */
} returned;
static knx_global_lock returned_lock = KN_GLOBAL_LOCK_INIT;

typedef struct rule_thunk {
    kni_thunk base;
    knf_core *core;
    int which, implicit;
    knx_arena arena;
    kna_named_axis *axes; /* bound where the function was called: the rule speaks of the same ones */
    returned *returned;   /* both rules' */
} rule_thunk;

static kntree_structure *known_pair(const rule_thunk *t)
{
    knx_global_lock_take(&returned_lock);
    kntree_structure *pair = kntree_structure_retain(t->returned->pair);
    knx_global_unlock(&returned_lock);
    return pair;
}

static void note_pair(const rule_thunk *t, kntree_structure *pair)
{
    knx_global_lock_take(&returned_lock);
    kntree_structure *old = t->returned->pair;
    t->returned->pair = kntree_structure_retain(pair);
    knx_global_unlock(&returned_lock);
    kntree_structure_release(old);
}

static void release_returned(returned *r)
{
    if (!r || atomic_fetch_sub(&r->refs, 1) > 1)
        return;
    kntree_structure_release(r->pair);
    knx_free(r);
}

/* The rule for these types, with what its equation knows of the residuals. */
static knx_error *rule_of(const rule_thunk *t, int n, kni_type *type, kni_jaxpr **rule)
{
    kntree_structure *pair = t->which ? known_pair(t) : NULL;
    knx_error *e = recorded(t->core, t->which, n, type, &pair, rule);
    if (!e && !t->which && pair)
        note_pair(t, pair);
    kntree_structure_release(pair);
    return e;
}

/* Which inputs the rule takes: n of them from `take`, into `from`. */
static int taken(const rule_thunk *t, int n_in, int *from)
{
    const knf_core *f = t->core;
    int n = 0, at = t->implicit, own = f->rule[0]->n_captured, rest = at + rule_captured(f);
    if (!converts(f))
        rest += f->inner->n_captured;
    for (int i = 0; i < own; i++)
        from[n++] = at + i;
    for (int i = rest; i < n_in; i++) /* operands, and behind them tangents */
        from[n++] = i;
    return n;
}

/* Inputs that the rule does not take are there, and what the backward rule captured is a residual. */
static knx_error *over_operands(const rule_thunk *t, int n_in, const kni_type *in, const int *from,
                                const kni_jaxpr *rule, kni_jaxpr **out)
{
    kni_builder b;
    const knf_core *f = t->core;
    int values = f->kind == KNF_FN_CUSTOM_JVP ? (int)rule->n_out : f->inner->n_out;
    int kept = f->kind == KNF_FN_CUSTOM_JVP ? 0 : f->rule[1]->n_captured;
    int first = t->implicit + f->rule[0]->n_captured, n = 0;
    knb_init(&b);
    kni_atom *x = frame_of(&b, (size_t)n_in), *taken_x = frame_of(&b, rule->n_in), *y = frame_of(&b, rule->n_out),
             *all = frame_of(&b, rule->n_out + (size_t)kept);
    knx_error *e = x && taken_x && y && all ? NULL : knx_error_nomem();
    for (int i = 0; !e && i < n_in; i++)
        x[i] = knb_invar(&b, in[i]);
    for (uint32_t i = 0; !e && i < rule->n_in; i++)
        taken_x[i] = x[from[i]];
    if (!e)
        knb_inline(&b, rule, taken_x, y);
    for (int i = 0; !e && i < (int)rule->n_out; i++) {
        for (int k = 0; i == values && k < kept; k++)
            all[n++] = x[first + k];
        all[n++] = y[i];
    }
    for (int k = 0; !e && values == (int)rule->n_out && k < kept; k++)
        all[n++] = x[first + k];
    if (!e)
        e = knb_finish(&b, n, all, rule->name, true, out);
    knb_free(&b);
    return e;
}

static knx_error *thunk_jaxpr(kni_thunk *base, int n_in, const kni_type *in, kni_jaxpr **out)
{
    const rule_thunk *t = (const rule_thunk *)base;
    knx_arena a = KN_ARENA_INIT;
    int *from = knx_arena_alloc(&a, ((size_t)n_in + 1) * sizeof *from);
    kni_type *type = knx_arena_alloc(&a, ((size_t)n_in + 1) * sizeof *type);
    kni_jaxpr *rule = NULL;
    knx_error *e = from && type ? NULL : knx_error_nomem();
    bool backward = t->core->kind == KNF_FN_CUSTOM_VJP && t->which == 1;
    int n = n_in;
    if (!e && !backward)
        n = taken(t, n_in, from);
    for (int i = 0; !e && i < n; i++)
        type[i] = in[backward ? i : from[i]];
    const knf_core *r = t->core->rule[t->which];
    if (!e && !r->open_in && n != r->n_captured + r->n_in)
        e = knx_error_new(KN_ERROR_TYPE, "the rule %s takes %d arrays, not %d", r->name, r->n_in, n - r->n_captured);
    kna_state *s = kna_state_get();
    kna_named_axis *bound = s->axes;
    s->axes = t->axes;
    if (!e)
        e = rule_of(t, n, type, &rule);
    s->axes = bound;
    if (!e && backward)
        *out = kni_retain(rule);
    else if (!e)
        e = over_operands(t, n_in, in, from, rule, out);
    kni_release(rule);
    knx_arena_free(&a);
    return e;
}

static bool thunk_equal(const kni_thunk *x, const kni_thunk *y)
{
    const rule_thunk *a = (const rule_thunk *)x, *b = (const rule_thunk *)y;
    return a->core == b->core && a->which == b->which && a->implicit == b->implicit && knf_same_axes(a->axes, b->axes);
}

static uint64_t thunk_hash(const kni_thunk *x)
{
    const rule_thunk *t = (const rule_thunk *)x;
    return knx_hash_mix(knx_hash_mix((uint64_t)(uintptr_t)t->core, (uint64_t)t->which), (uint64_t)t->implicit);
}

static const char *thunk_leaf(const kni_thunk *x, int i, knx_text *text)
{
    const rule_thunk *t = (const rule_thunk *)x;
    const char *name = knf_leaf_name(text, t->core->rule[t->which], -1, i);
    return *name ? name + 1 : "";
}

static void thunk_free(kni_thunk *x)
{
    knf_core_release(((rule_thunk *)x)->core);
    release_returned(((rule_thunk *)x)->returned);
    knx_arena_free(&((rule_thunk *)x)->arena);
    knx_free(x);
}

static kni_thunk *make_thunk(knf_core *f, int which, int implicit, returned *shared)
{
    static const kni_thunk_kind kind = {
        .jaxpr = thunk_jaxpr, .equal = thunk_equal, .hash = thunk_hash, .free = thunk_free, .leaf = thunk_leaf};
    rule_thunk *t = knx_alloc(sizeof *t);
    if (!t)
        return NULL;
    *t = (rule_thunk){.base = {.kind = &kind, .name = f->rule[which]->name}, .core = f, .which = which};
    t->implicit = implicit;
    t->returned = shared;
    atomic_init(&t->base.refs, 1);
    atomic_fetch_add(&shared->refs, 1);
    atomic_fetch_add(&f->refs, 1);
    if (knf_copy_axes(&t->arena, kna_state_get()->axes, &t->axes))
        return &t->base;
    thunk_free(&t->base);
    return NULL;
}

void knf_rule_thunks(knf_core *f, int implicit, kni_thunk *out[2])
{
    returned *shared = knx_alloc_zero(sizeof *shared);
    out[0] = out[1] = NULL;
    if (!shared)
        return;
    atomic_init(&shared->refs, 1);
    for (int i = 0; i < (f->kind == KNF_FN_CUSTOM_VJP ? 2 : 1); i++)
        out[i] = make_thunk(f, i, implicit, shared);
    release_returned(shared);
}
