/* SPDX-License-Identifier: Apache-2.0
 * function.c -- cores, their table, and recording a C function. */
#include "function/custom.h"
#include "function/symbolic.h"
#include "function/function.h"
#include "array/handle.h"
#include "array/storage.h"
#include "tree/tree.h"
#include "base/log.h"
#include "base/float_env.h"
#include <string.h>

typedef struct functions {
    knx_table core;
    knf_core *newest, *oldest; /* by use */
    knx_table name;            /* texts: names of axes */
    uint64_t dropped;          /* cores that have left the table */
} functions;

/* ---- The table of cores. */

/* Interned ones that are of the same one are a list, in two ways. */
static void link_over(knf_core *c)
{
    knf_core *const of[2] = {c->inner, c->made_of};
    for (int i = 0; i < 2; i++) {
        if (!of[i])
            continue;
        struct knf_over *o = &c->over[i];
        o->next = of[i]->over[i].first;
        o->link = &of[i]->over[i].first;
        if (o->next)
            o->next->over[i].link = &o->next;
        of[i]->over[i].first = c;
    }
}

static void unlink_over(knf_core *c)
{
    for (int i = 0; i < 2; i++) {
        struct knf_over *o = &c->over[i];
        if (!o->link)
            continue;
        *o->link = o->next;
        if (o->next)
            o->next->over[i].link = o->link;
        o->next = NULL;
        o->link = NULL;
    }
}

/* What was recorded of it: jaxprs in there may hold rules, which hold their cores, this one among them. */
static void forget(knf_core *c)
{
    while (c->entry.n) {
        knf_entry *e = c->entry.at[c->entry.n - 1];
        knf_entry_free(e);
        if (c->entry.n && c->entry.at[c->entry.n - 1] == e)
            c->entry.n--;
    }
    KN_VEC_FREE(&c->entry);
    knf_memos_free(c);
    knf_rules_free(c);
    knf_ready_free(c);
    knf_fits_free(c);
}

static void free_core(knf_core *c)
{
    forget(c);
    knf_ready_free(c);
    knf_fits_free(c);
    for (int i = 0; i < KN_MAX_ARGS; i++)
        kntree_structure_release(c->in_structure[i]);
    kntree_structure_release(c->out_structure);
    kntree_structure_release(c->captured_structure);
    for (int i = 0; c->fixed && i < c->n_in; i++)
        kna_value_release(c->fixed[i]);
    knx_free(c->fixed);
    for (size_t i = 0; c->made_of && i < c->made_of->fits.n; i++)
        if (c->made_of->fits.at[i].fitted == c)
            c->made_of->fits.at[i].fitted = NULL;
    knf_core_release(c->made_of);
    knf_core_release(c->rule[0]);
    knf_core_release(c->rule[1]);
    knf_forget_calls(c, NULL);
    knf_symbolic_free(c);
    knf_automatic_free(c);
    knx_free(c->env);
    kni_release(c->jaxpr);
    knx_free(c);
}

void knf_core_release(knf_core *c)
{
    while (c && atomic_fetch_sub(&c->refs, 1) == 1) {
        knf_core *inner = c->inner;
        free_core(c);
        c = inner;
    }
}

