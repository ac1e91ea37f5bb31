/* SPDX-License-Identifier: Apache-2.0
 * models.c -- memory of many small pieces. */
#include "models/models.h"
#include <stdlib.h>
#include <string.h>

typedef struct knmodels_block {
    struct knmodels_block *before;
    size_t used, room;
    _Alignas(16) unsigned char at[];
} knmodels_block;

void *knmodels_take(knmodels_arena *a, uint64_t n, size_t size)
{
    if (n > (SIZE_MAX / 4) / (size ? size : 1))
        return NULL;
    size_t bytes = ((size_t)n * size + 15) & ~(size_t)15;
    knmodels_block *b = a->last;
    if (!b || bytes > b->room - b->used) {
        size_t room = bytes > 8192 ? bytes : 16384;
        b = malloc(sizeof *b + room);
        if (!b)
            return NULL;
        b->used = 0;
        b->room = room;
        if (a->last && bytes > 8192) { /* a large piece stays behind the block that has room */
            b->before = a->last->before;
            a->last->before = b;
        } else {
            b->before = a->last;
            a->last = b;
        }
    }
    void *at = b->at + b->used;
    b->used += bytes;
    return memset(at, 0, bytes);
}

char *knmodels_take_text(knmodels_arena *a, const char *s, size_t n)
{
    char *copy = knmodels_take(a, (uint64_t)n + 1, 1);
    if (copy && n)
        memcpy(copy, s, n);
    return copy;
}

void knmodels_arena_free(knmodels_arena *a)
{
    while (a->last) {
        knmodels_block *before = a->last->before;
        free(a->last);
        a->last = before;
    }
}

void knmodels_arena_join(knmodels_arena *a, knmodels_arena *more)
{
    knmodels_block *first = more->last;
    while (first && first->before)
        first = first->before;
    if (first) {
        first->before = a->last;
        a->last = more->last;
    }
    more->last = NULL;
}
