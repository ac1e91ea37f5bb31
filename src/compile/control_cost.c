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

enum { LANES = 16, WIDE = 32, LONG = 1 << 16, MANY = 128 };

/* The longest stack of which each turn has elements of its own, for each point. */
static void find_stacks(void *env, const knc_step *s, int stage, int node, int depth, double turns)
{
    double *longest = env;
    const knk_kernel *k = s->u.k.kernel;
    const knk_inst *x = &k->node[node];
    if (!depth || (x->op != KNK_LOAD && x->op != KNK_STORE))
        return;
    const int64_t *stride = s->u.k.map[x->map].stride, *of_loop = stride + k->n_par + k->stage[stage].n_inner;
    bool points = false, moves = false;
    for (int d = 0; d < k->n_par; d++)
        points |= stride[d] != 0;
    for (int d = 0; d < k->stage[stage].n_loop; d++)
        moves |= of_loop[d] != 0;
    if (points && moves && turns > *longest)
        *longest = turns;
}

/* Multiplications of the body's products, on the average. Those of points are done by lanes. (Without memory
 * nothing is known, and what comes next says so.) */
static double multiplications(const kni_jaxpr *j, double points)
{
    double all = 0, products = 0;
    knr_product *q = knx_alloc_zero(sizeof *q);
    for (uint32_t i = 0; q && i < j->n_eqn; i++) {
        const kn_eqn *e = &j->eqn[i];
        if (!e->prim->product)
            continue;
        const kn_type x[2] = {kni_atom_type(j, e->in[0]), kni_atom_type(j, e->in[1])};
        double n = (double)kni_type_size(j->type[e->out]);
        e->prim->product(e->params, x, &j->type[e->out], q);
        for (int d = 0; d < q->k.n; d++)
            n *= (double)q->k.extent[d];
        all += n;
        products++;
    }
    knx_free(q);
    return products ? all / products / (points < LANES ? points : LANES) : 0;
}

/* A kernel takes some points through all turns, then the next: rows of long stacks are so far apart that each of its
 * accesses misses. And its products are one number after the other where a routine has vectors. Measured: a recurrence of
 * 1,000 points over 2,000 rows is 4 times as fast by calls, tanh(h w + x) with a matrix of 16 x 16 3 times; with 8 x 8 it
 * is as fast, and h w + x 3 times slower. */
const char *knc_better_by_calls(const kn_eqn *e, const knc_step *s)
{
    double points = 1, stacked = 0;
    for (int d = 0; d < s->u.k.kernel->n_par; d++)
        points *= (double)s->u.k.par[d];
    walk(s, find_stacks, &stacked);
    const kni_jaxpr *body = e->prim->loops == KN_LOOP_SCAN ? ((const kn_p_scan *)e->params)->jaxpr
                                                           : ((const kn_p_while *)e->params)->body_jaxpr;
    if (points >= WIDE && points * stacked > LONG)
        return "as a kernel it would go through long stacks of wide rows point by point";
    if (multiplications(body, points) > MANY)
        return "as a kernel it would have large products without vectors";
    return NULL;
}
