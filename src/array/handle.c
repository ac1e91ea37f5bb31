/* SPDX-License-Identifier: Apache-2.0
 * handle.c -- slots, generations and scopes.
 *
 * A handle's bits are generation and slot number. The table of slots is one for the process and only grows: chunks are
 * found through an array of pointers without a lock, so a dead or foreign handle can be examined safely. Each context
 * hands out slots from its own chunks. A scope is a list of slots, linked through the slots themselves, so that moving
 * a handle between scopes costs nothing. */
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

typedef struct slot {
    void *object;
    void (*drop)(void *object);
    kn_context owner;
    uint32_t generation;
    uint32_t retained;   /* by hand */
    uint32_t prev, next; /* in its scope; next is also the free list */
    uint32_t scope;      /* number of the scope that owns it, NO_SLOT: none */
    uint8_t kind;
} slot;

static _Atomic(slot *) chunks[MAX_CHUNKS];
static atomic_uint n_chunks;

typedef struct scope {
    uint32_t head;
    uint32_t serial;
} scope;
typedef struct handles {
    KN_VEC(scope) scope;    /* [0] is the context's own */
    KN_VEC(uint32_t) chunk; /* this context's */
    uint32_t free;
    uint32_t serial;
    int64_t live;
} handles;

/* Slots of a closed context are given to the next one that needs some. */
static kn_mutex spare_lock = KN_MUTEX_INIT;
static uint32_t spare = NO_SLOT;

static slot *slot_at(uint32_t i) { return atomic_load_explicit(&chunks[i / CHUNK], memory_order_acquire) + i % CHUNK; }

static void drop_handles(void *p)
{
    handles *h = p;
    knx_mutex_lock(&spare_lock);
    while (h->free != NO_SLOT) {
        uint32_t i = h->free;
        slot *s = slot_at(i);
        h->free = s->next;
        s->owner = NULL;
        s->next = spare;
        spare = i;
    }
    knx_mutex_unlock(&spare_lock);
    KN_VEC_FREE(&h->scope);
    KN_VEC_FREE(&h->chunk);
    knx_free(h);
}

static handles *mine(void)
{
    handles *h = knx_slot_state(KNX_SLOT_HANDLES);
    if (h)
        return h;
    h = knx_alloc_zero(sizeof *h);
    if (!h)
        return NULL;
    h->free = NO_SLOT;
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
    knx_mutex_lock(&spare_lock);
    uint32_t i = spare;
    if (i != NO_SLOT) {
        slot *s = slot_at(i);
        spare = s->next;
        s->next = h->free;
        h->free = i;
    }
    knx_mutex_unlock(&spare_lock);
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
        fresh[i].generation = 1;
        fresh[i].next = i + 1 < CHUNK ? c * CHUNK + i + 1 : h->free;
    }
    atomic_store_explicit(&chunks[c], fresh, memory_order_release);
    h->free = c * CHUNK;
    return true;
}

static void link_slot(handles *h, uint32_t i, uint32_t scope_number)
{
    slot *s = slot_at(i);
    uint32_t head = h->scope.at[scope_number].head;
    s->scope = scope_number;
    s->prev = NO_SLOT;
    s->next = head;
    if (head != NO_SLOT)
        slot_at(head)->prev = i;
    h->scope.at[scope_number].head = i;
}

static void unlink_slot(handles *h, uint32_t i)
{
    slot *s = slot_at(i);
    if (s->scope == NO_SLOT)
        return;
    if (s->prev != NO_SLOT)
        slot_at(s->prev)->next = s->next;
    else
        h->scope.at[s->scope].head = s->next;
    if (s->next != NO_SLOT)
        slot_at(s->next)->prev = s->prev;
    s->scope = NO_SLOT;
}

static void free_slot(handles *h, uint32_t i)
{
    slot *s = slot_at(i);
    void *object = s->object;
    void (*drop)(void *) = s->drop;
    s->object = NULL;
    s->kind = KN_H_NONE;
    s->generation = (s->generation + 1) & (uint32_t)(UINTPTR_MAX >> INDEX_BITS);
    if (!s->generation)
        s->generation = 1;
    s->next = h->free;
    h->free = i;
    h->live--;
    drop(object);
}

static void *handle_bits(uint32_t i, const slot *s) { return (void *)(((uintptr_t)s->generation << INDEX_BITS) | i); }

static slot *find(const void *handle, uint32_t *index)
{
    uintptr_t bits = (uintptr_t)handle;
    uint32_t i = (uint32_t)(bits & (((uintptr_t)1 << INDEX_BITS) - 1));
    if (!handle || i / CHUNK >= MAX_CHUNKS || !atomic_load_explicit(&chunks[i / CHUNK], memory_order_acquire))
        return NULL;
    slot *s = slot_at(i);
    *index = i;
    return s->object && s->generation == (uint32_t)(bits >> INDEX_BITS) ? s : NULL;
}

