/* SPDX-License-Identifier: Apache-2.0
 * record.c -- what a finished program keeps of the decisions that made it: which equations each step computes, and
 * which values go from one step to another, as data for texts, drawings and observers. */
#include "base/log.h"
#include "compile/plan.h"
#include <stdlib.h>

/* Lists the equations of each step. An equation that several steps compute is in no list. */
static bool list_equations(knc_plan *p)
{
    knc_program *q = p->p;
    uint32_t *first = knx_arena_zero(&q->arena, ((size_t)q->n_step + 2) * sizeof *first);
    uint32_t *list = knx_arena_alloc(&q->arena, ((size_t)p->j->n_eqn + 1) * sizeof *list);
    if (!first || !list)
        return false;
    for (uint32_t i = 0; i < p->j->n_eqn; i++)
        if (q->note[i].step != KNC_NO)
            first[q->note[i].step + 2]++;
    for (uint32_t s = 0; s <= q->n_step; s++)
        first[s + 1] += first[s];
    for (uint32_t i = 0; i < p->j->n_eqn; i++)
        if (q->note[i].step != KNC_NO)
            list[first[q->note[i].step + 1]++] = i;
    q->first_eqn = first;
    q->step_eqn = list;
    return true;
}

typedef struct recorder {
    knc_plan *p;
    uint32_t *shown; /* per variable: the variable whose memory it is a view of, or itself; KNC_NO: of a literal */
    uint32_t *seen;  /* per step: 1 + the last variable for which it has an edge */
    KN_VEC(knc_edge) edge;
    bool failed;
} recorder;

static void add_edge(recorder *r, uint32_t var, uint32_t to, uint32_t output)
{
    const knc_value *v = &r->p->value[var];
    knc_edge e = {.from = KNC_NO, .to = to, .var = var, .eqn = v->eqn, .output = output};
    if (v->state == KNC_STORED)
        e.from = r->p->p->note[v->eqn].step;
    bool inside = e.from != KNC_NO && (e.from == to || r->p->p->note[v->eqn].in_blocks);
    if ((v->state == KNC_STORED ? e.from != KNC_NO && !inside : v->state == KNC_GIVEN) && !KN_VEC_PUSH(&r->edge, e))
        r->failed = true;
}

static void add_reader(recorder *r, uint32_t var, uint32_t group)
{
    uint32_t step = r->p->group.at[knc_find(r->p, group)].step, shown = r->shown[var];
    if (step == KNC_NO || shown == KNC_NO || r->seen[step] == shown + 1)
        return;
    r->seen[step] = shown + 1;
    add_edge(r, shown, step, KNC_NO);
}

static void add_edges(recorder *r)
{
    const kni_jaxpr *j = r->p->j;
    for (uint32_t v = 0; v < j->n_var; v++) {
        const knc_value *x = &r->p->value[v];
        r->shown[v] = v;
        if (x->state == KNC_ALIAS) {
            kni_atom a = j->eqn[x->eqn].in[0];
            r->shown[v] = kni_is_var(a) ? r->shown[a] : KNC_NO;
        }
        for (uint32_t l = x->first_use; l != KNC_NO; l = r->p->use.at[l].next)
            add_reader(r, v, r->p->use.at[l].use.group);
    }
    for (uint32_t g = 0; g < r->p->group.n; g++) {
        const kni_eqn *e = r->p->group.at[g].routine ? &j->eqn[r->p->group.at[g].eqn] : NULL;
        for (uint32_t k = 0; e && k < e->n_in; k++)
            if (kni_is_var(e->in[k]))
                add_reader(r, e->in[k], g);
    }
    for (uint32_t k = 0; k < j->n_out; k++)
        if (kni_is_var(j->out[k]) && r->shown[j->out[k]] != KNC_NO)
            add_edge(r, r->shown[j->out[k]], KNC_NO, k);
}

