/* SPDX-License-Identifier: Apache-2.0
 * handle.c -- slots, generations and scopes.
 *
 * A handle's bits are generation and slot number. The table of slots is one for the process and only grows: chunks are
 * found through an array of pointers without a lock, so a dead or foreign handle can be examined safely. Each context
 * hands out slots from its own chunks. A scope is a list of slots, linked through the slots themselves, so that moving
 * a handle between scopes costs nothing.
 *
 * A slot that this context owns is read without a lock. Somebody else's may die at any moment: it is looked at under
 * its owner's share lock, which the owner takes to free it or to let it stand for something else. Making a handle needs
 * none: no one knows it yet. */
#include "array/handle.h"
#include "base/context.h"
#include "base/lock.h"
#include "base/memory.h"
#include "kiln/core.h"
#include <string.h>

#define INDEX_BITS (sizeof(void *) >= 8 ? 32 : 18)
#define CHUNK      512
#define MAX_CHUNKS 131072 /* 67 million handles; 512 on 32-bit machines, by INDEX_BITS */
#define NO_SLOT    UINT32_MAX
#define RETAINED   (UINT32_MAX - 1) /* instead of a scope's number: owned by hand alone */

typedef struct slot {
    void *object;
    void (*drop)(void *object);
    _Atomic(kn_context) owner; /* NULL: in no one's use */
    atomic_uint generation;    /* changes when the handle dies */
    uint32_t retained;         /* by hand */
    uint32_t prev, next;       /* in its scope; next is also the free list */
    uint32_t scope;            /* number of the scope that owns it, RETAINED, or NO_SLOT: none */
    uint8_t kind;
    atomic_uchar share; /* its owner's share lock; no other one guards this slot as long as the handle lives */
} slot;

static _Atomic(slot *) chunks[MAX_CHUNKS];
static atomic_uint n_chunks;

typedef struct scope {
    uint32_t head;
    uint32_t serial;
} scope;
typedef struct handles {
    KN_VEC(scope) scope; /* [0] is the context's own */
    uint32_t retained;   /* list of those owned by hand alone */
    uint32_t free;
    uint32_t serial;
    int64_t live;
} handles;

/* Slots of a closed context are given to the next one that needs some. */
static knx_global_lock spare_lock = KN_GLOBAL_LOCK_INIT;
static uint32_t spare = NO_SLOT;

static slot *slot_at(uint32_t i) { return atomic_load_explicit(&chunks[i / CHUNK], memory_order_acquire) + i % CHUNK; }

static void drop_handles(void *p)
{
    handles *h = p;
    kna_handles_close();
    knx_global_lock_take(&spare_lock);
    while (h->free != NO_SLOT) {
        uint32_t i = h->free;
        slot *s = slot_at(i);
        h->free = s->next;
        atomic_store_explicit(&s->owner, NULL, memory_order_relaxed);
        s->next = spare;
        spare = i;
    }
    knx_global_unlock(&spare_lock);
    KN_VEC_FREE(&h->scope);
    knx_free(h);
}

static KNX_HOT handles *mine(void)
{
    handles *h = knx_slot_state(KNX_SLOT_HANDLES);
    if (h)
        return h;
    h = knx_alloc_zero(sizeof *h);
    if (!h)
        return NULL;
    static atomic_uint made;
    h->serial =
        atomic_fetch_add(&made, 1) * 0x9e3779b1u; /* a scope of a context that is gone is not found in another */
    h->free = h->retained = NO_SLOT;
    scope root = {NO_SLOT, 0};
    if (!KN_VEC_PUSH(&h->scope, root) || !knx_slot_set(KNX_SLOT_HANDLES, h, drop_handles)) {
        KN_VEC_FREE(&h->scope);
        knx_free(h);
        return NULL;
    }
    return h;
}

static bool take_spare(handles *h)
{
    knx_global_lock_take(&spare_lock);
    uint32_t i = spare;
    if (i != NO_SLOT) {
        slot *s = slot_at(i);
        spare = s->next;
        s->next = h->free;
        h->free = i;
    }
    knx_global_unlock(&spare_lock);
    return i != NO_SLOT;
}

static bool grow(handles *h)
{
    if (take_spare(h))
        return true;
    slot *fresh = knx_alloc_zero(CHUNK * sizeof *fresh);
    if (!fresh)
        return false;
    uint32_t c = atomic_fetch_add(&n_chunks, 1);
    if (c >= MAX_CHUNKS || (uint64_t)c * CHUNK + CHUNK > (uint64_t)1 << INDEX_BITS) {
        atomic_fetch_sub(&n_chunks, 1);
        knx_free(fresh);
        return false;
    }
    for (uint32_t i = 0; i < CHUNK; i++) {
        atomic_init(&fresh[i].generation, 1);
        fresh[i].next = i + 1 < CHUNK ? c * CHUNK + i + 1 : h->free;
    }
    atomic_store_explicit(&chunks[c], fresh, memory_order_release);
    h->free = c * CHUNK;
    return true;
}

