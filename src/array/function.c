/* SPDX-License-Identifier: Apache-2.0
 * function.c -- cores, their table, and recording a C function. */
#include "array/custom.h"
#include "array/function.h"
#include "array/handle.h"
#include "array/storage.h"
#include "base/log.h"
#include "base/float_env.h"
#include <string.h>

enum { MAX_CALL_DEPTH = 200 };

typedef struct functions {
    kn_map core;
    kna_core *newest, *oldest; /* by use */
    kn_map name;               /* texts: names of axes */
} functions;

/* ---- The table of cores. */

/* What was recorded of it: jaxprs in there may hold rules, which hold their cores, this one among them. */
static void forget(kna_core *c)
{
    while (c->entry.n) {
        kna_entry *e = c->entry.at[c->entry.n - 1];
        kna_entry_free(e);
        if (c->entry.n && c->entry.at[c->entry.n - 1] == e)
            c->entry.n--;
    }
    KN_VEC_FREE(&c->entry);
    kna_memos_free(c);
    kna_rules_free(c);
}

static void free_core(kna_core *c)
{
    forget(c);
    kna_core_release(c->rule[0]);
    kna_core_release(c->rule[1]);
    knx_free(c->env);
    kni_release(c->jaxpr);
    knx_free(c);
}

void kna_core_release(kna_core *c)
{
    while (c && atomic_fetch_sub(&c->refs, 1) == 1) {
        kna_core *inner = c->inner;
        free_core(c);
        c = inner;
    }
}

static void drop_functions(void *p)
{
    functions *f = p;
    for (kna_core *c = f->oldest; c; c = c->newer)
        forget(c);
    for (kna_core *c = f->oldest, *newer; c; c = newer) {
        newer = c->newer;
        c->interned = false;
        kna_core_release(c);
    }
    for (size_t i = 0; i < f->name.cap; i++)
        knx_free(f->name.slot[i].value);
    knx_map_free(&f->name);
    knx_map_free(&f->core);
    knx_free(f);
}

static functions *table(void)
{
    functions *f = knx_slot_state(KNX_SLOT_FUNCTIONS);
    if (!f && kna_state_get()) { /* the arrays' state first, so that it is dropped last */
        f = knx_alloc_zero(sizeof *f);
        if (f && !knx_slot_set(KNX_SLOT_FUNCTIONS, f, drop_functions)) {
            knx_free(f);
            f = NULL;
        }
    }
    return f;
}

const char *kna_intern_name(const char *name)
{
    functions *f = table();
    size_t bytes = strlen(name) + 1, cursor;
    uint64_t h = knx_hash_bytes(name, bytes, 5);
    for (char *n = f ? knx_map_first(&f->name, h, &cursor) : NULL; n; n = knx_map_next(&f->name, h, &cursor))
        if (!strcmp(n, name))
            return n;
    char *own = f ? knx_alloc(bytes) : NULL;
    if (own && !knx_map_add(&f->name, h, memcpy(own, name, bytes))) {
        knx_free(own);
        own = NULL;
    }
    return own;
}

/* ---- By use, and how much memory they have: interned ones. */

static void unlink_core(functions *f, kna_core *c)
{
    *(c->newer ? &c->newer->older : &f->newest) = c->older;
    *(c->older ? &c->older->newer : &f->oldest) = c->newer;
}

static void link_core(functions *f, kna_core *c)
{
    c->used = ++kna_state_get()->clock;
    c->newer = NULL;
    c->older = f->newest;
    *(f->newest ? &f->newest->newer : &f->oldest) = c;
    f->newest = c;
}

void kna_core_count(kna_core *c, size_t bytes)
{
    if (c->interned) {
        c->bytes += bytes;
        kna_state_get()->trace_stats.bytes += bytes;
    }
}

static void uncount(kna_core *c, size_t bytes)
{
    c->bytes -= bytes;
    kna_state_get()->trace_stats.bytes -= bytes;
}

