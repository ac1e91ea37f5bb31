/* SPDX-License-Identifier: Apache-2.0
 * order.c -- steps in an order in which each reads what earlier ones made: of those that could come next, the one
 * whose last equation stands first in the jaxpr, so that temporaries die soon. */
#include "compile/plan.h"
#include <string.h>

typedef struct order {
    knc_plan *p;
    uint32_t *waits;                         /* per step: makers that have not come yet */
    uint32_t *first_edge, *edge, *next_edge; /* readers of each step's results */
    uint32_t *heap, n_heap, n_edge;
} order;

static uint32_t key(const order *o, uint32_t s) { return o->p->step.at[s].eqn; }

static bool before(const order *o, uint32_t a, uint32_t b)
{
    return key(o, a) != key(o, b) ? key(o, a) < key(o, b) : a < b;
}

static void push(order *o, uint32_t s)
{
    uint32_t i = o->n_heap++;
    for (; i && before(o, s, o->heap[(i - 1) / 2]); i = (i - 1) / 2)
        o->heap[i] = o->heap[(i - 1) / 2];
    o->heap[i] = s;
}

static uint32_t pop(order *o)
{
    uint32_t top = o->heap[0], s = o->heap[--o->n_heap], i = 0;
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= o->n_heap)
            break;
        c += c + 1 < o->n_heap && before(o, o->heap[c + 1], o->heap[c]);
        if (before(o, s, o->heap[c]))
            break;
        o->heap[i] = o->heap[c];
        i = c;
    }
    o->heap[i] = s;
    return top;
}

static void add_edges(order *o, uint32_t s)
{
    const knc_step *step = &o->p->step.at[s];
    for (uint32_t r = 0; r < step->n_ref; r++) {
        uint32_t maker = o->p->slot.at[step->ref[r].index].maker;
        if (maker == KNC_NO || maker == s)
            continue;
        o->edge[o->n_edge] = s;
        o->next_edge[o->n_edge] = o->first_edge[maker];
        o->first_edge[maker] = o->n_edge++;
        o->waits[s]++;
    }
}

static bool begin(order *o, uint32_t n)
{
    size_t edges = 1;
    for (uint32_t s = 0; s < n; s++)
        edges += o->p->step.at[s].n_ref;
    kn_arena *a = &o->p->scratch;
    o->waits = knx_arena_zero(a, (n + 1) * sizeof *o->waits);
    o->first_edge = knx_arena_alloc(a, (n + 1) * sizeof *o->first_edge);
    o->heap = knx_arena_alloc(a, (n + 1) * sizeof *o->heap);
    o->edge = knx_arena_alloc(a, edges * sizeof *o->edge);
    o->next_edge = knx_arena_alloc(a, edges * sizeof *o->next_edge);
    if (!o->waits || !o->first_edge || !o->heap || !o->edge || !o->next_edge)
        return false;
    memset(o->first_edge, 0xff, (n + 1) * sizeof *o->first_edge);
    for (uint32_t s = 0; s < n; s++)
        add_edges(o, s);
    for (uint32_t s = 0; s < n; s++)
        if (!o->waits[s])
            push(o, s);
    return true;
}

/* Steps and all that names them, renumbered. */
static void renumber(knc_plan *p, const uint32_t *old, uint32_t n, knc_step *sorted, uint32_t *number)
{
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = p->step.at[old[i]];
        number[old[i]] = i;
    }
    for (size_t s = 0; s < p->slot.n; s++)
        if (p->slot.at[s].maker != KNC_NO)
            p->slot.at[s].maker = number[p->slot.at[s].maker];
    for (size_t r = 0; r < p->reuse.n; r++)
        p->reuse.at[r].step = number[p->reuse.at[r].step];
    for (size_t g = 0; g < p->group.n; g++)
        if (p->group.at[g].step != KNC_NO)
            p->group.at[g].step = number[p->group.at[g].step];
}

/* The one step that computes an inlined value; KNC_NO: several. */
static uint32_t step_of_uses(knc_plan *p, const knc_value *v)
{
    uint32_t step = KNC_NO;
    for (uint32_t l = v->first_use; l != KNC_NO; l = p->use.at[l].next) {
        uint32_t s = p->group.at[knc_find(p, p->use.at[l].use.group)].step;
        if (step != KNC_NO && s != step)
            return KNC_NO;
        step = s;
    }
    return step;
}

/* What became of each equation, for reports. */
static void write_notes(knc_plan *p)
{
    knc_note *note = (knc_note *)(uintptr_t)p->p->note;
    for (uint32_t i = 0; i < p->j->n_eqn; i++) {
        const kn_eqn *e = &p->j->eqn[i];
        note[i] = (knc_note){.step = KNC_NO};
        if (!e->n_out)
            continue;
        const knc_value *v = &p->value[e->out];
        for (uint32_t k = 1; k < e->n_out && v->state != KNC_STORED; k++)
            v = &p->value[e->out + k];
        note[i].state = v->state;
        note[i].why = v->why;
        note[i].joined = v->joined;
        if (v->group != KNC_NO)
            note[i].step = p->group.at[knc_find(p, v->group)].step;
        else if (v->state == KNC_INLINE)
            note[i].step = step_of_uses(p, v);
    }
}

kn_error *knc_order_steps(knc_plan *p)
{
    uint32_t n = (uint32_t)p->step.n, done = 0;
    order o = {.p = p};
    uint32_t *old = knx_arena_alloc(&p->scratch, (n + 1) * sizeof *old),
             *number = knx_arena_alloc(&p->scratch, (n + 1) * sizeof *number);
    knc_step *sorted = knx_arena_alloc(&p->p->arena, (n + 1) * sizeof *sorted);
    if (!old || !number || !sorted || !begin(&o, n))
        return knx_error_nomem();
    while (o.n_heap) {
        uint32_t s = pop(&o);
        old[done++] = s;
        for (uint32_t e = o.first_edge[s]; e != KNC_NO; e = o.next_edge[e])
            if (!--o.waits[o.edge[e]])
                push(&o, o.edge[e]);
    }
    if (done != n)
        return knx_error(KN_ERROR_VALUE, "program: the steps depend on each other in a circle");
    renumber(p, old, n, sorted, number);
    write_notes(p);
    p->p->step = sorted;
    p->p->n_step = n;
    return NULL;
}
