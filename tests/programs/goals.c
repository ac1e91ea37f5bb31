/* SPDX-License-Identifier: Apache-2.0
 * goals.c -- what has to occur: every row at every dtype that it takes, every cast. Found by making the equations of
 * the rule tests' samples, which are complete (rules' check "dtypes"). */
#include "programs.h"

#include <string.h>

goal goals[MAX_GOALS];
int n_goals;

static bool casts(const kni_prim *p)
{
    return p == &knp_prim_convert_element_type || p == &knp_prim_bitcast_convert_type;
}

/* The operand whose dtype says what the equation works on. */
static uint32_t telling_operand(const kni_eqn *e)
{
    if ((e->prim == &knp_prim_select_n || e->prim == &knp_prim_random_gamma) && e->n_in > 1)
        return 1;
    return e->prim->bits & KN_LOOPS ? e->n_in - 1 : 0;
}

void goal_of(const kni_jaxpr *j, const kni_eqn *e, goal *g)
{
    *g = (goal){.prim = e->prim, .from = KN_ID_COUNT, .to = KN_ID_COUNT};
    if (e->n_in)
        g->from = kni_atom_type(j, e->in[telling_operand(e)]).dtype->id;
    else if (e->n_out)
        g->from = j->type[e->out].dtype->id;
    if (casts(e->prim))
        g->to = j->type[e->out].dtype->id;
}

static uint32_t slots[4 * MAX_GOALS]; /* a hash table of 1 + numbers */

static uint32_t *slot_of(const goal *g)
{
    uint64_t h = knx_hash_mix(knx_hash_mix((uint64_t)(uintptr_t)g->prim, g->from), g->to);
    for (;; h++) {
        uint32_t *s = &slots[h % (4 * MAX_GOALS)];
        if (!*s || (goals[*s - 1].prim == g->prim && goals[*s - 1].from == g->from && goals[*s - 1].to == g->to))
            return s;
    }
}

int goal_number(const goal *g) { return (int)*slot_of(g) - 1; }

static void add(const goal *g)
{
    uint32_t *s = slot_of(g);
    if (*s || n_goals == MAX_GOALS)
        return;
    goals[n_goals++] = *g;
    *s = (uint32_t)n_goals;
}

static void of_sample(const sample *s, kn_dtype t)
{
    bench b = {0};
    bool found = false;
    if (bench_open(&b, s, t, s->operands) && (b.j = bench_build(&b, false)))
        for (uint32_t i = 0; i < b.j->n_eqn; i++)
            if (b.j->eqn[i].prim == s->prim) {
                goal g;
                goal_of(b.j, &b.j->eqn[i], &g);
                add(&g);
                found = true;
            }
    if (b.j && !found)
        add(&(goal){s->prim, t ? t->id : KN_ID_COUNT, KN_ID_COUNT, true});
    bench_close(&b);
}

void goals_find(void)
{
    for (const sample *const *list = all_samples; *list; list++)
        for (const sample *s = *list; s->prim; s++) {
            if (!s->dtypes)
                of_sample(s, NULL);
            for (int id = 0; id < KN_ID_COUNT; id++)
                if (bench_has_dtype(s, &knx_dtype_table[id]))
                    of_sample(s, &knx_dtype_table[id]);
        }
}

void goals_count(const kni_jaxpr *j, uint32_t *times)
{
    for (uint32_t i = 0; i < j->n_eqn; i++) {
        const kni_eqn *e = &j->eqn[i];
        goal g;
        goal_of(j, e, &g);
        int k = goal_number(&g);
        if (k >= 0)
            times[k]++;
        for (const kni_param_field *f = e->params ? e->prim->fields : NULL; f && f->name; f++)
            for (int n = 0; n < kni_field_jaxprs(f, e->params).n; n++)
                goals_count(kni_field_jaxprs(f, e->params).v[n], times);
    }
}
