/* SPDX-License-Identifier: Apache-2.0
 * make_sample.c -- an equation from a sample of the rule tests, over operands of the program. */
#include "programs.h"

#include <string.h>

/* A sample of the row that has the dtype, and one of its lists of operands. */
static const sample *choose(maker *m, const goal *g, const char **operands)
{
    const sample *chosen = NULL;
    int n = 0;
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *s = *list; s->prim; s++) {
            bool fits = s->prim == g->prim && !(s->flags & LONG) &&
                        (!s->dtypes || g->from >= KN_ID_COUNT || bench_has_dtype(s, &knx_dtype_table[g->from]));
            if (fits && chance(m, ++n))
                chosen = s;
        }
    operand x[MAX_OPERANDS];
    n = 0;
    for (const char *text = chosen ? chosen->operands : NULL, *next; text; text = next) {
        int k;
        next = bench_operands(text, KN_DT(F32), x, &k);
        if (chance(m, ++n))
            *operands = text;
    }
    return chosen;
}

static kni_atom operand_for(maker *m, const sample *s, const operand *o)
{
    if (o->literal)
        return knb_number(m->b, o->shape.dtype, o->value);
    fill f = {o->lo, o->hi, o->has_domain, o->distinct};
    if (runs_long(s->prim))
        return emit1(m, &knp_prim_clamp, NULL, 3,
                     (kni_atom[]){knb_number(m->b, o->shape.dtype, o->lo),
                                  want(m, o->shape.dtype, o->shape.ndim, o->shape.dim, &f),
                                  knb_number(m->b, o->shape.dtype, o->hi)});
    bool free = !o->has_domain && (s->lo != 0 || s->hi != 0 ? chance(m, 3) : true);
    return want(m, o->shape.dtype, o->shape.ndim, o->shape.dim, free ? NULL : &f);
}

bool make_sample(maker *m, const goal *g)
{
    bench c = {0};
    const char *operands = NULL;
    kni_atom x[MAX_OPERANDS], y[MAX_VALUES];
    const sample *s = choose(m, g, &operands);
    kn_dtype t = s && s->dtypes && g->from < KN_ID_COUNT ? &knx_dtype_table[g->from] : NULL;
    bool fine = s && operands && (!s->dtypes || t) && bench_open(&c, s, t, operands);
    int64_t size = 0;
    for (int i = 0; fine && i < c.n_operand; i++)
        size += c.operand[i].shape.n;
    fine = fine && size <= m->room + 60 && affordable(m, s->prim, size);
    for (int i = 0; fine && i < c.n_operand; i++)
        fine = (x[i] = operand_for(m, s, &c.operand[i])) != KN_ATOM_NONE;
    if (fine && (s->prim == &knp_prim_bitcast_convert_type || s->prim == &knp_prim_bitcast_last_axis))
        fine = (x[0] = without_nans(m, x[0])) != KN_ATOM_NONE;
    int n = 0;
    for (int i = 0; i < MAX_VALUES; i++)
        y[i] = KN_ATOM_NONE;
    if (fine && s->lanes) {
        kni_jaxpr *j = bench_map_lanes(&c, bench_one_lane(&c));
        if (j && !(j->has & KN_NAMES)) {
            knb_inline(m->b, j, x, y);
            n = (int)j->n_out;
        }
        kni_release(j);
    } else if (fine) {
        n = s->build ? s->build(m->b, x, y) : knb_emit(m->b, s->prim, s->params, c.n_operand, x, y, MAX_VALUES);
    }
    fine = settle(m) && n > 0;
    for (int i = 0; fine && i < n; i++)
        if (y[i] != KN_ATOM_NONE)
            keep(m, y[i]);
    if (fine && g->lanes && m->times)
        m->times[goal_number(g)]++;
    bench_close(&c);
    return fine;
}
