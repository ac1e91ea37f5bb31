/* SPDX-License-Identifier: Apache-2.0
 * launch.c -- the end of lowering a group: the numbers that its kernel is launched with. */
#include "compile/group/lowering.h"
#include <string.h>

bool knc_launch_numbers(kni_lower *l, const int64_t *turn, const knk_map_values **maps, const int64_t **par,
                        const int64_t *const **inners)
{
    knx_arena *a = &l->p->p->arena;
    int stages = l->stage + 1, loops = l->n_loop + l->n_inner_loop;
    KN_KNOWN(!l->n_turn || turn);
    knk_map_values *map = knx_arena_alloc(a, (l->map.n + 1) * sizeof *map);
    int64_t *stride = knx_arena_alloc(a, (l->map.n * (size_t)(loops + l->n_turn) + 1) * sizeof *stride);
    int64_t *extent = knx_arena_zero(a, (size_t)(loops + l->n_turn + 1) * sizeof *extent);
    const int64_t **inner = knx_arena_alloc(a, (size_t)stages * sizeof *inner);
    if (!map || !stride || !extent || !inner)
        return false;
    memcpy(extent, l->length, (size_t)loops * sizeof *extent);
    for (int t = 0; t < l->n_turn; t++)
        extent[loops + t] = turn[t];
    for (int k = 0; k < stages; k++)
        inner[k] = extent + l->n_loop;
    for (size_t m = 0; m < l->map.n; m++) {
        int n = l->n_loop + (l->map.at[m].inner ? l->n_inner_loop : 0);
        map[m] = (knk_map_values){l->map.at[m].offset, stride};
        for (int d = 0; d < n; d++)
            *stride++ = l->map.at[m].coef[l->source[d]];
        for (int t = 0; t < l->n_turn; t++)
            *stride++ = l->map.at[m].coef[l->n_par + t];
    }
    *maps = map;
    *par = extent;
    *inners = inner;
    return true;
}

void knc_free_lower(kni_lower *l)
{
    knx_arena_free(&l->arena);
    KN_VEC_FREE(&l->map);
    KN_VEC_FREE(&l->buffer);
    KN_VEC_FREE(&l->memo);
    KN_VEC_FREE(&l->table);
    KN_VEC_FREE(&l->stack);
    KN_VEC_FREE(&l->home);
    knx_free(l);
}
