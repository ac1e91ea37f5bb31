/* SPDX-License-Identifier: Apache-2.0
 * place.c -- places of parsed jaxprs. Equations hold places by address and hand them on (errors, inlining), so these
 * are made once each and stay; their number is bounded. */
#include "base/hash.h"
#include "base/lock.h"
#include "ir/jaxpr.h"
#include <string.h>

enum { MOST_PLACES = 1 << 16, LONGEST = 4096 };

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static knx_arena arena;
static knx_table places;

static const kn_place *find(uint64_t hash, const char *file, int line, const char *function)
{
    size_t cursor;
    for (const kn_place *p = knx_table_first(&places, hash, &cursor); p; p = knx_table_next(&places, hash, &cursor))
        if (p->line == line && !strcmp(p->file, file) && !strcmp(p->function, function))
            return p;
    return NULL;
}

static const kn_place *add(uint64_t hash, const char *file, int line, const char *function)
{
    if (places.live >= MOST_PLACES || strlen(file) > LONGEST || strlen(function) > LONGEST)
        return NULL;
    kn_place *p = knx_arena_alloc(&arena, sizeof *p);
    if (!p || !(p->file = knx_arena_string(&arena, file)) || !(p->function = knx_arena_string(&arena, function)))
        return NULL;
    p->line = line;
    return knx_table_add(&places, hash, p) ? p : NULL;
}

const kn_place *kni_place(const char *file, int line, const char *function)
{
    uint64_t hash = knx_hash_bytes(file, strlen(file), (uint64_t)line);
    hash = knx_hash_bytes(function, strlen(function), hash);
    knx_global_lock_take(&lock);
    const kn_place *p = find(hash, file, line, function);
    if (!p)
        p = add(hash, file, line, function);
    knx_global_unlock(&lock);
    return p;
}

void kni_places_free(void)
{
    knx_global_lock_take(&lock);
    knx_table_free(&places);
    knx_arena_free(&arena);
    knx_global_unlock(&lock);
}
