/* SPDX-License-Identifier: Apache-2.0
 * choose.c -- how the points of a launch are shared among invocations, and whether they can be. */
#include "wgsl/gen.h"

enum {
    SHORT_ROW = 32,      /* rows below it are left to one invocation each */
    MANY_POINTS = 65536, /* as many invocations keep a device busy */
    LONG_ROW = 65536,    /* rows from it on may be cut */
    FEW_ROWS = 128       /* as many workgroups keep a device busy */
};
/* So many invocations have numbers of 32 bits in a grid that is cut into rows, whose groups are a row more at most, and
 * as groups of one they fit 65,535 rows of 65,535. */
static const uint64_t MOST = UINT32_MAX - ((uint64_t)1 << 17), UNKNOWN = UINT64_MAX;

static uint64_t plus(uint64_t a, uint64_t b) { return a > UNKNOWN - b ? UNKNOWN : a + b; }

static uint64_t inner_of(const knk_kernel *k, const knw_launch *l, int s)
{
    return k->stage[s].n_inner ? knw_product(l->inner[s], k->stage[s].n_inner) : 0;
}

/* ---- turns of loops ---- */

static uint64_t times(uint64_t a, uint64_t b) { return __builtin_mul_overflow(a, b, &a) ? UNKNOWN : a; }

/* Of loops inside of an operation, at most: those of kn_rem_f32, kn_soft_div and kn_soft_sqrt. Loops of two turns are
 * none: compilers unroll them. */
static uint64_t own_turns(const knw_facts *f, const knk_inst *n)
{
    enum { REM = 254 / 8 + 1, DIV = 5 + 8, SQRT = 8 };
    if (n->dtype != KN_ID_F32)
        return 0;
    return n->op == KNK_REM                                   ? REM
           : n->op == KNK_DIV && !(f->exact >> KNW_DIV & 1)   ? DIV
           : n->op == KNK_SQRT && !(f->exact >> KNW_SQRT & 1) ? SQRT
                                                              : 0;
}

/* Of what a stage does for one of its points; UNKNOWN: a loop ends by its condition alone. */
static uint64_t point_turns(const knk_kernel *k, const knw_facts *f, const knw_launch *l, int s)
{
    uint64_t around[KNK_MAX_NESTED + 1] = {1}, total = 0;
    for (int i = k->stage[s].first, depth = 0; i < k->stage[s].end; i++) {
        const knk_inst *n = &k->node[i];
        if (n->op == KNK_LOOP) {
            uint64_t turns = (uint64_t)l->inner[s][n->sub];
            around[depth + 1] = turns >= UINT32_MAX ? UNKNOWN : times(around[depth], turns);
            total = plus(total, around[++depth]);
        }
        total = plus(total, times(around[depth], own_turns(f, n)));
        depth -= n->op == KNK_END;
    }
    return total;
}

/* Of elements that wait for others to fill a word: the loop over them, and one more for each of them that is stored. */
static uint64_t waiting_turns(const knk_kernel *k, int s)
{
    uint64_t n = 1;
    for (int i = k->stage[s].first; i < k->stage[s].end; i++)
        n += k->node[i].op == KNK_STORE && knk_size(k->node[k->node[i].a].dtype) < 4;
    return n;
}

static uint64_t reductions_of(const knk_kernel *k, int s)
{
    uint64_t n = 0;
    for (int i = k->stage[s].first; i < k->stage[s].end; i++)
        n += k->node[i].op == KNK_REDUCE;
    return n;
}

/* Of a stage of rows of n elements: an invocation makes all of them or a part, `each` turns for one; then it joins
 * accumulators (64 leaves, or halves of 16), and blocks by a counter of KNW_COUNTER digits. */
static uint64_t row_turns(uint64_t n, uint64_t each, uint64_t reductions, knw_mode mode)
{
    uint64_t blocks = n / KNW_SUM_BLOCK + 1, joins = reductions * (2 * blocks + 2 * KNW_COUNTER);
    switch (mode) {
    case KNW_POINTS: return plus(times(n, each), blocks * 66 + joins);
    case KNW_COLUMNS: return plus(times(n / (KNW_LANES / KNW_ADJACENT) + 1, each), blocks * 66 + joins);
    case KNW_ROWS: return plus(times(n / KNW_LANES + 4, each), blocks * (1 + 4 * reductions) + joins);
    default: return plus(times(KNW_SUM_BLOCK / KNW_LANES, each), reductions * (blocks / 16 + 64));
    }
}

uint64_t knw_turns(const knk_kernel *k, const knw_facts *f, const knw_launch *l, knw_mode mode)
{
    uint64_t total = 0;
    for (int s = 0; s < k->n_stage; s++) {
        uint64_t each = point_turns(k, f, l, s);
        if (k->stage[s].n_inner) {
            each = plus(each, 1 + (mode != KNW_COLUMNS && knw_fours_of_row(k, s) ? waiting_turns(k, s) : 0));
            each = row_turns(inner_of(k, l, s), each, reductions_of(k, s), mode);
        } else if (mode == KNW_POINTS && knw_fours_of_points(k)) {
            each = times(4, plus(each, waiting_turns(k, s)));
        }
        total = plus(total, each);
    }
    return total;
}

bool knw_fits(const knk_kernel *k, const knw_facts *f, const knw_launch *l, knw_mode mode)
{
    return !f->most_turns || knw_turns(k, f, l, mode) < f->most_turns;
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