void *kna_handle_new(kn_handle_kind kind, void *object, void (*drop)(void *object))
{
    handles *h = mine();
    if (!object)
        return NULL;
    if (!h || (h->free == NO_SLOT && !grow(h))) {
        drop(object);
        kn_error *e = knx_error_nomem();
        knx_report(e);
        knx_error_release(e);
        return NULL;
    }
    uint32_t i = h->free;
    slot *s = slot_at(i);
    h->free = s->next;
    s->object = object;
    s->drop = drop;
    s->owner = knx_context();
    s->kind = (uint8_t)kind;
    s->retained = 0;
    h->live++;
    link_slot(h, i, (uint32_t)h->scope.n - 1);
    return handle_bits(i, s);
}

static const char *kind_name(kn_handle_kind kind)
{
    static const char *const names[] = {"handle", "array",   "function",  "jaxpr", "tree",
                                        "list",   "archive", "optimizer", "text"};
    return names[kind];
}

void *kna_handle_get(kn_handle_kind kind, const void *handle, kn_error **error)
{
    uint32_t i;
    if (!handle) {
        *error = knx_error(KN_ERROR_TYPE, "null %s", kind_name(kind));
        return NULL;
    }
    slot *s = find(handle, &i);
    if (!s) {
        *error = knx_error(KN_ERROR_VALUE, "this %s was released: the scope that owned it has ended", kind_name(kind));
        return NULL;
    }
    if (s->kind != kind) {
        *error = knx_error(KN_ERROR_TYPE, "a handle of a %s was given where a %s is wanted", kind_name(s->kind),
                           kind_name(kind));
        return NULL;
    }
    if (s->owner != knx_context()) {
        *error = knx_error(KN_ERROR_CONTEXT, "this %s belongs to another context", kind_name(kind));
        return NULL;
    }
    return s->object;
}

bool kna_handle_alive(const void *handle, kn_handle_kind *kind)
{
    uint32_t i;
    slot *s = find(handle, &i);
    if (s && kind)
        *kind = (kn_handle_kind)s->kind;
    return s != NULL;
}

/* A handle of this context, or NULL after reporting why not. */
static slot *find_mine(const char *operation, void *handle, uint32_t *i)
{
    slot *s = find(handle, i);
    if (!s)
        knx_report_new(operation, handle ? KN_ERROR_VALUE : KN_ERROR_TYPE,
                       handle ? "this handle was released before" : "null handle");
    else if (s->owner != knx_context()) {
        knx_report_new(operation, KN_ERROR_CONTEXT, "this handle belongs to another context");
        return NULL;
    }
    return s;
}

void kna_handle_promote(void *handle)
{
    uint32_t i;
    slot *s = find_mine("keep", handle, &i);
    handles *h = mine();
    if (!s || !h || s->scope == NO_SLOT || s->scope == 0)
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
    if (!v || !h || v->scope == NO_SLOT)
        return;
    if (!o || o->owner != v->owner) {
        if (v->scope > 0)
            kna_handle_promote(value);
        return;
    }
    uint32_t from = v->scope, to = o->scope == NO_SLOT ? 0 : o->scope;
    if (v == o || from <= to)
        return; /* the value already lives as long */
    unlink_slot(h, i);
    link_slot(h, i, to);
    if (o->scope != NO_SLOT) {
        unlink_slot(h, k);
        link_slot(h, k, from);
    }
}

/* One owner of the slot has gone. */
static void disown(handles *h, uint32_t i)
{
    slot *s = slot_at(i);
    if (s->scope == NO_SLOT && s->retained == 0)
        free_slot(h, i);
}

static void end_scopes(handles *h, uint32_t keep)
{
    while (h->scope.n > keep) {
        uint32_t top = (uint32_t)h->scope.n - 1;
        while (h->scope.at[top].head != NO_SLOT) {
            uint32_t i = h->scope.at[top].head;
            unlink_slot(h, i);
            disown(h, i);
        }
        h->scope.n--;
    }
}

kn_scope kn_scope_begin(void)
{
    handles *h = mine();
    scope s = {NO_SLOT, 0};
    if (!h)
        return (kn_scope){0};
    s.serial = ++h->serial;
    if (!KN_VEC_PUSH(&h->scope, s)) {
        kn_error *e = knx_error_nomem();
        knx_report(e);
        knx_error_release(e);
        return (kn_scope){0};
    }
    return (kn_scope){((uint64_t)(h->scope.n - 1) << 32) | s.serial};
}

void kn_scope_end(kn_scope *s)
{
    handles *h = knx_slot_state(KNX_SLOT_HANDLES);
    uint32_t depth = (uint32_t)(s->id >> 32);
    if (h && depth > 0 && depth < h->scope.n && h->scope.at[depth].serial == (uint32_t)s->id)
        end_scopes(h, depth);
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
    end_scopes(h, 0);
    int64_t left = h->live;
    kn_context me = knx_context();
    uint32_t chunks_now = atomic_load(&n_chunks);
    for (uint32_t c = 0; c < chunks_now && h->live > 0; c++) /* those retained by hand */
        for (uint32_t i = c * CHUNK; i < (c + 1) * CHUNK; i++)
            if (slot_at(i)->object && slot_at(i)->owner == me)
                free_slot(h, i);
    return left;
}

void kn_keep_handle(void *handle) { kna_handle_promote(handle); }
