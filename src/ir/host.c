/* SPDX-License-Identifier: Apache-2.0
 * host.c -- the table of the user's functions, and lists of types. */
#include "ir/host.h"
#include "base/hash.h"
#include "base/lock.h"
#include <time.h>

static knx_global_lock lock = KN_GLOBAL_LOCK_INIT;
static knx_table by_members, by_id;
static int64_t salt; /* a number of another process stands for nothing here */

static uint64_t hash_of(const kni_host *h)
{
    uint64_t x = knx_hash_mix(7, (uint64_t)(uintptr_t)h->function);
    return knx_hash_mix(knx_hash_mix(x, (uint64_t)(uintptr_t)h->env), (uint64_t)(uintptr_t)h->call);
}

static uint64_t hash_of_id(int64_t id) { return knx_hash_mix(9, (uint64_t)id); }

static kni_host *find(const kni_host *like, uint64_t hash)
{
    size_t cursor;
    kni_host *h = knx_table_first(&by_members, hash, &cursor);
    while (h && (h->function != like->function || h->env != like->env || h->call != like->call))
        h = knx_table_next(&by_members, hash, &cursor);
    return h;
}

/* NULL without memory. */
static kni_host *add(const kni_host *like, uint64_t hash)
{
    kni_host *h = knx_alloc(sizeof *h);
    if (!h)
        return NULL;
    if (!salt)
        salt = (int64_t)(knx_hash_mix((uint64_t)time(NULL), (uint64_t)(uintptr_t)h) >> 24 << 20 | 1);
    *h = *like;
    h->number = (int)by_id.live + 1;
    h->id = salt + h->number;
    if (knx_table_add(&by_members, hash, h)) {
        if (knx_table_add(&by_id, hash_of_id(h->id), h))
            return h;
        knx_table_remove(&by_members, hash, h);
    }
    knx_free(h);
    return NULL;
}

const kni_host *kni_host_of(const kni_host *like)
{
    uint64_t hash = hash_of(like);
    knx_global_lock_take(&lock);
    kni_host *h = find(like, hash);
    if (!h)
        h = add(like, hash);
    knx_global_unlock(&lock);
    return h;
}

const kni_host *kni_host_find(int64_t id)
{
    size_t cursor;
    knx_global_lock_take(&lock);
    kni_host *h = knx_table_first(&by_id, hash_of_id(id), &cursor);
    while (h && h->id != id)
        h = knx_table_next(&by_id, hash_of_id(id), &cursor);
    knx_global_unlock(&lock);
    return h;
}

/* ---- Lists of types. */

int kni_types_count(kni_ints list)
{
    int n = 0;
    for (int at = 0; at < list.n; n++) {
        if (at + 2 > list.n || list.v[at] < 0 || list.v[at] >= KN_ID_COUNT || list.v[at + 1] < 0 ||
            list.v[at + 1] > KN_MAX_NDIM || list.v[at + 1] > list.n - at - 2)
            return -1;
        for (int d = 0; d < list.v[at + 1]; d++)
            if (list.v[at + 2 + d] < 0)
                return -1;
        at += 2 + (int)list.v[at + 1];
    }
    return n;
}

kni_type kni_types_get(kni_ints list, int i)
{
    int at = 0;
    while (i-- > 0)
        at += 2 + (int)list.v[at + 1];
    return kni_type_of(&knx_dtype_table[list.v[at]], (int)list.v[at + 1], list.v + at + 2);
}