/* Edges from operands of the program come first, edges to its results last. */
static int by_steps(const void *a, const void *b)
{
    const knc_edge *x = a, *y = b;
    uint32_t from[2] = {x->from + 1, y->from + 1};
    return from[0] != from[1] ? (from[0] > from[1]) - (from[0] < from[1])
           : x->to != y->to   ? (x->to > y->to) - (x->to < y->to)
                              : (x->var > y->var) - (x->var < y->var);
}

static bool record_edges(knc_plan *p)
{
    recorder r = {.p = p};
    r.shown = knx_arena_alloc(&p->scratch, ((size_t)p->j->n_var + 1) * sizeof *r.shown);
    r.seen = knx_arena_zero(&p->scratch, ((size_t)p->p->n_step + 1) * sizeof *r.seen);
    if (!r.shown || !r.seen)
        return false;
    add_edges(&r);
    if (r.edge.n && !r.failed)
        qsort(r.edge.at, r.edge.n, sizeof *r.edge.at, by_steps);
    bool fine = !r.failed;
    if (fine && r.edge.n) {
        p->p->edge = knx_arena_copy(&p->p->arena, r.edge.at, r.edge.n * sizeof *r.edge.at);
        fine = p->p->edge != NULL;
    }
    p->p->n_edge = fine ? (uint32_t)r.edge.n : 0;
    KN_VEC_FREE(&r.edge);
    return fine;
}

knx_error *knc_record(knc_plan *p)
{
    bool fine = list_equations(p) && (!(p->o->record || knx_debug_level >= 4) || record_edges(p));
    return fine ? NULL : knx_error_nomem();
}

void knc_step_operations(const knc_program *p, uint32_t step, knx_text *t)
{
    enum { LONGEST = 160 };
    const char *before = "";
    const knc_step *s = &p->step[step];
    if (s->kind == KNC_COPY) {
        knx_text_add(t, "copy");
        return;
    }
    if (!knc_is_kernel(s) && s->kind != KNC_PRODUCT && s->kind != KNC_BAND) {
        knx_text_add(t, "%s%s", p->jaxpr->eqn[s->eqn].prim->name, knc_half_text(s));
        return;
    }
    for (int views = 0; views < 2 && !*before; views++) /* names of views only if there are no others */
        for (uint32_t i = p->first_eqn[step]; i < p->first_eqn[step + 1]; i++) {
            const kni_prim *prim = p->jaxpr->eqn[p->step_eqn[i]].prim;
            if (!views && (prim->bits & (KN_VIEW | KN_IDENTITY)))
                continue;
            if (t->length > LONGEST) {
                knx_text_add(t, " ...");
                return;
            }
            knx_text_add(t, "%s%s", before, prim->name);
            before = " ";
        }
}

static int64_t elements_of(const knc_program *p, const knc_step *s)
{
    int64_t points = 1, inner = 1;
    if (s->kind == KNC_BAND) { /* those of the member with most */
        for (uint32_t i = 0; i < s->u.band->n_step; i++) {
            inner = elements_of(p, &s->u.band->step[i].step);
            points = knx_dim_max(points, inner);
        }
        return points;
    }
    if (s->kind == KNC_COPY)
        return (int64_t)s->u.bytes;
    if (s->kind == KNC_PRODUCT)
        return kni_type_size(p->jaxpr->type[p->jaxpr->eqn[s->u.p.eqn].out]);
    if (!knc_is_kernel(s))
        return s->half == KNC_START ? kni_type_size(s->u.r.xt[0]) : s->u.r.n_out ? kni_type_size(s->u.r.yt[0]) : 0;
    for (int d = 0; d < s->u.k.kernel->n_par; d++)
        points = knx_dim_mul(points, s->u.k.par[d]);
    for (int k = 0; k < s->u.k.kernel->n_stage; k++) {
        int64_t n = 1;
        for (int d = 0; d < s->u.k.kernel->stage[k].n_inner; d++)
            n = knx_dim_mul(n, s->u.k.inner[k][d]);
        inner = knx_dim_max(inner, n);
    }
    return knx_dim_mul(points, inner);
}

int64_t knc_step_elements(const knc_program *p, uint32_t step) { return elements_of(p, &p->step[step]); }
