/* SPDX-License-Identifier: Apache-2.0
 * places.c -- places that know what the error state was, and which warnings a place has given. The process has them;
 * their number is bounded: what comes later has ordinary places, and tells nothing. */
#include "base/hash.h"
#include "base/lock.h"
#include "numpy/error_state/error_state.h"

enum { MOST = 1 << 16 };

typedef struct heard {
    const kn_place *place;
    const char *name;
    int kind;
} heard;

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static knx_arena arena;
static knx_table by_content, by_address, warnings;

static uint64_t mix(uint64_t h, const void *p) { return knx_hash_mix(h, (uint64_t)(uintptr_t)p); }

static const knn_place *find(uint64_t hash, const knn_place *want)
{
    size_t cursor;
    for (const knn_place *p = knx_table_first(&by_content, hash, &cursor); p;
         p = knx_table_next(&by_content, hash, &cursor))
        if (p->from == want->from && p->operation == want->operation && p->ufunc == want->ufunc &&
            p->state == want->state && p->quiet == want->quiet)
            return p;
    return NULL;
}

static const knn_place *add(uint64_t hash, const knn_place *want)
{
    knn_place *p = by_content.live < MOST ? knx_arena_alloc(&arena, sizeof *p) : NULL;
    if (!p)
        return NULL;
    *p = *want;
    if (!knx_table_add(&by_address, mix(1, p), p))
        return NULL;
    return knx_table_add(&by_content, hash, p) ? p : NULL;
}

const knn_place *knn_place_make(const kn_place *from, const char *operation, const char *ufunc, unsigned state,
                                bool quiet)
{
    static const kn_place unknown = {"?", 0, ""};
    const knn_place *outer = knn_place_is(from);
    from = outer ? outer->from : from;
    knn_place want = {from ? *from : unknown, from, operation, ufunc, (uint16_t)state, quiet};
    uint64_t hash = mix(mix(mix(knx_hash_mix(2, state * 2 + quiet), from), operation), ufunc);
    knx_global_lock_take(&lock);
    const knn_place *p = find(hash, &want);
    if (!p)
        p = add(hash, &want);
    knx_global_unlock(&lock);
    return p;
}

const knn_place *knn_place_is(const kn_place *p)
{
    size_t cursor;
    uint64_t hash = mix(1, p);
    knx_global_lock_take(&lock);
    const knn_place *at = p ? knx_table_first(&by_address, hash, &cursor) : NULL;
    while (at && &at->place != p)
        at = knx_table_next(&by_address, hash, &cursor);
    knx_global_unlock(&lock);
    return at;
}

static bool known(uint64_t hash, const heard *want)
{
    size_t cursor;
    for (const heard *h = knx_table_first(&warnings, hash, &cursor); h; h = knx_table_next(&warnings, hash, &cursor))
        if (h->place == want->place && h->name == want->name && h->kind == want->kind)
            return true;
    return false;
}

bool knn_place_heard(const kn_place *p, const char *name, int kind)
{
    heard one = {p, name, kind};
    uint64_t hash = mix(mix(knx_hash_mix(3, (uint64_t)kind), p), name);
    if (!p)
        return false;
    knx_global_lock_take(&lock);
    bool yes = known(hash, &one);
    heard *h = yes || warnings.live >= MOST ? NULL : knx_arena_alloc(&arena, sizeof *h);
    if (h) {
        *h = one;
        (void)knx_table_add(&warnings, hash, h); /* without memory it warns again */
    }
    knx_global_unlock(&lock);
    return yes;
}
