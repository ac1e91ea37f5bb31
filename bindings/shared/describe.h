/* SPDX-License-Identifier: Apache-2.0
 * describe.h -- descriptions of functions of another language, which take parts, each a flat list of arrays or (size
 * -1) a tree. Kiln keeps a description by its address, and maybe longer than the function: there is one for each name
 * and sizes of parts, for good. One file of a binding includes this. */
#ifndef KNB_DESCRIBE_H
#define KNB_DESCRIBE_H
#include "kiln/kiln.h"
#include <stdlib.h>

static inline size_t knb_bytes_of(int size) { return size < 0 ? 2 /* a tree */ : (size_t)size * sizeof(kn_array); }

static inline bool knb_describes(const kn_function *c, const char *name, int n, const int *size, int promised)
{
    bool same = c->name == name && c->n_args == n && c->out_bytes == knb_bytes_of(promised);
    for (int i = 0; same && i < n; i++)
        same = c->arg_bytes[i] == knb_bytes_of(size[i]);
    return same;
}

/* name: a text that stays, found by its address. promised: how many arrays it returns; -1: a tree. call, env_bytes: as
 * those of kn_function, the same in all calls. NULL: there is no memory */
static inline const kn_function *knb_description_of(const char *name, int n, const int *size, int promised,
                                                    void (*call)(const void *, void *, const void *const *),
                                                    size_t env_bytes)
{
    typedef struct known {
        struct known *next;
        kn_function c;
    } known;
    static known *all[256];
    size_t hash = ((uintptr_t)name >> 3) + knb_bytes_of(promised);
    for (int i = 0; i < n; i++)
        hash = hash * 31 + (size_t)size[i];
    known **list = &all[hash % 256];
    for (known *k = *list; k; k = k->next)
        if (knb_describes(&k->c, name, n, size, promised))
            return &k->c;
    known *k = calloc(1, sizeof *k);
    if (!k)
        return NULL;
    k->c = (kn_function){.size_ = sizeof k->c,
                         .name = name,
                         .call = call,
                         .env_bytes = env_bytes,
                         .out_bytes = knb_bytes_of(promised),
                         .n_args = n};
    for (int i = 0; i < n; i++)
        k->c.arg_bytes[i] = knb_bytes_of(size[i]);
    k->next = *list;
    *list = k;
    return &k->c;
}
#endif