static uint32_t *list_head(handles *h, uint32_t scope_number)
{
    return scope_number == RETAINED ? &h->retained : &h->scope.at[scope_number].head;
}

static KNX_HOT void link_slot(handles *h, uint32_t i, uint32_t scope_number)
{
    slot *s = slot_at(i);
    uint32_t *head = list_head(h, scope_number);
    s->scope = scope_number;
    s->prev = NO_SLOT;
    s->next = *head;
    if (*head != NO_SLOT)
        slot_at(*head)->prev = i;
    *head = i;
}

static KNX_HOT void unlink_slot(handles *h, uint32_t i)
{
    slot *s = slot_at(i);
    if (s->scope == NO_SLOT)
        return;
    if (s->prev != NO_SLOT)
        slot_at(s->prev)->next = s->next;
    else
        *list_head(h, s->scope) = s->next;
    if (s->next != NO_SLOT)
        slot_at(s->next)->prev = s->prev;
    s->scope = NO_SLOT;
}

static uint32_t generation_of(const slot *s) { return atomic_load_explicit(&s->generation, memory_order_relaxed); }

static KNX_HOT void free_slot(handles *h, uint32_t i)
{
    slot *s = slot_at(i);
    void *object = s->object;
    void (*drop)(void *) = s->drop;
    uint32_t next = (generation_of(s) + 1) & (uint32_t)(UINTPTR_MAX >> INDEX_BITS);
    knx_share_lock();
    s->object = NULL;
    s->kind = KN_H_NONE;
    atomic_store_explicit(&s->generation, next ? next : 1, memory_order_relaxed);
    knx_share_unlock();
    s->next = h->free;
    h->free = i;
    h->live--;
    drop(object);
}

static void *handle_bits(uint32_t i, const slot *s)
{
    return (void *)(((uintptr_t)generation_of(s) << INDEX_BITS) | i);
}

/* The slot that a handle names, whoever has it now; NULL: none. No handle is NULL: generations begin at 1. */
static inline slot *named(const void *handle, uint32_t *index)
{
    uint32_t i = (uint32_t)((uintptr_t)handle & (((uintptr_t)1 << INDEX_BITS) - 1));
    *index = i;
    if (i / CHUNK >= MAX_CHUNKS)
        return NULL;
    slot *chunk = atomic_load_explicit(&chunks[i / CHUNK], memory_order_acquire);
    return chunk ? chunk + i % CHUNK : NULL;
}

static inline bool same_generation(const slot *s, const void *handle)
{
    return generation_of(s) == (uint32_t)((uintptr_t)handle >> INDEX_BITS);
}

/* Of this context and alive. */
static inline slot *find(const void *handle, uint32_t *index)
{
    slot *s = named(handle, index);
    bool here = s && same_generation(s, handle) && atomic_load_explicit(&s->owner, memory_order_relaxed) == knx_current;
    return here && s->object ? s : NULL;
}

bool kna_handle_visit(const void *handle, kna_visit visit, void *env)
{
    uint32_t i;
    slot *s = named(handle, &i);
    if (!s || !same_generation(s, handle))
        return false;
    uint8_t share = atomic_load_explicit(&s->share, memory_order_relaxed);
    knx_spin_lock(&knx_shares[share].lock);
    kn_context owner = atomic_load_explicit(&s->owner, memory_order_relaxed);
    bool alive = same_generation(s, handle) && owner && s->object; /* then its share has not changed either */
    if (alive && visit)
        visit(env, owner, (kna_handle_kind)s->kind, s->object);
    knx_spin_unlock(&knx_shares[share].lock);
    return alive;
}

KNX_HOT void *kna_handle_peek(const void *handle, kna_handle_kind *kind)
{
    uint32_t i;
    slot *s = find(handle, &i);
    *kind = s ? (kna_handle_kind)s->kind : KN_H_NONE;
    return s ? s->object : NULL;
}

KNX_HOT bool kna_handle_is_foreign(const void *handle)
{
    uint32_t i;
    return !find(handle, &i) && kna_handle_visit(handle, NULL, NULL);
}

