/* SPDX-License-Identifier: Apache-2.0
 * names.c -- a table from names to values: entries in order, and slots that find them. */
#include "models/onnx/names.h"
#include <string.h>

static uint32_t hash_of(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

static uint32_t *slot_of(const knonnx_names *t, const char *name, uint32_t hash)
{
    uint32_t mask = (uint32_t)t->room * 2 - 1;
    for (uint32_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t at = t->slot[i];
        if (!at || (t->entry[at - 1].hash == hash && !strcmp(t->entry[at - 1].name, name)))
            return &t->slot[i];
    }
}

static bool grow(knmodels_arena *arena, knonnx_names *t)
{
    knonnx_names wider = *t;
    wider.room = t->room ? 2 * t->room : 16;
    wider.entry = knmodels_take(arena, (uint64_t)wider.room, sizeof *wider.entry);
    wider.slot = knmodels_take(arena, (uint64_t)wider.room * 2, sizeof *wider.slot);
    if (!wider.entry || !wider.slot)
        return false;
    if (t->n)
        memcpy(wider.entry, t->entry, (size_t)t->n * sizeof *t->entry);
    for (int i = 0; i < t->n; i++)
        *slot_of(&wider, wider.entry[i].name, wider.entry[i].hash) = (uint32_t)i + 1;
    *t = wider;
    return true;
}

knonnx_value *knonnx_names_add(knmodels_arena *arena, knonnx_names *t, const char *name)
{
    uint32_t hash = hash_of(name);
    if (t->n == t->room && !grow(arena, t))
        return NULL;
    uint32_t *slot = slot_of(t, name, hash);
    if (!*slot) {
        t->entry[t->n] = (knonnx_entry){name, hash, {0}};
        *slot = (uint32_t)++t->n;
    }
    return &t->entry[*slot - 1].value;
}

const knonnx_value *knonnx_names_find(const knonnx_names *t, const char *name)
{
    uint32_t at = t->n ? *slot_of(t, name, hash_of(name)) : 0;
    return at ? &t->entry[at - 1].value : NULL;
}
