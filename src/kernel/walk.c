/* SPDX-License-Identifier: Apache-2.0
 * walk.c -- joining and cutting of loop nests. */
#include "kernel/walk.h"

/* Does loop d (extent e) continue kept loop j in every map? */
static bool continues(const int16_t *map, int n_map, const knk_map_values *values, int d, int64_t e,
                      const knk_map_state *state, int which, int j)
{
    for (int i = 0; i < n_map; i++) {
        const knk_map_state *m = &state[map[i]];
        int64_t outer = which ? m->inner_stride[j] : m->par_stride[j];
        if (outer != values[map[i]].stride[d] * e)
            return false;
    }
    return true;
}

static void keep(const int16_t *map, int n_map, const knk_map_values *values, int d, knk_map_state *state, int which,
                 int j)
{
    for (int i = 0; i < n_map; i++) {
        knk_map_state *m = &state[map[i]];
        (which ? m->inner_stride : m->par_stride)[j] = values[map[i]].stride[d];
    }
}

static void find_carries(const knk_nest *nest, const int64_t *stride, int64_t *carry)
{
    int64_t back = 0;
    for (int d = nest->n - 1; d >= 0; d--) {
        carry[d] = stride[d] - back;
        back += stride[d] * (nest->extent[d] - 1);
    }
}

void knk_nest_join(knk_nest *nest, int n, const int64_t *extent, const int16_t *map, int n_map,
                   const knk_map_values *values, int first_stride, knk_map_state *state, int which)
{
    nest->n = 0;
    nest->total = 1;
    for (int d = 0; d < n; d++)
        if (extent[d] == 0) {
            nest->total = 0;
            return;
        }
    for (int d = 0; d < n; d++) {
        if (extent[d] == 1)
            continue;
        int j = nest->n - 1;
        nest->total *= extent[d];
        if (j >= 0 && continues(map, n_map, values, first_stride + d, extent[d], state, which, j)) {
            nest->extent[j] *= extent[d];
        } else {
            j = nest->n++;
            nest->extent[j] = extent[d];
            nest->index[j] = 0;
        }
        keep(map, n_map, values, first_stride + d, state, which, j);
    }
    for (int i = 0; i < n_map; i++) {
        knk_map_state *m = &state[map[i]];
        if (which)
            find_carries(nest, m->inner_stride, m->inner_carry);
        else
            find_carries(nest, m->par_stride, m->par_carry);
    }
}

void knk_nest_cut(knk_nest *nest, int lanes, knk_segments *seg)
{
    int last = nest->n - 1;
    seg->n = 1;
    seg->length[0] = (uint16_t)lanes;
    if (last < 0)
        return;
    int64_t left = nest->extent[last] - nest->index[last];
    if (lanes < left) {
        nest->index[last] += lanes;
        return;
    }
    seg->n = 0;
    while (lanes > 0) {
        int64_t run = nest->extent[last] - nest->index[last];
        if (run > lanes)
            run = lanes;
        seg->length[seg->n] = (uint16_t)run;
        lanes -= (int)run;
        nest->index[last] += run - 1;
        int moved = knk_nest_step(nest);
        seg->carry[seg->n++] = (uint16_t)(moved < 0 ? 0 : moved);
    }
}
