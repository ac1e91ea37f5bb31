/* SPDX-License-Identifier: Apache-2.0
 * rooms.c -- where temporaries lie in the workspace: offsets for memory that is needed from one step to another. */
#include "compile/memory/rooms.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { FEW = 1024 };
#define NONE UINT32_MAX

static knx_bytes in_units(knx_bytes bytes, knx_bytes unit) { return (bytes + unit - 1) & ~(unit - 1); }

/* Offsets of few rooms: the largest first, each at the lowest offset where its bytes are free from the first to
 * the last step that refers to it. */

static int larger_first(const void *a, const void *b)
{
    const knc_room *x = *(knc_room *const *)a, *y = *(knc_room *const *)b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x < y ? -1 : x > y;
}

/* Chooses the offset of s[n] and inserts it among s[0..n), which have offsets and are sorted by them. Returns its
 * end. */
static knx_bytes place_one(knc_room **s, size_t n, knx_bytes unit)
{
    knc_room *x = s[n];
    knx_bytes at = 0;
    for (size_t i = 0; i < n; i++) {
        const knc_room *y = s[i];
        if (y->last < x->first || x->last < y->first)
            continue;
        if (y->offset >= at + in_units(x->bytes, unit))
            break;
        if (y->offset + in_units(y->bytes, unit) > at)
            at = y->offset + in_units(y->bytes, unit);
    }
    x->offset = at;
    size_t i = n;
    for (; i && s[i - 1]->offset > at; i--)
        s[i] = s[i - 1];
    s[i] = x;
    return at + in_units(x->bytes, unit);
}

static knx_bytes place_few(knc_room **s, size_t n, knx_bytes unit)
{
    knx_bytes end = 0;
    qsort(s, n, sizeof *s, larger_first);
    for (size_t i = 0; i < n; i++) {
        knx_bytes e = place_one(s, i, unit);
        end = e > end ? e : end;
    }
    return end;
}

/* Offsets of many rooms: step by step, each room that a step makes gets the smallest free hole that is large enough. */

typedef struct hole {
    knx_bytes at, bytes;
} hole;
typedef KN_VEC(hole) hole_list;

static bool give_hole(hole_list *h, knx_bytes at, knx_bytes bytes)
{
    if (!KN_VEC_RESERVE(h, 1))
        return false;
    size_t i = h->n++;
    for (; i && h->at[i - 1].at > at; i--)
        h->at[i] = h->at[i - 1];
    h->at[i] = (hole){at, bytes};
    for (size_t k = i + 1; k > 0 && k + 1 >= i; k--) /* join with the hole behind, then with that in front */
        if (k < h->n && h->at[k - 1].at + h->at[k - 1].bytes == h->at[k].at) {
            h->at[k - 1].bytes += h->at[k].bytes;
            memmove(&h->at[k], &h->at[k + 1], (h->n - k - 1) * sizeof *h->at);
            h->n--;
        }
    return true;
}

static knx_bytes take_hole(hole_list *h, knx_bytes bytes, knx_bytes *end)
{
    size_t best = h->n;
    for (size_t i = 0; i < h->n; i++)
        if (h->at[i].bytes >= bytes && (best == h->n || h->at[i].bytes < h->at[best].bytes))
            best = i;
    if (best == h->n) { /* no hole is large enough: at the end, with the hole that touches the end */
        knx_bytes at = h->n && h->at[h->n - 1].at + h->at[h->n - 1].bytes == *end ? h->at[--h->n].at : *end;
        *end = at + bytes;
        return at;
    }
    knx_bytes at = h->at[best].at;
    h->at[best].at += bytes;
    h->at[best].bytes -= bytes;
    if (!h->at[best].bytes) {
        memmove(&h->at[best], &h->at[best + 1], (h->n - best - 1) * sizeof *h->at);
        h->n--;
    }
    return at;
}

typedef struct lists {
    uint32_t *born, *dies, *next_born, *next_dies;
} lists;

static bool walk_steps(knc_room **s, const lists *l, uint32_t steps, knx_bytes unit, hole_list *holes, knx_bytes *end)
{
    for (uint32_t t = 0; t < steps; t++) {
        for (uint32_t i = l->born[t]; i != NONE; i = l->next_born[i])
            s[i]->offset = take_hole(holes, in_units(s[i]->bytes, unit), end);
        for (uint32_t i = l->dies[t]; i != NONE; i = l->next_dies[i])
            if (!give_hole(holes, s[i]->offset, in_units(s[i]->bytes, unit)))
                return false;
    }
    return true;
}

static bool place_many(knc_room **s, size_t n, uint32_t steps, knx_bytes unit, knx_arena *a, knx_bytes *end)
{
    lists l = {knx_arena_alloc(a, (steps + 1) * 4), knx_arena_alloc(a, (steps + 1) * 4), knx_arena_alloc(a, n * 4),
               knx_arena_alloc(a, n * 4)};
    if (!l.born || !l.dies || !l.next_born || !l.next_dies)
        return false;
    memset(l.born, 0xff, (steps + 1) * 4);
    memset(l.dies, 0xff, (steps + 1) * 4);
    for (uint32_t i = 0; i < n; i++) {
        l.next_born[i] = l.born[s[i]->first];
        l.born[s[i]->first] = i;
        l.next_dies[i] = l.dies[s[i]->last];
        l.dies[s[i]->last] = i;
    }
    hole_list holes = {0};
    *end = 0;
    bool fine = walk_steps(s, &l, steps, unit, &holes, end);
    KN_VEC_FREE(&holes);
    return fine;
}

KNX_HOT bool knc_place_rooms(knc_room *room, size_t n, uint32_t steps, knx_bytes unit, knx_bytes *end)
{
    if (n == 1)
        room->offset = 0;
    *end = n == 1 ? in_units(room->bytes, unit) : 0;
    if (n <= 1)
        return true;
    knc_room *few[16], **s = n <= 16 ? few : knx_alloc(n * sizeof *s);
    bool fine = s != NULL;
    for (size_t i = 0; fine && i < n; i++)
        s[i] = &room[i];
    if (fine && n <= FEW) {
        *end = place_few(s, n, unit);
    } else if (fine) {
        knx_arena arena = KN_ARENA_INIT;
        fine = place_many(s, n, steps, unit, &arena, end);
        knx_arena_free(&arena);
    }
    if (s != few)
        knx_free(s);
    return fine;
}
