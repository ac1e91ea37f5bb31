/* SPDX-License-Identifier: Apache-2.0
 * host.c -- the table of the user's functions, and lists of types. */
#include "ir/host.h"
#include "base/lock.h"
#include <time.h>

typedef struct node {
    kni_host h;
    struct node *next;
} node;

static kn_global_lock lock = KN_GLOBAL_LOCK_INIT;
static node *all;
static int64_t salt; /* a number of another process stands for nothing here */

const kni_host *kni_host_of(const kni_host *like)
{
    knx_global_lock(&lock);
    node *n = all;
    while (n && (n->h.function != like->function || n->h.env != like->env || n->h.call != like->call))
        n = n->next;
    if (!n && (n = knx_alloc_zero(sizeof *n))) {
        if (!salt)
            salt = (int64_t)(knx_hash_mix((uint64_t)time(NULL), (uint64_t)(uintptr_t)n) >> 24 << 20 | 1);
        n->h = *like;
        n->h.number = all ? all->h.number + 1 : 1;
        n->h.id = salt + n->h.number;
        n->next = all;
        all = n;
    }
    knx_global_unlock(&lock);
    return n ? &n->h : NULL;
}

const kni_host *kni_host_find(int64_t id)
{
    knx_global_lock(&lock);
    node *n = all;
    while (n && n->h.id != id)
        n = n->next;
    knx_global_unlock(&lock);
    return n ? &n->h : NULL;
}

/* ---- Lists of types. */

int kni_types_count(kn_ints list)
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

kn_type kni_types_get(kn_ints list, int i)
{
    int at = 0;
    while (i-- > 0)
        at += 2 + (int)list.v[at + 1];
    return kni_type(&kn_dtype_table[list.v[at]], (int)list.v[at + 1], list.v + at + 2);
}
