/* SPDX-License-Identifier: Apache-2.0
 * cache.c -- kernels by their structure, bounded by bytes, least recently used first. */
#include "base/hash.h"
#include "base/lock.h"
#include "compile/plan.h"
#include <string.h>

typedef struct entry {
    knk_kernel *kernel;
    size_t bytes;
    struct entry *newer, *older;
} entry;

static kn_global_lock lock = KN_GLOBAL_LOCK_INIT; /* of all caches; no fork leaves it taken */

struct kn_kernel_cache {
    kn_map map;
    entry *newest, *oldest;
    kn_kernel_counts counts;
};

kn_kernel_cache *knc_kernel_cache_new(size_t max_bytes)
{
    kn_kernel_cache *c = knx_alloc_zero(sizeof *c);
    if (!c)
        return NULL;
    c->counts.limit = max_bytes;
    return c;
}

static void unlink_entry(kn_kernel_cache *c, entry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
}

static void link_newest(kn_kernel_cache *c, entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

static entry *take_oldest(kn_kernel_cache *c)
{
    entry *e = c->oldest;
    unlink_entry(c, e);
    knx_map_remove(&c->map, e->kernel->hash, e);
    c->counts.bytes -= e->bytes;
    c->counts.entries--;
    return e;
}

/* Not under the lock: the code of a kernel has a lock of its own. */
static void free_list(entry *e)
{
    for (entry *older; e; e = older) {
        older = e->older;
        knk_release(e->kernel);
        knx_free(e);
    }
}

void knc_kernel_cache_free(kn_kernel_cache *c)
{
    if (!c)
        return;
    free_list(c->newest);
    knx_map_free(&c->map);
    knx_free(c);
}

kn_kernel_counts knc_kernel_counts(kn_kernel_cache *c)
{
    knx_global_lock(&lock);
    kn_kernel_counts counts = c->counts;
    knx_global_unlock(&lock);
    return counts;
}

static entry *find(kn_kernel_cache *c, const knk_kernel *k)
{
    size_t cursor;
    for (entry *e = knx_map_first(&c->map, k->hash, &cursor); e; e = knx_map_next(&c->map, k->hash, &cursor))
        if (e->kernel->key_bytes == k->key_bytes && !memcmp(e->kernel->key, k->key, k->key_bytes))
            return e;
    return NULL;
}

/* Takes the oldest out until the rest fits; the newest, which is in use, stays. */
static entry *bound(kn_kernel_cache *c)
{
    entry *out = NULL;
    while (c->counts.bytes > c->counts.limit && c->oldest != c->newest) {
        entry *e = take_oldest(c);
        c->counts.evicted++;
        e->older = out;
        out = e;
    }
    return out;
}

/* *out: what had to go. */
static bool add(kn_kernel_cache *c, knk_kernel *k, entry **out)
{
    entry *e = knx_alloc_zero(sizeof *e);
    if (!e)
        return false;
    e->kernel = k;
    e->bytes = sizeof *e + sizeof *k + k->arena.total;
    if (!knx_map_add(&c->map, k->hash, e)) {
        knx_free(e);
        return false;
    }
    knk_retain(k);
    link_newest(c, e);
    c->counts.bytes += e->bytes;
    c->counts.entries++;
    *out = bound(c);
    return true;
}

size_t knc_kernel_cache_limit(kn_kernel_cache *c, size_t bytes)
{
    knx_global_lock(&lock);
    size_t before = c->counts.limit;
    c->counts.limit = bytes;
    entry *out = bound(c);
    knx_global_unlock(&lock);
    free_list(out);
    return before;
}

kn_error *knc_share_kernel(kn_kernel_cache *c, knk_kernel **kernel)
{
    bool fine = true;
    knk_kernel *mine = NULL;
    entry *out = NULL;
    knx_global_lock(&lock);
    entry *e = find(c, *kernel);
    if (e) {
        c->counts.hits++;
        unlink_entry(c, e);
        link_newest(c, e);
        mine = *kernel;
        *kernel = knk_retain(e->kernel);
    } else {
        c->counts.misses++;
        fine = add(c, *kernel, &out);
    }
    knx_global_unlock(&lock);
    knk_release(mine);
    free_list(out);
    return fine ? NULL : knx_error_nomem();
}
