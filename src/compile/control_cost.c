/* SPDX-License-Identifier: Apache-2.0
 * control_cost.c -- what kernels with loops cost, and where a loop is better run with routine calls though it could be a
 * kernel. */
#include "compile/control.h"

/* Calls f for each node, with the turns of the loops that it lies in (1: in none) and how many those are. */
typedef void (*visit)(void *env, const knc_step *s, int stage, int node, int depth, double turns);
static void walk(const knc_step *s, visit f, void *env)
{
    const knk_kernel *k = s->u.k.kernel;
    for (int g = 0; g < k->n_stage; g++) {
        double turns[KNK_MAX_NESTED + 1] = {1};
        int depth = 0, loop = k->stage[g].n_inner;
        for (int i = k->stage[g].first; i < k->stage[g].end; i++) {
            if (k->node[i].op == KNK_LOOP && depth < KNK_MAX_NESTED) {
                int64_t extent = s->u.k.inner[g][loop++];
                turns[depth + 1] = turns[depth] * (extent == KNK_NO_LIMIT ? KNC_UNKNOWN_TURNS : (double)extent);
                depth++;
            } else if (k->node[i].op == KNK_END && depth) {
                depth--;
            } else {
                f(env, s, g, i, depth, turns[depth]);
            }
        }
    }
}

static void add_turns(void *env, const knc_step *s, int stage, int node, int depth, double turns)
{
    (void)s, (void)stage, (void)node, (void)depth;
    *(double *)env += turns - 1;
}

double knc_operations(const knc_step *s)
{
    double n = knk_cost(s->u.k.kernel) + 1;
    walk(s, add_turns, &n);
    return n > 1 ? n : 1;
}

typedef struct facts {
    int in_loops;   /* nodes */
    double stacked; /* elements that each turn has for itself, of the longest stack of a point */
} facts;

static void gather(void *env, const knc_step *s, int stage, int node, int depth, double turns)
{
    facts *f = env;
    const knk_kernel *k = s->u.k.kernel;
    const knk_inst *x = &k->node[node];
    f->in_loops += depth > 0;
    if (!depth || (x->op != KNK_LOAD && x->op != KNK_STORE))
        return;
    const int64_t *stride = s->u.k.map[x->map].stride, *of_loop = stride + k->n_par + k->stage[stage].n_inner;
    bool points = false, moves = false;
    for (int d = 0; d < k->n_par; d++)
        points |= stride[d] != 0;
    for (int d = 0; d < k->stage[stage].n_loop; d++)
        moves |= of_loop[d] != 0;
    if (points && moves && turns > f->stacked)
        f->stacked = turns;
}

static bool has_product(const kni_jaxpr *j)
{
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (j->eqn[i].prim->product)
            return true;
    return false;
}

/* A kernel takes some points through all turns, then the next: rows of long stacks are so far apart that each of its
 * accesses misses. And its product is one number after the other where a routine has vectors. Measured: a recurrence of
 * 1,000 points over 2,000 rows is 4 times as fast by calls, one of a matrix of 16 x 16 3 times, and 2 times slower
 * where that is 4 x 4. */
const char *knc_better_by_calls(const kn_eqn *e, const knc_step *s)
{
    enum { LANES = 16, WIDE = 32, LONG = 1 << 16, MANY = 600 };
    facts f = {0};
    double points = 1;
    for (int d = 0; d < s->u.k.kernel->n_par; d++)
        points *= (double)s->u.k.par[d];
    walk(s, gather, &f);
    const kni_jaxpr *body = e->prim->loops == KN_LOOP_SCAN ? ((const kn_p_scan *)e->params)->jaxpr
                                                           : ((const kn_p_while *)e->params)->body_jaxpr;
    if (points >= WIDE && points * f.stacked > LONG)
        return "as a kernel it would go through long stacks of wide rows point by point";
    if (has_product(body) && f.in_loops * (points > LANES ? points / LANES : 1) > MANY)
        return "as a kernel it would have large products without vectors";
    return NULL;
}
