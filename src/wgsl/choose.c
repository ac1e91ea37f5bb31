/* SPDX-License-Identifier: Apache-2.0
 * choose.c -- how the points of a launch are shared among invocations. */
#include "wgsl/gen.h"

enum {
    SHORT_ROW = 32,   /* rows below it are left to one invocation each */
    FEW_POINTS = 4096, /* as many invocations keep a device busy */
    LONG_ROW = 65536, /* rows from it on may be cut */
    FEW_ROWS = 128    /* as many workgroups keep a device busy */
};

static int64_t product(const int64_t *extent, int n)
{
    int64_t p = 1;
    for (int d = 0; d < n; d++)
        p = extent[d] && p > INT64_MAX / 2 / extent[d] ? INT64_MAX / 2 : p * extent[d];
    return p;
}

/* Is memory adjacent along the inner loop, for half of the loads and stores of stages with inner extents? */
static bool along_rows(const knk_kernel *k, const knw_launch *l)
{
    int along = 0, across = 0;
    for (int i = 0; i < k->n_node; i++) {
        const knk_inst *n = &k->node[i];
        int inner = k->stage[n->stage].n_inner;
        if ((n->op != KNK_LOAD && n->op != KNK_STORE) || !inner)
            continue;
        const int64_t *stride = l->map[n->map].stride;
        int64_t step = stride[k->n_par + inner - 1], other = k->n_par ? stride[k->n_par - 1] : 0;
        along += step == 1 || (step > 1 && (other == 0 || other > step));
        across += other == 1;
    }
    return along >= across;
}

knw_mode knw_choose(const knk_kernel *k, const knw_facts *facts, const knw_launch *l)
{
    int64_t points = product(l->par, k->n_par), longest = 0;
    for (int s = 0; s < k->n_stage; s++) {
        int64_t n = k->stage[s].n_inner ? product(l->inner[s], k->stage[s].n_inner) : 0;
        longest = n > longest ? n : longest;
    }
    if (longest >= LONG_ROW && points < FEW_ROWS)
        return KNW_PARTS;
    if (longest < SHORT_ROW || facts->lanes < KNW_LANES)
        return KNW_POINTS;
    return points < FEW_POINTS || along_rows(k, l) ? KNW_ROWS : KNW_POINTS;
}