static bool is_idle(const kna_core *c) { return c->interned && !c->entry.n && atomic_load(&c->refs) == 1; }

/* It goes, and with it what it was made of if nobody else has that. */
void kna_drop_idle_core(kna_core *c)
{
    functions *f = knx_slot_state(KNX_SLOT_FUNCTIONS);
    while (f && c && is_idle(c)) {
        kna_core *inner = c->inner && c->inner->interned ? c->inner : NULL;
        unlink_core(f, c);
        knx_map_remove(&f->core, c->hash, c);
        uncount(c, c->bytes);
        c->interned = false;
        kna_core_release(c);
        c = inner;
    }
}

uint64_t kna_oldest_core_used(void)
{
    functions *f = knx_slot_state(KNX_SLOT_FUNCTIONS);
    return f && f->oldest ? f->oldest->used : UINT64_MAX;
}

bool kna_drop_oldest_core(void)
{
    enum { TRIES = 8 }; /* of those that somebody has */
    functions *f = knx_slot_state(KNX_SLOT_FUNCTIONS);
    for (int i = 0; f && f->oldest && i < TRIES; i++) {
        kna_core *c = f->oldest;
        if (is_idle(c)) {
            kna_drop_idle_core(c);
            return true;
        }
        unlink_core(f, c);
        link_core(f, c);
        if (c->memo.n) {
            uncount(c, kna_memos_free(c));
            return true;
        }
    }
    return false;
}

static uint64_t hash_core(const kna_core *c)
{
    uint64_t h = knx_hash_mix(17, (uint64_t)c->kind);
    h = knx_hash_mix(h, (uint64_t)(uintptr_t)c->c);
    h = knx_hash_mix(h, (uint64_t)(uintptr_t)c->inner);
    h = knx_hash_mix(knx_hash_mix(h, (uint64_t)(uintptr_t)c->rule[0]), (uint64_t)(uintptr_t)c->rule[1]);
    if (c->env)
        h = knx_hash_bytes(c->env, c->c->env_bytes, h);
    return knx_hash_bytes(&c->o, sizeof c->o, h);
}

static bool same_core(const kna_core *a, const kna_core *b)
{
    return a->kind == b->kind && a->c == b->c && a->inner == b->inner && a->rule[0] == b->rule[0] &&
           a->rule[1] == b->rule[1] && memcmp(&a->o, &b->o, sizeof a->o) == 0 &&
           (!a->env || memcmp(a->env, b->env, a->c->env_bytes) == 0);
}

static kna_core *new_core(const kna_core *draft)
{
    kna_core *c = knx_alloc(sizeof *c);
    if (!c)
        return NULL;
    *c = *draft;
    atomic_init(&c->refs, 1);
    if (draft->env) {
        c->env = knx_alloc(draft->c->env_bytes);
        if (!c->env) {
            knx_free(c);
            return NULL;
        }
        memcpy(c->env, draft->env, draft->c->env_bytes);
    }
    if (c->inner)
        atomic_fetch_add(&c->inner->refs, 1);
    for (int i = 0; i < 2; i++)
        if (c->rule[i])
            atomic_fetch_add(&c->rule[i]->refs, 1);
    kni_retain(c->jaxpr);
    return c;
}

kna_core *kna_core_intern(const kna_core *draft)
{
    functions *f = table();
    if (!f)
        return NULL;
    bool of_jaxpr = draft->inner && draft->inner->jaxpr;
    for (int i = 0; i < 2; i++)
        of_jaxpr = of_jaxpr || (draft->rule[i] && draft->rule[i]->jaxpr);
    if (draft->kind == KNA_FN_JAXPR || of_jaxpr)
        return new_core(draft); /* of its own */
    size_t cursor;
    uint64_t h = hash_core(draft);
    for (kna_core *c = knx_map_first(&f->core, h, &cursor); c; c = knx_map_next(&f->core, h, &cursor))
        if (same_core(c, draft)) {
            unlink_core(f, c);
            link_core(f, c);
            atomic_fetch_add(&c->refs, 1);
            return c;
        }
    kna_core *c = new_core(draft);
    if (!c || !knx_map_add(&f->core, h, c)) {
        kna_core_release(c);
        return NULL;
    }
    c->hash = h;
    c->interned = true;
    link_core(f, c);
    atomic_fetch_add(&c->refs, 1);
    kna_core_count(c, sizeof *c + (c->env ? c->c->env_bytes : 0) + 4 * sizeof *f->core.slot);
    kna_bound_entries(NULL);
    return c;
}

