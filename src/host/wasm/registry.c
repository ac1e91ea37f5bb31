/* SPDX-License-Identifier: Apache-2.0
 * registry.c -- modules for the workers. Instances and tables are each thread's own, so a function that is made while a
 * program runs has to be compiled by every thread that calls it: the bytes stay in the shared memory, numbered in the
 * order in which they came, and a worker that has seen fewer takes the rest before its part. It puts them where the
 * first thread has them. */
#include "host/wasm/registry.h"
#include "base/lock.h"

#if KN_SINGLE_THREADED

bool knh_wasm_share(const int *place, int n, knx_str *module) { return (void)place, (void)n, (void)module, true; }
void knh_wasm_unshare(int place) { (void)place; }

#else

#include "base/attributes.h"
#include "base/memory.h"
#include "base/pool.h"
#include <string.h>

/* Compiles a module and puts its functions, of which there are n, into this thread's table; place 0: not this one. 0:
 * it cannot. */
__attribute__((import_module("kiln_threads"), import_name("adopt"))) int knh_wasm_host_adopt(const void *bytes,
                                                                                             size_t size,
                                                                                             const int *place, int n);

typedef struct entry {
    unsigned serial;
    int n, used; /* places; those that are not 0 */
    int *place;  /* the module's bytes are behind them */
    size_t size;
} entry;

static knx_mutex lock = KN_MUTEX_INIT; /* of the next three */
static KN_VEC(entry) entries;          /* the older first */
static atomic_uint latest;             /* serial; the first is 1 */
static KNX_TLS unsigned seen;

static size_t entry_bytes(const entry *e) { return (size_t)e->n * sizeof *e->place + e->size; }

/* A copy of the oldest one that this thread has not seen; serial 0: there is none any more. */
static bool next_unseen(entry *out)
{
    *out = (entry){0};
    knx_mutex_lock(&lock);
    size_t i = entries.n;
    while (i > 0 && entries.at[i - 1].serial > seen)
        i--;
    if (i == entries.n) {
        seen = atomic_load_explicit(&latest, memory_order_relaxed);
    } else {
        *out = entries.at[i];
        out->place = knx_alloc(entry_bytes(out));
        if (out->place)
            memcpy(out->place, entries.at[i].place, entry_bytes(out));
    }
    knx_mutex_unlock(&lock);
    return !out->serial || out->place;
}

/* It compiles without the lock: other workers do the same. */
static bool catch_up(void)
{
    while (atomic_load_explicit(&latest, memory_order_acquire) != seen) {
        entry e;
        if (!next_unseen(&e))
            return false;
        if (!e.serial)
            continue;
        bool well = knh_wasm_host_adopt(e.place + e.n, e.size, e.place, e.n) != 0;
        knx_free(e.place);
        if (!well)
            return false;
        seen = e.serial;
    }
    return true;
}

bool knh_wasm_share(const int *place, int n, knx_str *module)
{
    entry e = {.n = n, .used = n, .size = module->n};
    e.place = knx_alloc(entry_bytes(&e));
    if (!e.place)
        return false;
    memcpy(e.place, place, (size_t)n * sizeof *place);
    memcpy(e.place + n, module->s, module->n);
    knx_mutex_lock(&lock);
    e.serial = atomic_load_explicit(&latest, memory_order_relaxed) + 1;
    bool well = KN_VEC_PUSH(&entries, e);
    if (well && e.serial == 1)
        knx_pool_prepare(catch_up);
    if (well)
        atomic_store_explicit(&latest, e.serial, memory_order_release);
    knx_mutex_unlock(&lock);
    if (!well)
        knx_free(e.place);
    return well;
}

static bool has(entry *e, int place)
{
    for (int i = 0; i < e->n; i++)
        if (e->place[i] == place) {
            e->place[i] = 0;
            e->used--;
            return true;
        }
    return false;
}

void knh_wasm_unshare(int place)
{
    knx_mutex_lock(&lock);
    for (size_t i = entries.n; i-- > 0;) {
        if (!has(&entries.at[i], place))
            continue;
        if (!entries.at[i].used) {
            knx_free(entries.at[i].place);
            memmove(&entries.at[i], &entries.at[i + 1], (entries.n - 1 - i) * sizeof *entries.at);
            entries.n--;
        }
        break;
    }
    knx_mutex_unlock(&lock);
}

#endif
