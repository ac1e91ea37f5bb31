/* SPDX-License-Identifier: Apache-2.0
 * spread.c -- lists of factors as columns `spread` fill them. */
#include "ir/spread.h"
#include <string.h>

enum { FIRST_ROOM = 16 };

static bool grow(kni_spread *s)
{
    int room = s->room ? 2 * s->room : FIRST_ROOM;
    kni_factor *v = knx_arena_alloc(s->arena, (size_t)room * sizeof *v);
    if (!v)
        return false;
    if (s->n)
        memcpy(v, s->v, (size_t)s->n * sizeof *v);
    s->v = v;
    s->room = room;
    return true;
}

kni_factor *kni_factor_new(kni_spread *s, kni_factor_kind kind, int64_t size)
{
    int8_t *axes = NULL;
    if (s->n < s->room || grow(s))
        axes = knx_arena_alloc(s->arena, (size_t)(s->n_in + s->n_out) + 1);
    s->failed = s->failed || !axes;
    if (!axes)
        return NULL;
    memset(axes, -1, (size_t)(s->n_in + s->n_out) + 1);
    s->v[s->n] = (kni_factor){.kind = (uint8_t)kind, .size = size, .in = axes, .out = axes + s->n_in};
    return &s->v[s->n++];
}
