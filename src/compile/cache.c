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

struct kn_kernel_cache {
    kn_mutex lock;
    kn_map map;
    entry *newest, *oldest;
    size_t max_bytes;
    kn_kernel_counts counts;
};

kn_kernel_cache *knc_kernel_cache_new(size_t max_bytes)
{
    kn_kernel_cache *c = knx_alloc_zero(sizeof *c);
    if (!c)
        return NULL;
    c->lock = (kn_mutex)KN_MUTEX_INIT;
    c->max_bytes = max_bytes;
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

static void drop(kn_kernel_cache *c, entry *e)
{
    unlink_entry(c, e);
    knx_map_remove(&c->map, e->kernel->hash, e);
    c->counts.bytes -= e->bytes;
    c->counts.entries--;
    knk_release(e->kernel);
    knx_free(e);
}

void knc_kernel_cache_free(kn_kernel_cache *c)
{
    if (!c)
        return;
    while (c->oldest)
        drop(c, c->oldest);
    knx_map_free(&c->map);
    knx_free(c);
}

kn_kernel_counts knc_kernel_counts(kn_kernel_cache *c)
{
    knx_mutex_lock(&c->lock);
    kn_kernel_counts counts = c->counts;
    knx_mutex_unlock(&c->lock);
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

static bool add(kn_kernel_cache *c, knk_kernel *k)
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
    while (c->counts.bytes > c->max_bytes && c->oldest != e) {
        drop(c, c->oldest);
        c->counts.evicted++;
    }
    return true;
}

kn_error *knc_share_kernel(kn_kernel_cache *c, knk_kernel **kernel)
{
    bool fine = true;
    knk_kernel *mine = NULL;
    knx_mutex_lock(&c->lock);
    entry *e = find(c, *kernel);
    if (e) {
        c->counts.hits++;
        unlink_entry(c, e);
        link_newest(c, e);
        mine = *kernel;
        *kernel = knk_retain(e->kernel);
    } else {
        c->counts.misses++;
        fine = add(c, *kernel);
    }
    knx_mutex_unlock(&c->lock);
    knk_release(mine);
    return fine ? NULL : knx_error_nomem();
}