/* ---- Handles. */

static void drop_fn(void *p)
{
    kna_fn *f = p;
    kna_release_values(f->core->n_captured, f->captured);
    knx_free(f->captured);
    kna_core_release(f->core);
    knx_free(f);
}

kn_fn kna_fn_handle(kna_core *core, int n_captured, kn_value *const *captured)
{
    kna_fn *f = core ? knx_alloc_zero(sizeof *f) : NULL;
    kn_value **copy = f ? knx_alloc(((size_t)n_captured + 1) * sizeof *copy) : NULL;
    if (!copy) {
        knx_free(f);
        kna_core_release(core);
        kn_error *e = knx_error_nomem();
        knx_report(e);
        knx_error_release(e);
        return NULL;
    }
    for (int i = 0; i < n_captured; i++)
        copy[i] = kna_value_retain(captured[i]);
    *f = (kna_fn){core, copy};
    return kna_handle_new(KN_H_FN, f, drop_fn);
}

kna_fn *(kna_fn_get)(kna_op *op, kn_fn fn)
{
    kn_error *error = NULL;
    kna_fn *f = kna_handle_get(KN_H_FN, fn, &error);
    if (!f)
        kna_fail_with(op, error);
    return f;
}

/* ---- Running a user's function. */

kn_error *kna_enter_user(kna_user_call *u)
{
    kn_context c = knx_context();
    kna_state *s = kna_state_get();
    *u = (kna_user_call){.here = c->here, .operation = c->operation, .depth = c->depth, .floats = c->host_floats};
    if (s->call_depth >= MAX_CALL_DEPTH)
        return knx_error(KN_ERROR_VALUE,
                         "functions are called inside each other more than %d deep: does one call itself without end?",
                         MAX_CALL_DEPTH);
    u->guard = knx_context_guard();
    u->frame = kna_frame_push(s, s->recording, true, u->guard);
    if (u->frame < 0) {
        knx_context_unguard(u->guard);
        return knx_error_nomem();
    }
    s->call_depth++;
    c->depth = 0;
    c->operation = "";
    knx_float_leave(c->host_floats);
    return NULL;
}

void kna_leave_user(const kna_user_call *u)
{
    knx_context_unguard(u->guard); /* contexts that the function pushed and left */
    kn_context c = knx_context();
    kna_state *s = kna_state_get();
    kna_frame_pop(s, u->frame);
    knx_context_unguard(u->guard); /* again: what was left inside had guards of its own */
    s->call_depth--;
    c->here = u->here;
    c->operation = u->operation;
    c->depth = u->depth;
    c->host_floats = u->floats;
    knx_float_enter();
}

bool kna_may_be_concrete(const char **why)
{
    kn_recording *r = kna_recording_current();
    if (r && !r->concrete)
        *why = r->transformation;
    return !r || r->concrete;
}

/* Calls the C function of a core on handles. */
static kn_error *call_c(const kna_core *f, const kn_array *in, kn_array *out)
{
    const void *part[KN_MAX_ARGS];
    kna_user_call u;
    int at = f->n_captured;
    for (int i = 0; i < f->n_args; at += f->arrays[i], i++)
        part[i] = in + at;
    memset(out, 0, (size_t)f->n_out * sizeof *out);
    KN_TRY(kna_enter_user(&u));
    f->c->call(f->n_captured ? (const void *)in : f->env, out, part);
    kna_leave_user(&u);
    return NULL;
}

