/* SPDX-License-Identifier: Apache-2.0
 * cores.c -- cores and their table: interned, counted, forgotten. */
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

/* It goes, and with it what it was made of, and its rules, if no one else has those. */
void knf_drop_idle_core(knf_core *c)
{
    functions *f = knx_slot_state(KNX_SLOT_FUNCTIONS);
    if (!f || !c || !is_idle(c))
        return;
    knf_core *const of[] = {c->inner, c->made_of, c->rule[0], c->rule[1]};
    for (int i = 0; i < 4; i++) /* they stay until each has had its turn */
        if (of[i])
            atomic_fetch_add(&of[i]->refs, 1);
    unlink_core(f, c);
    unlink_over(c);
    knx_table_remove(&f->core, c->hash, c);
    f->dropped++;
    uncount(c, c->bytes);
    c->interned = false;
    knf_core_release(c);
    for (int i = 0; i < 4; i++) {
        bool kept = of[i] && of[i]->interned;
        knf_core_release(of[i]);
        if (kept)
            knf_drop_idle_core(of[i]);
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

/* Whether array i of the arguments is told apart by where it lies: what is held there does not change. */
static bool by_place(const knf_core *c, int i)
{
    int arg = 0;
    for (; c->const_args && arg < c->n_args && i >= c->arrays[arg]; arg++)
        i -= c->arrays[arg];
    return c->const_args >> arg & 1;
}

static uint64_t hash_fixed(const knf_core *c, uint64_t h)
{
    for (int i = 0; c->fixed && i < c->n_in; i++)
        if (c->fixed[i]) {
            h = knx_hash_mix(h, (uint64_t)i * 31 + (uint64_t)(uintptr_t)c->fixed[i]->type.dtype);
            h = by_place(c, i) ? knx_hash_mix(h, (uint64_t)(uintptr_t)kna_elements(c->fixed[i]))
                               : knx_hash_bytes(kna_elements(c->fixed[i]), size_of(c->fixed[i]), h);
        }
    return h;
}

/* Constants count, too, as they may be held by the program alone; all those of one program as an eighth of the bound at
 * most, so that a large model does not drive out itself and a few more stay beside it. */
static size_t fixed_bytes(const knf_core *c)
{
    size_t bytes = 0, constant = 0, most = kna_state_get()->trace_stats.limit / 8;
    for (int i = 0; c->fixed && i < c->n_in; i++) {
        size_t own = c->fixed[i] ? size_of(c->fixed[i]) : 0;
        bytes += sizeof c->fixed[i] + (c->fixed[i] ? sizeof *c->fixed[i] : 0);
        *(by_place(c, i) ? &constant : &bytes) += own;
    }
    return bytes + (constant < most ? constant : most);
}

static bool same_structure(const kntree_structure *a, const kntree_structure *b)
{
    return a == b || (a && b && kntree_structure_equal(a, b));
}

static bool same_fixed(const knf_core *a, const knf_core *b)
{
    for (int i = 0; i < a->n_in; i++) {
        const kna_value *x = a->fixed ? a->fixed[i] : NULL, *y = b->fixed ? b->fixed[i] : NULL;
        if (x == y)
            continue;
        if (!x || !y || x->type.dtype != y->type.dtype || !kni_type_same_shape(x->type, y->type))
            return false;
        if (kna_elements(x) != kna_elements(y) &&
            (by_place(a, i) || memcmp(kna_elements(x), kna_elements(y), size_of(x)) != 0))
            return false;
    }
    return true;
}

static bool same_trees(const knf_core *a, const knf_core *b)
{
    bool same = a->n_in == b->n_in && a->open_in == b->open_in && a->open_out == b->open_out &&
                a->static_args == b->static_args && a->const_args == b->const_args &&
                same_structure(a->out_structure, b->out_structure) &&
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
    h = knx_hash_mix(h, ((uint64_t)c->const_args << 32 | c->static_args) * 4 + c->open_in * 2 + c->open_out);
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
                      .const_args = c->const_args,
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
