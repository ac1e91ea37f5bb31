/* SPDX-License-Identifier: Apache-2.0
 * loops.c -- the loops of a kernel: loops of extent 1 vanish, adjacent loops that all maps allow become one, and the
 * innermost parallel loop is the one with most unit strides. Loops over joined axes keep their order: elements are
 * joined in it. */
#include "compile/group/lowering.h"
#include <string.h>

static uint8_t class_of(int64_t stride)
{
    return stride == 0 ? KNK_STRIDE_ZERO : stride == 1 ? KNK_STRIDE_ONE : KNK_STRIDE_ANY;
}

int knc_kernel_map(kni_lower *l, int64_t offset, const int64_t *coef, bool memory)
{
    int n = l->n_par + (l->in_rows ? l->n_inner : 0) + l->turn_room;
    for (size_t m = 0; m < l->map.n; m++) {
        knc_map *x = &l->map.at[m];
        if (x->stage == l->stage && x->offset == offset && !memcmp(x->coef, coef, (size_t)n * sizeof *coef)) {
            x->memory |= memory;
            return (int)m;
        }
    }
    uint8_t cls[KNK_MAX_LOOPS];
    int loops = l->n_loop + (l->in_rows ? l->n_inner_loop : 0);
    for (int d = 0; d < loops; d++)
        cls[d] = class_of(coef[l->source[d]]);
    for (int t = 0; t < l->n_turn; t++) /* the stage's LOOPs so far */
        cls[loops + t] = class_of(coef[l->n_par + t]);
    int64_t *copy = knx_arena_zero(&l->arena, (size_t)(l->n_par + l->n_inner + l->turn_room + 1) * sizeof *copy);
    int id = !copy ? -1 : l->n_turn ? knk_add_loop_map(l->k, cls) : knk_add_map(l->k, cls);
    if (!copy || !KN_VEC_PUSH(&l->map, ((knc_map){l->stage, memory, l->in_rows, offset, copy}))) {
        l->failed = true;
        return -1;
    }
    memcpy(copy, coef, (size_t)n * sizeof *coef);
    return id;
}

bool knc_same_map(const kni_lower *l, int a, int b)
{
    if (a < 0 || b < 0)
        return a == b;
    const knc_map *x = &l->map.at[a], *y = &l->map.at[b];
    return a == b ||
           (x->offset == y->offset && !memcmp(x->coef, y->coef, (size_t)(l->n_par + l->n_inner) * sizeof *x->coef));
}

void knc_natural_loops(kni_lower *l)
{
    l->n_loop = l->n_par;
    l->n_inner_loop = l->n_inner;
    for (int d = 0; d < l->n_par + l->n_inner; d++) {
        l->source[d] = (uint8_t)d;
        l->length[d] = l->extent[d];
    }
}

void knc_one_loop(kni_lower *l)
{
    int64_t size = 1;
    for (int d = 0; d < l->n_par; d++)
        size = knx_dim_mul(size, l->extent[d]);
    l->n_loop = size != 1;
    l->n_inner_loop = 0;
    l->source[0] = 0;
    for (int d = 0; d < l->n_par; d++) /* the innermost natural loop with more than one turn */
        if (l->extent[d] != 1)
            l->source[0] = (uint8_t)d;
    l->length[0] = size;
}

/* Can loop `outer` be joined to the one inside it, `inner` of extent n, in all maps that have them? */
static bool joins(const kni_lower *l, int outer, int inner, int64_t n, bool is_inner)
{
    for (size_t m = 0; m < l->map.n; m++) {
        const knc_map *x = &l->map.at[m];
        if ((!is_inner || x->inner) && x->coef[outer] != knx_dim_mul(x->coef[inner], n))
            return false;
    }
    return true;
}

/* Joins natural loops [first, end) from the innermost outwards. Writes the loops that are left to `source` and
 * `length` from number `at` on, the outermost first; returns how many they are. */
static int collapse(kni_lower *l, int first, int end, int at, bool is_inner)
{
    int n = 0;
    uint8_t source[KNK_MAX_LOOPS];
    int64_t length[KNK_MAX_LOOPS];
    for (int d = end - 1; d >= first; d--) {
        if (l->extent[d] == 1)
            continue;
        if (n && joins(l, d, source[n - 1], length[n - 1], is_inner)) {
            length[n - 1] = knx_dim_mul(length[n - 1], l->extent[d]);
            continue;
        }
        source[n] = (uint8_t)d;
        length[n++] = l->extent[d];
    }
    for (int i = 0; i < n; i++) {
        l->source[at + i] = source[n - 1 - i];
        l->length[at + i] = length[n - 1 - i];
    }
    return n;
}

static int unit_strides(const kni_lower *l, int loop)
{
    int n = 0;
    for (size_t m = 0; m < l->map.n; m++)
        n += l->map.at[m].memory && (l->map.at[m].coef[loop] == 1 || l->map.at[m].coef[loop] == 2); /* 2: of pairs */
    return n;
}

static void move_innermost(kni_lower *l)
{
    int best = l->n_loop - 1;
    for (int d = best - 1; d >= 0; d--)
        if (unit_strides(l, l->source[d]) > unit_strides(l, l->source[best]))
            best = d;
    if (l->n_loop < 2 || best == l->n_loop - 1)
        return;
    uint8_t source = l->source[best];
    int64_t length = l->length[best];
    for (int d = best; d < l->n_loop - 1; d++) {
        l->source[d] = l->source[d + 1];
        l->length[d] = l->length[d + 1];
    }
    l->source[l->n_loop - 1] = source;
    l->length[l->n_loop - 1] = length;
}

bool knc_shape_loops(kni_lower *l)
{
    int natural = l->n_loop + l->n_inner_loop;
    l->n_loop = collapse(l, 0, l->n_par, 0, false);
    move_innermost(l);
    l->n_inner_loop = collapse(l, l->n_par, l->n_par + l->n_inner, l->n_loop, true);
    if (l->n_inner && !l->n_inner_loop) { /* a reduction that joins one element needs an inner loop, too */
        l->source[l->n_loop] = (uint8_t)l->n_par;
        l->length[l->n_loop] = 1;
        l->n_inner_loop = 1;
    }
    bool changed = natural != l->n_loop + l->n_inner_loop;
    for (int d = 0; d < l->n_loop + l->n_inner_loop; d++)
        changed |= l->source[d] != d;
    return changed;
}
