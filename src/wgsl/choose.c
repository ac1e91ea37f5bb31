/* SPDX-License-Identifier: Apache-2.0
 * choose.c -- how the points of a launch are shared among invocations, and whether they can be. */
#include "wgsl/gen.h"

enum {
    SHORT_ROW = 32,      /* rows below it are left to one invocation each */
    MANY_POINTS = 65536, /* as many invocations keep a device busy */
    LONG_ROW = 65536,    /* rows from it on may be cut */
    FEW_ROWS = 128,      /* as many workgroups keep a device busy */
    TREE_TURNS = 160     /* of the loops that join the accumulators of a block, at most, and of those over blocks */
};
static const uint64_t MOST = UINT32_MAX - 2 * (uint64_t)KNW_SUM_BLOCK, UNKNOWN = UINT64_MAX;

static uint64_t plus(uint64_t a, uint64_t b) { return a > UNKNOWN - b ? UNKNOWN : a + b; }

static uint64_t inner_of(const knk_kernel *k, const knw_launch *l, int s)
{
    return k->stage[s].n_inner ? knw_product(l->inner[s], k->stage[s].n_inner) : 0;
}

/* ---- turns of loops ---- */

/* Of the loops of a stage; UNKNOWN: one of them ends by its condition alone. */
static uint64_t loop_turns(const knk_kernel *k, const knw_launch *l, int s)
{
    uint64_t around[KNK_MAX_NESTED + 1] = {1}, total = 0;
    for (int i = k->stage[s].first, depth = 0; i < k->stage[s].end; i++) {
        const knk_inst *n = &k->node[i];
        if (n->op == KNK_LOOP) {
            uint64_t turns = (uint64_t)l->inner[s][n->sub];
            if (turns >= UINT32_MAX || __builtin_mul_overflow(around[depth], turns, &around[depth + 1]))
                return UNKNOWN;
            total = plus(total, around[++depth]);
        }
        depth -= n->op == KNK_END;
    }
    return total;
}

/* Of an invocation that makes all turns of a stage's inner loop, or every 64th. */
static uint64_t row_turns(uint64_t n, knw_mode mode)
{
    uint64_t blocks = n / KNW_SUM_BLOCK + 1;
    switch (mode) {
    case KNW_POINTS: return plus(n, blocks * TREE_TURNS);
    case KNW_COLUMNS: return n / (KNW_LANES / KNW_ADJACENT) + blocks * TREE_TURNS;
    case KNW_ROWS: return n / KNW_LANES + 64 * blocks;
    default: return KNW_SUM_BLOCK / KNW_LANES + blocks / 16 + TREE_TURNS;
    }
}

/* Of the invocation that makes the most. */
static uint64_t turns(const knk_kernel *k, const knw_launch *l, knw_mode mode)
{
    uint64_t total = 0;
    for (int s = 0; s < k->n_stage; s++)
        total = plus(total, k->stage[s].n_inner ? row_turns(inner_of(k, l, s), mode) : loop_turns(k, l, s));
    return total;
}

bool knw_fits(const knk_kernel *k, const knw_facts *f, const knw_launch *l, knw_mode mode)
{
    return !f->most_turns || turns(k, l, mode) < f->most_turns;
}

const char *knw_too_large(const knk_kernel *k, const knw_facts *facts, const knw_launch *l)
{
    uint64_t points = knw_product(l->par, k->n_par), all;
    if (points > MOST)
        return "more points than 32 bits count";
    for (int s = 0; s < k->n_stage; s++) {
        uint64_t n = inner_of(k, l, s);
        if (n > MOST || __builtin_mul_overflow(points, n / KNW_SUM_BLOCK + 1, &all) || all > MOST)
            return "more elements of a row than 32 bits count";
    }
    return knw_fits(k, facts, l, KNW_PARTS) ? NULL : "loops of more turns than the device makes";
}

/* ---- the mode ---- */

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
    uint64_t points = knw_product(l->par, k->n_par), longest = 0;
    for (int s = 0; s < k->n_stage; s++)
        longest = inner_of(k, l, s) > longest ? inner_of(k, l, s) : longest;
    bool across = !along_rows(k, l), cut = longest >= LONG_ROW && points < FEW_ROWS;
    if ((longest < SHORT_ROW || (across && points >= MANY_POINTS)) && knw_fits(k, facts, l, KNW_POINTS))
        return KNW_POINTS;
    if (across && !cut && points >= KNW_ADJACENT && knw_fits(k, facts, l, KNW_COLUMNS))
        return KNW_COLUMNS;
    return !cut && knw_fits(k, facts, l, KNW_ROWS) ? KNW_ROWS : KNW_PARTS;
}