KNX_HOT void *kna_handle_new(kna_handle_kind kind, void *object, void (*drop)(void *object))
{
    handles *h = mine();
    if (!object)
        return NULL;
    if (!h || (h->free == NO_SLOT && !grow(h))) {
        drop(object);
        knx_error *e = knx_error_nomem();
        knx_report(e);
        knx_error_release(e);
        return NULL;
    }
    uint32_t i = h->free;
    slot *s = slot_at(i);
    h->free = s->next;
    s->object = object;
    s->drop = drop;
    atomic_store_explicit(&s->share, knx_current->share, memory_order_relaxed);
    atomic_store_explicit(&s->owner, knx_current, memory_order_relaxed);
    s->kind = (uint8_t)kind;
    s->retained = 0;
    h->live++;
    link_slot(h, i, (uint32_t)h->scope.n - 1);
    return handle_bits(i, s);
}

/* Was it a handle once? What was never handed out has a generation to come, or none: a variable without a value. */
static bool was_handle(const void *handle)
{
    uint32_t i, generation = (uint32_t)((uintptr_t)handle >> INDEX_BITS);
    const slot *s = named(handle, &i);
    return s && generation != 0 && generation < generation_of(s);
}

static const char *kind_name(kna_handle_kind kind)
{
    static const char *const names[] = {
        "handle",        "array",        "array",    "function",  "jaxpr",    "tree",         "list",
        "archive",       "optimizer",    "text",     "treedef",   "schedule", "generator",    "bit generator",
        "seed sequence", "random state", "flatiter", "broadcast", "nditer",   "arrayterator", "object"};
    return names[kind];
}

/* Why a handle that was not found is none. */
static KNX_COLD knx_error *handle_error(const char *wanted, const void *handle, const slot *s)
{
    if (!handle)
        return knx_error_new(KN_ERROR_TYPE, "null %s", wanted);
    if (s)
        return knx_error_new(KN_ERROR_TYPE, "a handle of a %s was given where a %s is wanted", kind_name(s->kind),
                             wanted);
    if (kna_handle_visit(handle, NULL, NULL))
        return knx_error_new(KN_ERROR_CONTEXT, "this %s belongs to another context", wanted);
    if (was_handle(handle))
        return knx_error_new(KN_ERROR_VALUE, "this %s was released: the scope that owned it has ended", wanted);
    return knx_error_new(KN_ERROR_TYPE, "this is not a handle of %s %s: was its variable set?",
                         strchr("aeiou", wanted[0]) ? "an" : "a", wanted);
}

KNX_HOT void *kna_handle_get(kna_handle_kind kind, const void *handle, knx_error **error)
{
    uint32_t i;
    slot *s = handle ? find(handle, &i) : NULL;
    if (s && s->kind == kind)
        return s->object;
    *error = handle_error(kind_name(kind), handle, s);
    return NULL;
}

void *kna_handle_get_named(kna_handle_kind kind, const char *name, const void *handle, knx_error **error)
{
    uint32_t i;
    slot *s = handle ? find(handle, &i) : NULL;
    if (s && s->kind == kind)
        return s->object;
    *error = handle_error(name, handle, s);
    return NULL;
}

void kna_handle_replace(void *handle, kna_handle_kind kind, void *object, void (*drop)(void *object))
{
    uint32_t i;
    slot *s = find(handle, &i);
    if (!s)
        return;
    void *old = s->object;
    void (*drop_old)(void *) = s->drop;
    knx_share_lock();
    s->object = object;
    s->drop = drop;
    s->kind = (uint8_t)kind;
    knx_share_unlock();
    drop_old(old);
}

bool kna_handle_alive(const void *handle, kna_handle_kind *kind)
{
    uint32_t i;
    slot *s = find(handle, &i);
    if (s && kind)
        *kind = (kna_handle_kind)s->kind;
    return s != NULL;
}

/* A handle of this context, or NULL after reporting why not. */
static slot *find_mine(const char *operation, void *handle, uint32_t *i)
{
    slot *s = find(handle, i);
    if (!s && kna_handle_visit(handle, NULL, NULL))
        knx_report_new(operation, KN_ERROR_CONTEXT, "this handle belongs to another context");
    else if (!s && handle && was_handle(handle))
        knx_report_new(operation, KN_ERROR_VALUE, "this handle was released before");
    else if (!s)
        knx_report_new(operation, KN_ERROR_TYPE,
                       handle ? "this is not a handle: was its variable set?" : "null handle");
    return s;
}

static bool in_scope(const slot *s) { return s->scope < RETAINED; }

void kna_handle_promote(void *handle)
{
    uint32_t i;
    slot *s = find_mine("keep", handle, &i);
    handles *h = mine();
    if (!s || !h || !in_scope(s) || s->scope == 0)
        return;
    uint32_t to = s->scope - 1;
    unlink_slot(h, i);
    link_slot(h, i, to);
}

