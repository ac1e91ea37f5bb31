/* SPDX-License-Identifier: Apache-2.0
 * cache.c -- the kernel cache: finds kernels by their structure. A kernel that a program holds is in use and stays; a
 * kernel that no program holds is idle. While all kernels and their code have more bytes than the limit, idle kernels
 * are dropped, the least recently used first. Finding, adding and dropping a kernel takes the same time however many
 * there are. */
#include "base/log.h"
#include "base/hash.h"
#include "base/lock.h"
#include "compile/plan.h"
#include <string.h>

typedef struct entry {
    knk_kernel *kernel; /* the cache has a reference of its own: without others the kernel is idle */
    knc_kernel_cache *cache;
    size_t bytes;                /* of the kernel without its code */
    struct entry *newer, *older; /* neighbours in the list of idle kernels */
} entry;

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT; /* of all caches; no fork leaves it taken */

struct knc_kernel_cache {
    knx_table map;
    entry *newest, *oldest; /* ends of the list of idle kernels */
    knc_kernel_counts counts;
    atomic_size_t native; /* bytes of what code generation keeps with the kernels */
    bool closed;          /* its owner freed it; only programs that hold its kernels still use it */
};

knc_kernel_cache *knc_kernel_cache_new(size_t max_bytes)
{
    knc_kernel_cache *c = knx_alloc_zero(sizeof *c);
    if (!c)
        return NULL;
    c->counts.limit = max_bytes;
    return c;
}

static void unlink_entry(knc_kernel_cache *c, entry *e)
{
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
    c->counts.idle--;
}

static void link_newest(knc_kernel_cache *c, entry *e)
{
    e->newer = NULL;
    e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
    c->counts.idle++;
}

static entry *take_oldest(knc_kernel_cache *c)
{
    entry *e = c->oldest;
    unlink_entry(c, e);
    knx_table_remove(&c->map, e->kernel->hash, e);
    c->counts.bytes -= e->bytes;
    c->counts.entries--;
    atomic_fetch_sub(&c->native, atomic_load(&e->kernel->native_bytes));
    e->kernel->give_back = NULL;
    e->kernel->native_total = NULL;
    return e;
}

static size_t bytes_of(knc_kernel_cache *c) { return c->counts.bytes + atomic_load(&c->native); }

/* Takes the oldest idle kernels out of the cache until the rest fits (all if it is closed); returns their list. */
static entry *bound(knc_kernel_cache *c)
{
    entry *out = NULL;
    while (c->oldest && (c->closed || bytes_of(c) > c->counts.limit)) {
        entry *e = take_oldest(c);
        c->counts.evicted++;
        e->older = out;
        out = e;
    }
    return out;
}

/* Frees the kernels of a list, not under the lock of the caches: the code of a kernel has a lock of its own. */
static void free_list(entry *e)
{
    for (entry *older; e; e = older) {
        older = e->older;
        knk_release(e->kernel);
        knx_free(e);
    }
}

static void free_cache(knc_kernel_cache *c)
{
    knx_table_free(&c->map);
    knx_free(c);
}

/* Releases a kernel that is in a cache, in place of knk_release: it is idle once the last program gave it back. */
static void give_back(knk_kernel *k)
{
    entry *e = k->keeper, *out = NULL;
    knc_kernel_cache *c = e->cache;
    knx_global_lock_take(&lock);
    if (atomic_fetch_sub(&k->refs, 1) == 2) {
        link_newest(c, e);
        out = bound(c);
    }
    bool last = c->closed && !c->counts.entries;
    knx_global_unlock(&lock);
    free_list(out);
    if (last)
        free_cache(c);
}

void knc_kernel_cache_free(knc_kernel_cache *c)
{
    if (!c)
        return;
    knx_global_lock_take(&lock);
    c->closed = true;
    entry *out = bound(c);
    bool last = !c->counts.entries;
    knx_global_unlock(&lock);
    free_list(out);
    if (last)
        free_cache(c);
}

static knc_kernel_counts counts_of(knc_kernel_cache *c)
{
    knc_kernel_counts counts = c->counts;
    counts.bytes = bytes_of(c);
    return counts;
}

knc_kernel_counts knc_kernel_counts_of(knc_kernel_cache *c)
{
    knx_global_lock_take(&lock);
    knc_kernel_counts counts = counts_of(c);
    knx_global_unlock(&lock);
    return counts;
}

/* Code that was made since the last kernel came may be what is too much. */
knc_kernel_counts knc_kernel_cache_bound(knc_kernel_cache *c)
{
    knx_global_lock_take(&lock);
    entry *out = bound(c);
    knc_kernel_counts counts = counts_of(c);
    knx_global_unlock(&lock);
    free_list(out);
    return counts;
}

static entry *find(knc_kernel_cache *c, const knk_kernel *k)
{
    size_t cursor;
    for (entry *e = knx_table_first(&c->map, k->hash, &cursor); e; e = knx_table_next(&c->map, k->hash, &cursor))
        if (e->kernel->key_bytes == k->key_bytes && !memcmp(e->kernel->key, k->key, k->key_bytes))
            return e;
    return NULL;
}

/* Adds a kernel, which the caller holds: it is in use. *out: the list of kernels that were dropped for it. */
static bool add(knc_kernel_cache *c, knk_kernel *k, entry **out)
{
    entry *e = knx_alloc_zero(sizeof *e);
    if (!e)
        return false;
    e->kernel = k;
    e->cache = c;
    e->bytes = sizeof *e + sizeof *k + k->arena.total;
    if (!knx_table_add(&c->map, k->hash, e)) {
        knx_free(e);
        return false;
    }
    knk_retain(k);
    k->keeper = e;
    k->give_back = give_back;
    k->native_total = &c->native;
    atomic_fetch_add(&c->native, atomic_load(&k->native_bytes));
    c->counts.bytes += e->bytes;
    c->counts.entries++;
    *out = bound(c);
    return true;
}

size_t knc_kernel_cache_limit(knc_kernel_cache *c, size_t bytes)
{
    knx_global_lock_take(&lock);
    size_t before = c->counts.limit;
    c->counts.limit = bytes;
    entry *out = bound(c);
    knx_global_unlock(&lock);
    free_list(out);
    return before;
}

/* Logs the kernel IR that code is made of: the same text for every backend. */
static void log_kernel(const knk_kernel *k)
{
    char *text = NULL;
    if (knx_debug_level < 2)
        return;
    knx_error_release(knk_text(k, &text));
    KN_LOG(2, "kernel %016llx:\n%s", (unsigned long long)k->hash, text ? text : "(no memory to print it)");
    knx_free(text);
}

knx_error *knc_share_kernel(knc_kernel_cache *c, knk_kernel **kernel)
{
    bool fine = true;
    knk_kernel *mine = NULL;
    entry *out = NULL;
    knx_global_lock_take(&lock);
    entry *e = find(c, *kernel);
    if (e) {
        c->counts.hits++;
        if (atomic_fetch_add(&e->kernel->refs, 1) == 1)
            unlink_entry(c, e);
        mine = *kernel;
        *kernel = e->kernel;
    } else {
        c->counts.misses++;
        fine = add(c, *kernel, &out);
    }
    knx_global_unlock(&lock);
    knk_release(mine);
    free_list(out);
    if (!e && fine)
        log_kernel(*kernel);
    return fine ? NULL : knx_error_nomem();
}