static void drop_value(void *v) { kna_value_release(v); }

static kn_error *result_atom(kn_recording *r, const kna_core *f, int i, kn_array x, kn_atom *a)
{
    kn_value *v;
    if (!x) {
        kn_text path = {0};
        const char *name = kna_leaf_name(&path, f, -1, i);
        return *name ? knx_error(KN_ERROR_TYPE, "%s left%s of its result empty (null)", f->name, name)
                     : knx_error(KN_ERROR_TYPE, "%s left array %d of its result empty (null)", f->name, i);
    }
    KN_TRY(kna_array_value(x, &v));
    kn_error *error = kna_recording_atom(r, v, a);
    kna_value_release(v);
    return error;
}

static kn_error *trace_c(kna_core *f, kn_recording *r, const kn_type *in, kn_value *const *known,
                         kn_value *const *given, kn_atom *results)
{
    size_t n_in = (size_t)f->n_captured + (size_t)f->n_in;
    kn_array *x = knx_alloc((n_in + 1) * sizeof *x), *y = knx_alloc(((size_t)f->n_out + 1) * sizeof *y);
    kn_error *error = x && y ? NULL : knx_error_nomem();
    for (size_t i = 0; !error && i < n_in; i++) {
        kn_atom a = kna_recording_input(r, in[i], known ? known[i] : NULL);
        kn_value *v = given && given[i] ? kna_value_retain(given[i]) : kna_recording_tracer(r, a);
        x[i] = v ? kna_handle_new(KN_H_ARRAY, v, drop_value) : NULL;
        if (!x[i])
            error = knx_error_nomem();
    }
    if (!error)
        error = call_c(f, x, y);
    if (!error && r->refused)
        error = knx_error_retain(r->refused);
    for (int i = 0; !error && i < f->n_out; i++)
        error = result_atom(r, f, i, y[i], &results[i]);
    knx_free(x);
    knx_free(y);
    return error;
}

static kn_error *derive_c(kna_core *f, const kn_type *in, kn_value *const *known, kn_value *const *given,
                          const char *why, kn_closed *out)
{
    kn_atom *results = knx_alloc(((size_t)f->n_out + 1) * sizeof *results);
    kn_recording *r = results ? kna_recording_begin(f->name, why, known != NULL) : NULL;
    if (!r) {
        knx_free(results);
        return knx_error_nomem();
    }
    r->n_captured = f->n_captured;
    r->n_args = f->n_args;
    r->arrays = f->arrays;
    kn_scope scope = kn_scope_begin();
    kn_error *error = trace_c(f, r, in, known, given, results);
    kn_scope_end(&scope);
    if (error)
        kna_recording_abort(r);
    else
        error = kna_recording_end(r, f->n_out, results, out);
    knx_free(results);
    return error;
}

/* ---- Lists of named axes. */

bool kna_same_axes(const kna_named_axis *a, const kna_named_axis *b)
{
    for (; a && b; a = a->outer, b = b->outer)
        if (a->size != b->size || strcmp(a->name, b->name))
            return false;
    return a == b;
}

bool kna_copy_axes(kn_arena *a, const kna_named_axis *from, kna_named_axis **to)
{
    for (*to = NULL; from; from = from->outer, to = &(*to)->outer) {
        const char *name = knx_arena_string(a, from->name);
        *to = name ? knx_arena_alloc(a, sizeof **to) : NULL;
        if (!*to)
            return false;
        **to = (kna_named_axis){.name = name, .size = from->size};
    }
    return true;
}

/* The jaxpr with its constvars made inputs in front. */
kn_error *kna_constants_as_inputs(const kni_jaxpr *j, kni_jaxpr **out)
{
    kn_builder b;
    size_t n = (size_t)j->n_const + j->n_in;
    kn_atom *in = knx_alloc((n + 1) * sizeof *in), *y = knx_alloc(((size_t)j->n_out + 1) * sizeof *y);
    knb_init(&b);
    for (uint32_t i = 0; in && y && i < n; i++)
        in[i] = knb_invar(&b, j->type[i]);
    if (in && y)
        knb_inline(&b, j, in, y);
    kn_error *error = in && y ? knb_finish(&b, (int)j->n_out, y, j->name, true, out) : knx_error_nomem();
    knb_free(&b);
    knx_free(in);
    knx_free(y);
    return error;
}