void kna_handle_swap_scopes(void *old, void *value)
{
    uint32_t i, k;
    handles *h = mine();
    slot *v = find_mine("assign", value, &i);
    slot *o = old && v ? find(old, &k) : NULL;
    if (!v || !h || !in_scope(v))
        return;
    if (!o) {
        if (v->scope > 0)
            kna_handle_promote(value);
        return;
    }
    uint32_t from = v->scope, to = in_scope(o) ? o->scope : 0;
    if (v == o || from <= to)
        return; /* the value already lives as long */
    unlink_slot(h, i);
    link_slot(h, i, to);
    if (in_scope(o)) {
        unlink_slot(h, k);
        link_slot(h, k, from);
    }
}

/* One owner of the slot has gone. */
static KNX_HOT void disown(handles *h, uint32_t i)
{
    slot *s = slot_at(i);
    if (in_scope(s))
        return;
    unlink_slot(h, i);
    if (s->retained)
        link_slot(h, i, RETAINED);
    else
        free_slot(h, i);
}

static void empty_scope(handles *h, uint32_t number)
{
    while (h->scope.at[number].head != NO_SLOT) {
        uint32_t i = h->scope.at[number].head;
        unlink_slot(h, i);
        disown(h, i);
    }
}

static KNX_HOT void end_scopes(handles *h, uint32_t keep)
{
    while (h->scope.n > keep) {
        empty_scope(h, (uint32_t)h->scope.n - 1);
        h->scope.n--;
        knx_current->scopes = (uint32_t)h->scope.n;
        if (knx_current->defaults.n)
            knx_defaults_end(knx_current, (uint32_t)h->scope.n);
    }
}

uint32_t kna_scopes_open(void)
{
    handles *h = mine();
    return h ? (uint32_t)h->scope.n : 1;
}

KNX_HOT kn_scope kn_scope_begin(void)
{
    handles *h = mine();
    scope s = {NO_SLOT, 0};
    s.serial = h ? ++h->serial : 0;
    if (!h || !KN_VEC_PUSH(&h->scope, s)) {
        knx_error *e = knx_error_nomem();
        knx_report(e);
        knx_error_release(e);
        return (kn_scope){0};
    }
    knx_current->scopes = (uint32_t)h->scope.n;
    return (kn_scope){((uint64_t)(h->scope.n - 1) << 32) | s.serial, knx_current};
}

static KNX_HOT void end_scope(const kn_scope *s)
{
    handles *h = knx_slot_state(KNX_SLOT_HANDLES);
    uint32_t depth = (uint32_t)(s->id >> 32);
    if (h && depth > 0 && depth < h->scope.n && h->scope.at[depth].serial == (uint32_t)s->id) {
        kna_unwind(depth);
        end_scopes(h, depth);
    }
}

KNX_HOT void kn_scope_end(kn_scope *s)
{
    if (!s)
        return;
    if (s->id && s->context == knx_current) {
        end_scope(s);
    } else if (s->id) { /* its context was popped, or another one pushed, before the block's end */
        size_t pushed = knx_context_pushed();
        knx_error *e = knx_context_push(s->context);
        if (!e) {
            end_scope(s);
            if (knx_context_pushed() > pushed) /* else it was unwound with what the user's code had pushed */
                knx_context_unpush();
        }
        knx_error_release(e); /* gone, or in use elsewhere: it ends there with the scopes around it */
    }
    s->id = 0;
}

void *kn_retain(void *handle)
{
    uint32_t i;
    slot *s = find_mine("retain", handle, &i);
    if (s)
        s->retained++;
    return handle;
}

void kn_release(void *handle)
{
    uint32_t i;
    slot *s = find_mine("release", handle, &i);
    handles *h = mine();
    if (!s || !h)
        return;
    if (s->retained)
        s->retained--;
    else
        unlink_slot(h, i);
    disown(h, i);
}

int64_t kn_live_count(void)
{
    handles *h = knx_slot_state(KNX_SLOT_HANDLES);
    return h ? h->live : 0;
}

int64_t kna_handles_close(void)
{
    handles *h = knx_slot_state(KNX_SLOT_HANDLES);
    if (!h)
        return 0;
    end_scopes(h, 1);
    empty_scope(h, 0);
    int64_t left = h->live;
    while (h->retained != NO_SLOT) {
        uint32_t i = h->retained;
        unlink_slot(h, i);
        free_slot(h, i);
        empty_scope(h, 0); /* what its callbacks made */
    }
    return left;
}

void kn_keep_handle(void *handle) { kna_handle_promote(handle); }