static void drop_functions(void *p)
{
    functions *f = p;
    for (knf_core *c = f->oldest; c; c = c->newer)
        forget(c);
    for (knf_core *c = f->oldest, *newer; c; c = newer) {
        newer = c->newer;
        unlink_over(c);
        c->interned = false;
        knf_core_release(c);
    }
    for (size_t i = 0; i < f->name.cap; i++)
        knx_free(f->name.slot[i].value);
    knx_table_free(&f->name);
    knx_table_free(&f->core);
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

const char *knf_intern_name(const char *name)
{
    functions *f = table();
    size_t bytes = strlen(name) + 1, cursor;
    uint64_t h = knx_hash_bytes(name, bytes, 5);
    for (char *n = f ? knx_table_first(&f->name, h, &cursor) : NULL; n; n = knx_table_next(&f->name, h, &cursor))
        if (!strcmp(n, name))
            return n;
    char *own = f ? knx_alloc(bytes) : NULL;
    if (own && !knx_table_add(&f->name, h, memcpy(own, name, bytes))) {
        knx_free(own);
        own = NULL;
    }
    return own;
}

/* ---- By use, and how much memory they have: interned ones. */

static void unlink_core(functions *f, knf_core *c)
{
    *(c->newer ? &c->newer->older : &f->newest) = c->older;
    *(c->older ? &c->older->newer : &f->oldest) = c->newer;
}

static void link_core(functions *f, knf_core *c)
{
    c->used = ++kna_state_get()->clock;
    c->newer = NULL;
    c->older = f->newest;
    *(f->newest ? &f->newest->newer : &f->oldest) = c;
    f->newest = c;
}

void knf_core_count(knf_core *c, size_t bytes)
{
    if (c->interned) {
        c->bytes += bytes;
        kna_state_get()->trace_stats.bytes += bytes;
        kna_state_get()->entries = &knf_entries; /* what is counted can go */
    }
}

static void uncount(knf_core *c, size_t bytes)
{
    c->bytes -= bytes;
    kna_state_get()->trace_stats.bytes -= bytes;
}

static bool is_idle(const knf_core *c) { return c->interned && !c->entry.n && atomic_load(&c->refs) == 1; }

/* It goes, and with it what it was made of if no one else has that. */
void knf_drop_idle_core(knf_core *c)
{
    functions *f = knx_slot_state(KNX_SLOT_FUNCTIONS);
    while (f && c && is_idle(c)) {
        knf_core *inner = c->inner && c->inner->interned ? c->inner : NULL;
        unlink_core(f, c);
        unlink_over(c);
        knx_table_remove(&f->core, c->hash, c);
        f->dropped++;
        uncount(c, c->bytes);
        c->interned = false;
        knf_core_release(c);
        c = inner;
    }
}

static bool is_at_work(const knf_core *c)
{
    for (size_t i = 0; i < c->entry.n; i++)
        if (c->entry.at[i]->tracing || c->entry.at[i]->running)
            return true;
    return false;
}

/* What was recorded of c and of what was made of it goes, and they with it, as far as no one else has them: `held` says
 * how many references are the caller's. */
static void forget_all_of(functions *all, knf_core *c, int held)
{
    atomic_fetch_add(&c->refs, 1); /* it stays while those go that are of it */
    for (int i = 0; i < 2; i++)
        for (knf_core *o = c->over[i].first; o;) {
            uint64_t dropped = all->dropped;
            forget_all_of(all, o, 0);
            o = all->dropped == dropped ? o->over[i].next : c->over[i].first; /* else o, or the next one, may be gone */
        }
    bool alone = !c->over[0].first && !c->over[1].first && atomic_load(&c->refs) == 2 + held;
    if (c->interned && alone && !is_at_work(c))
        forget(c);
    atomic_fetch_sub(&c->refs, 1);
    if (!held)
        knf_drop_idle_core(c);
}

void kn_forget(kn_fn fn)
{
    kna_op op;
    kna_begin(&op, "forget");
    knf_fn *f = knf_fn_get(&op, fn);
    knf_core *c = f ? f->core : NULL;
    if (c)
        atomic_fetch_add(&c->refs, 1);
    functions *all = table();
    if (!kna_end_plain(&op) || !c)
        return;
    kn_release(fn);
    if (all)
        forget_all_of(all, c, 1);
    bool kept = c->interned;
    knf_core_release(c);
    if (kept)
        knf_drop_idle_core(c);
}

const knf_core *knf_made_of(const knf_core *f, const knf_core *after)
{
    const functions *all = knx_slot_state(KNX_SLOT_FUNCTIONS);
    const knf_core *c = !all ? NULL : after == f ? all->oldest : after->newer;
    while (c && c->made_of != f)
        c = c->newer;
    return c;
}

uint64_t knf_oldest_core_used(void)
{
    functions *f = knx_slot_state(KNX_SLOT_FUNCTIONS);
    return f && f->oldest ? f->oldest->used : UINT64_MAX;
}

bool knf_drop_oldest_core(void)
{
    enum { TRIES = 8 }; /* of those that somebody has */
    functions *f = knx_slot_state(KNX_SLOT_FUNCTIONS);
    for (int i = 0; f && f->oldest && i < TRIES; i++) {
        knf_core *c = f->oldest;
        if (is_idle(c)) {
            knf_drop_idle_core(c);
            return true;
        }
        unlink_core(f, c);
        link_core(f, c);
        if (c->memo.n) {
            uncount(c, knf_memos_free(c));
            return true;
        }
    }
    return false;
}

static uint64_t hash_structure(const kntree_structure *s, uint64_t h)
{
    for (int i = 0; s && i < s->n; i++) {
        h = knx_hash_mix(h, (uint64_t)s->node[i].kind * 4096 + (uint64_t)s->node[i].children);
        h = s->node[i].key ? knx_hash_bytes(s->node[i].key, strlen(s->node[i].key), h) : h;
    }
    return h;
}

static size_t size_of(const kna_value *v) { return (size_t)kni_type_size(v->type) * v->type.dtype->size; }

static uint64_t hash_fixed(const knf_core *c, uint64_t h)
{
    for (int i = 0; c->fixed && i < c->n_in; i++)
        if (c->fixed[i]) {
            h = knx_hash_mix(h, (uint64_t)i * 31 + (uint64_t)(uintptr_t)c->fixed[i]->type.dtype);
            h = knx_hash_bytes(kna_elements(c->fixed[i]), size_of(c->fixed[i]), h);
        }
    return h;
}

static size_t fixed_bytes(const knf_core *c)
{
    size_t bytes = 0;
    for (int i = 0; c->fixed && i < c->n_in; i++)
        bytes += sizeof c->fixed[i] + (c->fixed[i] ? sizeof *c->fixed[i] + size_of(c->fixed[i]) : 0);
    return bytes;
}

static bool same_structure(const kntree_structure *a, const kntree_structure *b)
{
    return a == b || (a && b && kntree_structure_equal(a, b));
}

static bool same_fixed(const knf_core *a, const knf_core *b)
{
    for (int i = 0; i < a->n_in; i++) {
        const kna_value *x = a->fixed ? a->fixed[i] : NULL, *y = b->fixed ? b->fixed[i] : NULL;
        if (x != y && (!x || !y || x->type.dtype != y->type.dtype || !kni_type_same_shape(x->type, y->type) ||
                       memcmp(kna_elements(x), kna_elements(y), size_of(x)) != 0))
            return false;
    }
    return true;
}

static bool same_trees(const knf_core *a, const knf_core *b)
{
    bool same = a->n_in == b->n_in && a->open_in == b->open_in && a->open_out == b->open_out &&
                a->static_args == b->static_args && same_structure(a->out_structure, b->out_structure) &&
                same_structure(a->captured_structure, b->captured_structure);
    for (int i = 0; same && i < KN_MAX_ARGS; i++)
        same = same_structure(a->in_structure[i], b->in_structure[i]);
    return same && same_fixed(a, b);
}

static uint64_t hash_core(const knf_core *c)
{
    uint64_t h = knx_hash_mix(17, (uint64_t)c->kind);
    h = knx_hash_mix(h, (uint64_t)(uintptr_t)c->c);
    h = knx_hash_mix(h, (uint64_t)(uintptr_t)c->inner);
    h = knx_hash_mix(knx_hash_mix(h, (uint64_t)(uintptr_t)c->rule[0]), (uint64_t)(uintptr_t)c->rule[1]);
    h = knx_hash_mix(h, (uint64_t)c->static_args * 4 + c->open_in * 2 + c->open_out);
    for (int i = 0; i < KN_MAX_ARGS && c->kind == KNF_FN_C; i++)
        h = hash_structure(c->in_structure[i], knx_hash_mix(h, (uint64_t)i));
    h = hash_fixed(c, hash_structure(c->captured_structure, hash_structure(c->out_structure, h)));
    if (c->env)
        h = knx_hash_bytes(c->env, c->c->env_bytes, h);
    return knx_hash_bytes(&c->o, sizeof c->o, h);
}

static bool same_core(const knf_core *a, const knf_core *b)
{
    return a->kind == b->kind && a->c == b->c && a->inner == b->inner && a->rule[0] == b->rule[0] &&
           a->rule[1] == b->rule[1] && memcmp(&a->o, &b->o, sizeof a->o) == 0 &&
           (!a->env || memcmp(a->env, b->env, a->c->env_bytes) == 0) && same_trees(a, b);
}

knf_core knf_core_draft(const knf_core *c)
{
    knf_core draft = {.kind = c->kind,
                      .c = c->c,
                      .env = c->env,
                      .jaxpr = c->jaxpr,
                      .inner = c->inner,
                      .rule = {c->rule[0], c->rule[1]},
                      .o = c->o,
                      .name = c->name,
                      .n_captured = c->n_captured,
                      .n_args = c->n_args,
                      .n_in = c->n_in,
                      .n_out = c->n_out,
                      .open_in = c->open_in,
                      .open_out = c->open_out,
                      .tree_out = c->tree_out,
                      .static_args = c->static_args,
                      .out_structure = c->out_structure,
                      .captured_structure = c->captured_structure,
                      .fixed = c->fixed,
                      .made_of = c->made_of};
    memcpy(draft.arrays, c->arrays, sizeof draft.arrays);
    memcpy(draft.in_structure, c->in_structure, sizeof draft.in_structure);
    return draft;
}

/* A copy's own references to what the draft had. */
static bool own_trees(knf_core *c, const knf_core *draft)
{
    for (int i = 0; i < KN_MAX_ARGS; i++)
        kntree_structure_retain(c->in_structure[i]);
    kntree_structure_retain(c->out_structure);
    kntree_structure_retain(c->captured_structure);
    if (c->made_of)
        atomic_fetch_add(&c->made_of->refs, 1);
    c->fixed = NULL;
    if (draft->fixed && !(c->fixed = knx_alloc_zero(((size_t)c->n_in + 1) * sizeof *c->fixed)))
        return false;
    for (int i = 0; c->fixed && i < c->n_in; i++)
        c->fixed[i] = draft->fixed[i] ? kna_value_retain(draft->fixed[i]) : NULL;
    return true;
}

static knf_core *new_core(const knf_core *draft)
{
    knf_core *c = knx_alloc(sizeof *c);
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
    if (!own_trees(c, draft)) {
        knf_core_release(c);
        return NULL;
    }
    return c;
}

knf_core *knf_core_intern(const knf_core *draft)
{
    functions *f = table();
    if (!f)
        return NULL;
    bool of_jaxpr = draft->inner && draft->inner->jaxpr;
    for (int i = 0; i < 2; i++)
        of_jaxpr = of_jaxpr || (draft->rule[i] && draft->rule[i]->jaxpr);
    if (draft->kind == KNF_FN_JAXPR || of_jaxpr)
        return new_core(draft); /* of its own */
    size_t cursor;
    uint64_t h = hash_core(draft);
    for (knf_core *c = knx_table_first(&f->core, h, &cursor); c; c = knx_table_next(&f->core, h, &cursor))
        if (same_core(c, draft)) {
            unlink_core(f, c);
            link_core(f, c);
            atomic_fetch_add(&c->refs, 1);
            return c;
        }
    knf_core *c = new_core(draft);
    if (!c || !knx_table_add(&f->core, h, c)) {
        knf_core_release(c);
        return NULL;
    }
    c->hash = h;
    c->interned = true;
    link_core(f, c);
    link_over(c);
    atomic_fetch_add(&c->refs, 1);
    knf_core_count(c, sizeof *c + (c->env ? c->c->env_bytes : 0) + fixed_bytes(c) + 4 * sizeof *f->core.slot);
    knf_bound_entries(NULL);
    return c;
}

bool knf_core_use(knf_core *c)
{
    functions *f = c->interned ? table() : NULL;
    if (!f)
        return false;
    unlink_core(f, c);
    link_core(f, c);
    atomic_fetch_add(&c->refs, 1);
    return true;
}

/* ---- Handles. */

static void drop_fn(void *p)
{
    knf_fn *f = p;
    knf_release_values(f->core->n_captured, f->captured);
    knx_free(f->captured);
    knf_core_release(f->core);
    knx_free(f);
}

kn_fn knf_fn_handle(knf_core *core, int n_captured, kna_value *const *captured)
{
    knf_fn *f = core ? knx_alloc_zero(sizeof *f) : NULL;
    kna_value **copy = f ? knx_alloc(((size_t)n_captured + 1) * sizeof *copy) : NULL;
    if (!copy) {
        knx_free(f);
        knf_core_release(core);
        knx_error *e = knx_error_nomem();
        knx_report(e);
        knx_error_release(e);
        return NULL;
    }
    for (int i = 0; i < n_captured; i++)
        copy[i] = kna_value_retain(captured[i]);
    *f = (knf_fn){core, copy};
    return kna_handle_new(KN_H_FN, f, drop_fn);
}

KNX_HOT knf_fn *(knf_fn_get)(kna_op *op, kn_fn fn) { return kna_handle_in(op, KN_H_FN, fn); }

bool knf_may_be_concrete(const char **why)
{
    kna_recording *r = kna_recording_current();
    if (r && !r->concrete)
        *why = r->transformation;
    return !r || r->concrete;
}

/* ---- Calling a C function. */

/* The arguments of a call: pointers to structs of arrays, or to trees. */
typedef struct call {
    const knf_core *f;
    const kn_array *in; /* captured, then arguments */
    kn_tree tree[KN_MAX_ARGS], captured;
    const void *part[KN_MAX_ARGS];
} call;

/* A tree of the next arrays. */
static knx_error *tree_argument(kntree_structure *s, const kn_array *x, kn_tree *tree)
{
    *tree = kntree_tree_new("call", kntree_structure_retain(s), x);
    return *tree ? NULL : knx_error_nomem();
}

static knx_error *begin_call(call *c)
{
    const knf_core *f = c->f;
    int at = f->n_captured;
    if (f->captured_structure)
        KN_TRY(tree_argument(f->captured_structure, c->in, &c->captured));
    for (int i = 0; i < f->n_args; at += f->arrays[i], i++) {
        c->part[i] = c->in + at;
        if (f->c->arg_bytes[i] != 2)
            continue;
        KN_TRY(tree_argument(f->in_structure[i], c->in + at, &c->tree[i]));
        c->part[i] = &c->tree[i];
    }
    return NULL;
}

/* The arrays of the tree that it returned. */
static knx_error *take_tree(const knf_core *f, kn_tree y, kn_array **out, int *n, kntree_structure **structure)
{
    int count = y ? kntree_tree_size(y) : -1;
    if (count < 0)
        return knx_error_new(KN_ERROR_TYPE, "%s returned no tree", f->name);
    const kntree_structure *s = kntree_structure_in("call", kntree_tree_get("call", y));
    *out = s ? knx_alloc_zero(((size_t)count + 1) * sizeof **out) : NULL;
    if (!*out)
        return knx_error_nomem();
    for (int i = 0; i < count; i++)
        (*out)[i] = kntree_tree_at(y, i);
    *n = count;
    *structure = kntree_structure_retain((kntree_structure *)(uintptr_t)s);
    return NULL;
}

knx_error *knf_call_c(const knf_core *f, const kn_array *in, kn_array **out, int *n, kntree_structure **structure)
{
    call c = {.f = f, .in = in};
    kna_user_call u;
    kn_tree tree = NULL;
    *structure = NULL;
    *out = NULL;
    *n = f->tree_out ? 0 : f->n_out;
    KN_TRY(begin_call(&c));
    if (!f->tree_out && !(*out = knx_alloc_zero(((size_t)f->n_out + 1) * sizeof **out)))
        return knx_error_nomem();
    KN_TRY(kna_enter_user(&u));
    const void *env = f->captured_structure ? (const void *)&c.captured : f->n_captured ? (const void *)in : f->env;
    f->c->call(env, f->tree_out ? (void *)&tree : (void *)*out, c.part);
    kna_leave_user(&u);
    return f->tree_out ? take_tree(f, tree, out, n, structure) : NULL;
}

static void drop_value(void *v) { kna_value_release(v); }

static knx_error *result_atom(kna_recording *r, const knf_core *f, int i, kn_array x, kni_atom *a)
{
    kna_value *v;
    if (!x) {
        knx_text path = {0};
        const char *name = knf_leaf_name(&path, f, -1, i);
        return *name ? knx_error_new(KN_ERROR_TYPE, "%s left%s of its result empty (null)", f->name, name)
                     : knx_error_new(KN_ERROR_TYPE, "%s left array %d of its result empty (null)", f->name, i);
    }
    KN_TRY(kna_array_value(x, &v));
    knx_error *error = kna_recording_atom(r, v, a);
    kna_value_release(v);
    return error;
}

/* Input i of a recording: a tracer, or the value itself. */
static kna_value *input_value(const knf_core *f, kna_recording *r, size_t i, kni_atom a, kna_value *const *given)
{
    kna_value *fixed = f->fixed && i >= (size_t)f->n_captured ? f->fixed[i - (size_t)f->n_captured] : NULL;
    fixed = fixed ? fixed : given ? given[i] : NULL;
    return fixed ? kna_value_retain(fixed) : kna_recording_tracer(r, a);
}

/* A recording of a C function: its results as atoms. */
typedef struct traced {
    kni_atom *atom;
    int n;
    kntree_structure *structure;
} traced;

static knx_error *check_structure(const knf_core *f, const kntree_structure *returned)
{
    if (!f->out_structure)
        return returned->node[0].leaves == f->n_out
                   ? NULL
                   : knx_error_new(KN_ERROR_TYPE, "%s must return %d arrays, but its tree has %d", f->name, f->n_out,
                                   returned->node[0].leaves);
    if (kntree_structure_equal(f->out_structure, returned))
        return NULL;
    knx_str before = {0}, now = {0};
    kntree_structure_text(&before, f->out_structure);
    kntree_structure_text(&now, returned);
    knx_error *e = knx_error_new(KN_ERROR_TYPE, "%s returned %s, but %s for the same types before", f->name,
                                 now.s ? now.s : "", before.s ? before.s : "");
    knx_str_free(&before);
    knx_str_free(&now);
    return e;
}

static knx_error *trace_c(knf_core *f, kna_recording *r, const kni_type *in, kna_value *const *known,
                          kna_value *const *given, traced *t)
{
    size_t n_in = (size_t)f->n_captured + (size_t)f->n_in;
    kn_array *x = knx_alloc((n_in + 1) * sizeof *x), *y = NULL;
    knx_error *error = x ? NULL : knx_error_nomem();
    for (size_t i = 0; !error && i < n_in; i++) {
        kni_atom a = kna_recording_input(r, in[i], known ? known[i] : NULL);
        kna_value *v = input_value(f, r, i, a, given);
        x[i] = v ? kna_handle_new(KN_H_ARRAY, v, drop_value) : NULL;
        if (!x[i])
            error = knx_error_nomem();
    }
    if (!error)
        error = knf_call_c(f, x, &y, &t->n, &t->structure);
    if (!error && r->refused)
        error = knx_error_retain(r->refused);
    if (!error && t->structure && !f->open_out)
        error = check_structure(f, t->structure);
    if (!error && !(t->atom = knx_alloc(((size_t)t->n + 1) * sizeof *t->atom)))
        error = knx_error_nomem();
    for (int i = 0; !error && i < t->n; i++)
        error = result_atom(r, f, i, y[i], &t->atom[i]);
    knx_free(x);
    knx_free(y);
    return error;
}

static knx_error *record_c(knf_core *f, const kni_type *in, kna_value *const *known, kna_value *const *given,
                           const char *why, kna_closed *out, kntree_structure **structure)
{
    traced t = {0};
    kna_recording *r = kna_recording_begin(f->name, why, known != NULL);
    if (!r)
        return knx_error_nomem();
    r->n_captured = f->n_captured;
    r->n_args = f->n_args;
    r->arrays = f->arrays;
    kn_scope scope = kn_scope_begin();
    knx_error *error = trace_c(f, r, in, known, given, &t);
    kn_scope_end(&scope);
    if (error)
        kna_recording_abort(r);
    else
        error = kna_recording_end(r, t.n, t.atom, out);
    knx_free(t.atom);
    if (!error && structure)
        *structure = kntree_structure_retain(t.structure);
    kntree_structure_release(t.structure);
    return error;
}

knx_error *knf_derive_tree(knf_core *f, const kni_type *in, kna_value *const *known, const char *why, kna_closed *out,
                           kntree_structure **structure)
{
    *out = (kna_closed){0};
    *structure = NULL;
    return record_c(f, in, known, NULL, why, out, structure);
}

/* What was recorded to see which tree it returns, if it was for these types and at this place. It was for numbers: with
 * variables it holds where they are these. */
static bool take_ready(knf_core *f, const kni_type *in, bool concrete, kna_closed *out)
{
    knf_ready *r = f->ready;
    const kna_recording *outer = kna_recording_current();
    bool fits = r && !knf_is_assuming() && r->concrete == concrete && r->serial == (outer ? outer->serial : 0);
    for (int i = 0; fits && i < f->n_captured + f->n_in; i++)
        fits = r->in[i].dtype == in[i].dtype && kni_type_same_shape(r->in[i], in[i]);
    if (fits) {
        *out = r->closed;
        r->closed = (kna_closed){0};
        knf_ready_free(f);
    }
    return fits;
}

static knx_error *derive_c(knf_core *f, const kni_type *in, kna_value *const *known, kna_value *const *given,
                           const char *why, kna_closed *out)
{
    if (knf_is_open(f))
        return knx_error_new(KN_ERROR_TYPE, "%s takes trees, which have no structure here", f->name);
    bool any = false;
    for (int i = 0; given && i < f->n_captured + f->n_in; i++)
        any = any || given[i];
    if (!any && f->ready && take_ready(f, in, known != NULL, out))
        return NULL;
    return record_c(f, in, known, given, why, out, NULL);
}

/* ---- Lists of named axes. */

KNX_HOT bool knf_same_axes(const kna_named_axis *a, const kna_named_axis *b)
{
    for (; a && b; a = a->outer, b = b->outer)
        if (a->size != b->size || strcmp(a->name, b->name))
            return false;
    return a == b;
}

bool knf_copy_axes(knx_arena *a, const kna_named_axis *from, kna_named_axis **to)
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
knx_error *knf_constants_as_inputs(const kni_jaxpr *j, kni_jaxpr **out)
{
    kni_builder b;
    size_t n = (size_t)j->n_const + j->n_in;
    kni_atom *in = knx_alloc((n + 1) * sizeof *in), *y = knx_alloc(((size_t)j->n_out + 1) * sizeof *y);
    knb_init(&b);
    for (uint32_t i = 0; in && y && i < n; i++)
        in[i] = knb_invar(&b, j->type[i]);
    if (in && y)
        knb_inline(&b, j, in, y);
    knx_error *error = in && y ? knb_finish(&b, (int)j->n_out, y, j->name, true, out) : knx_error_nomem();
    knb_free(&b);
    knx_free(in);
    knx_free(y);
    return error;
}

/* A jaxpr that is one call of the entry's. */
static knx_error *derive_jit(knf_core *f, const kni_type *in, kna_closed *out)
{
    knf_entry *e, *once;
    KN_TRY(knf_entry_for(f, in, NULL, &e, &once));
    const kni_jaxpr *j = e->closed.jaxpr;
    size_t n = (size_t)j->n_const + j->n_in;
    kni_jaxpr *body = NULL;
    knx_error *error = knf_constants_as_inputs(j, &body);
    kni_atom *x = knx_alloc((n + 1) * sizeof *x), *y = knx_alloc(((size_t)j->n_out + 1) * sizeof *y);
    *out = (kna_closed){.once = e->closed.once, .consts = knx_alloc(((size_t)j->n_const + 1) * sizeof(kna_value *))};
    if (!error && (!x || !y || !out->consts))
        error = knx_error_nomem();
    if (!error) {
        kni_builder b;
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
    knf_entry_free(once);
    if (error)
        kna_closed_free(out);
    return error;
}

static knx_error *derive_jaxpr(knf_core *f, const kni_type *in, kna_closed *out)
{
    bool variables = knf_jaxpr_has_variables(f->jaxpr), same = true;
    for (uint32_t i = 0; i < f->jaxpr->n_in; i++) {
        bool shape = kni_type_same_shape(in[i], f->jaxpr->type[i]);
        if (in[i].dtype != f->jaxpr->type[i].dtype || (!shape && !variables)) {
            knx_text want = {0}, have = {0};
            return knx_error_new(KN_ERROR_TYPE, "%s was recorded for %s as array %d of its arguments, but was given %s",
                                 f->name, kni_type_text(&want, f->jaxpr->type[i], true), (int)i - f->n_captured,
                                 kni_type_text(&have, in[i], true));
        }
        same = same && shape;
    }
    if (!same)
        return knf_jaxpr_with_numbers(f->jaxpr, in, &out->jaxpr);
    *out = (kna_closed){.jaxpr = kni_retain(f->jaxpr)};
    return NULL;
}

knx_error *knf_derive(knf_core *f, const kni_type *in, kna_value *const *known, const char *why, kna_closed *out)
{
    *out = (kna_closed){0};
    switch (f->kind) {
    case KNF_FN_C: return derive_c(f, in, known, NULL, why, out);
    case KNF_FN_JIT: return derive_jit(f, in, out);
    case KNF_FN_JAXPR: return derive_jaxpr(f, in, out);
    case KNF_FN_CUSTOM_JVP:
    case KNF_FN_CUSTOM_VJP:
    case KNF_FN_CHECKPOINT: return knf_derive_custom(f, in, known, why, out);
    case KNF_FN_GRAD:
    case KNF_FN_VMAP:
    case KNF_FN_JACFWD:
    case KNF_FN_JACREV: break;
    }
    return knf_derive_transformed(f, in, known, why, out);
}

knx_error *knf_derive_given(knf_core *f, const kni_type *in, kna_value *const *given, const char *why, kna_closed *out)
{
    *out = (kna_closed){0};
    return f->kind == KNF_FN_C ? derive_c(f, in, NULL, given, why, out) : knf_derive(f, in, NULL, why, out);
}