/* A jaxpr that is one call of the entry's. */
static kn_error *derive_jit(kna_core *f, const kn_type *in, kn_closed *out)
{
    kna_entry *e, *once;
    KN_TRY(kna_entry_for(f, in, &e, &once));
    const kni_jaxpr *j = e->closed.jaxpr;
    size_t n = (size_t)j->n_const + j->n_in;
    kni_jaxpr *body = NULL;
    kn_error *error = kna_constants_as_inputs(j, &body);
    kn_atom *x = knx_alloc((n + 1) * sizeof *x), *y = knx_alloc(((size_t)j->n_out + 1) * sizeof *y);
    *out = (kn_closed){.once = e->closed.once, .consts = knx_alloc(((size_t)j->n_const + 1) * sizeof(kn_value *))};
    if (!error && (!x || !y || !out->consts))
        error = knx_error_nomem();
    if (!error) {
        kn_builder b;
        knb_init(&b);
        b.place = knx_context()->here;
        for (uint32_t i = 0; i < j->n_const; i++)
            out->consts[out->n_const++] = kna_value_retain(e->closed.consts[i]);
        for (uint32_t i = 0; i < n; i++)
            x[i] = i < j->n_const ? knb_constvar(&b, j->type[i]) : knb_invar(&b, j->type[i]);
        knb_jit(&b, f->name, body, (int)j->n_const + f->n_captured, x, y);
        error = knb_finish(&b, (int)j->n_out, y, f->name, true, &out->jaxpr);
        knb_free(&b);
    }
    kni_release(body);
    knx_free(x);
    knx_free(y);
    kna_entry_free(once);
    if (error)
        kna_closed_free(out);
    return error;
}

static kn_error *derive_jaxpr(kna_core *f, const kn_type *in, kn_closed *out)
{
    for (uint32_t i = 0; i < f->jaxpr->n_in; i++)
        if (in[i].dtype != f->jaxpr->type[i].dtype || !kni_type_same_shape(in[i], f->jaxpr->type[i])) {
            kn_text want = {0}, have = {0};
            return knx_error(KN_ERROR_TYPE, "%s was recorded for %s as array %d of its arguments, but was given %s",
                             f->name, kni_type_text(&want, f->jaxpr->type[i], true), (int)i - f->n_captured,
                             kni_type_text(&have, in[i], true));
        }
    *out = (kn_closed){.jaxpr = kni_retain(f->jaxpr)};
    return NULL;
}

kn_error *kna_derive(kna_core *f, const kn_type *in, kn_value *const *known, const char *why, kn_closed *out)
{
    *out = (kn_closed){0};
    switch (f->kind) {
    case KNA_FN_C: return derive_c(f, in, known, NULL, why, out);
    case KNA_FN_JIT: return derive_jit(f, in, out);
    case KNA_FN_JAXPR: return derive_jaxpr(f, in, out);
    case KNA_FN_CUSTOM_JVP:
    case KNA_FN_CUSTOM_VJP:
    case KNA_FN_CHECKPOINT: return kna_derive_custom(f, in, known, why, out);
    case KNA_FN_GRAD:
    case KNA_FN_VMAP:
    case KNA_FN_JACFWD:
    case KNA_FN_JACREV: break;
    }
    return kna_derive_transformed(f, in, known, why, out);
}

kn_error *kna_derive_given(kna_core *f, const kn_type *in, kn_value *const *given, const char *why, kn_closed *out)
{
    *out = (kn_closed){0};
    return f->kind == KNA_FN_C ? derive_c(f, in, NULL, given, why, out) : kna_derive(f, in, NULL, why, out);
}
