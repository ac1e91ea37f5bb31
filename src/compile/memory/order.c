/* SPDX-License-Identifier: Apache-2.0
 * order.c -- puts the steps in an order in which each reads only what earlier steps made. Of the steps that could come
 * next it takes the one whose last equation is the first in the jaxpr, so that temporaries are needed for a short time.
 *
 * An update begins with a copy of the old value. The copy goes away if it is the last reader of that value, so it is
 * held back while other steps have still to read the value. When only held copies could come next one of them is
 * released and becomes a real copy; if possible one whose update the other readers of the old value wait for. */
#include "compile/memory/starts.h"
#include <string.h>

typedef struct heap {
    uint32_t *at, n;
} heap;

typedef struct order {
    knc_plan *p;
    uint32_t *waits;                         /* per step: how many edges from steps without a position lead to it */
    uint32_t *first_edge, *edge, *next_edge; /* per step: list of the steps that have to come after it */
    uint32_t n_edge;
    heap ready, held; /* steps that may come next; held copies, and some that were released by now */
    /* with updates only: */
    uint32_t *update_of;           /* per copy: its update, else KNC_NO */
    uint32_t *readers, *held_copy; /* per slot: reads by steps without a position; list of updates with a held copy */
    uint32_t *seen, stamp, patience;
} order;
enum { SEARCH = 1000, CANDIDATES = 8 };

static uint32_t key(const order *o, uint32_t s) { return o->p->step.at[s].eqn; }

static bool before(const order *o, uint32_t a, uint32_t b)
{
    return key(o, a) != key(o, b) ? key(o, a) < key(o, b) : a < b;
}

static void push(const order *o, heap *h, uint32_t s)
{
    uint32_t i = h->n++;
    for (; i && before(o, s, h->at[(i - 1) / 2]); i = (i - 1) / 2)
        h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = s;
}

static uint32_t pop(const order *o, heap *h)
{
    uint32_t top = h->at[0], s = h->at[--h->n], i = 0;
    for (;;) {
        uint32_t c = 2 * i + 1;
        if (c >= h->n)
            break;
        c += c + 1 < h->n && before(o, h->at[c + 1], h->at[c]);
        if (before(o, s, h->at[c]))
            break;
        h->at[i] = h->at[c];
        i = c;
    }
    h->at[i] = s;
    return top;
}

static const knc_update *update_of(const order *o, uint32_t s)
{
    return o->update_of && o->update_of[s] != KNC_NO ? &o->p->update.at[o->update_of[s]] : NULL;
}

static void add_edge(order *o, uint32_t maker, uint32_t s)
{
    o->edge[o->n_edge] = s;
    o->next_edge[o->n_edge] = o->first_edge[maker];
    o->first_edge[maker] = o->n_edge++;
    o->waits[s]++;
}

/* Adds an edge from each step that has to come before s. The copy of an update comes after all steps that make what its
 * update reads, and before the update. */
static void add_edges(order *o, uint32_t s)
{
    const knc_update *u = update_of(o, s);
    for (int both = 0; both < (u ? 2 : 1); both++) {
        const knc_step *step = &o->p->step.at[both ? u->step : s];
        for (uint32_t r = 0; r < step->n_ref; r++) {
            uint32_t maker = o->p->slot.at[step->ref[r].index].maker;
            if (maker != KNC_NO && maker != s && !(u && maker == u->step))
                add_edge(o, maker, s);
        }
    }
    if (u)
        add_edge(o, s, u->step);
}

/* Is the reference a read that an update of the slot has to wait for? */
static bool reads(const order *o, uint32_t s, uint32_t ref)
{
    uint32_t slot = o->p->step.at[s].ref[ref].index;
    const knc_update *u = update_of(o, s);
    return o->p->slot.at[slot].maker != s && !(u && u->to == slot);
}

static bool begin_updates(order *o, uint32_t n)
{
    knc_plan *p = o->p;
    knx_arena *a = &p->scratch;
    o->update_of = knx_arena_alloc(a, (n + 1) * sizeof *o->update_of);
    o->readers = knx_arena_zero(a, (p->slot.n + 1) * sizeof *o->readers);
    o->held_copy = knx_arena_alloc(a, (p->slot.n + 1) * sizeof *o->held_copy);
    o->held.at = knx_arena_alloc(a, (p->update.n + 1) * sizeof *o->held.at);
    o->seen = knx_arena_zero(a, (n + 1) * sizeof *o->seen);
    if (!o->update_of || !o->readers || !o->held_copy || !o->held.at || !o->seen)
        return false;
    o->patience = n < UINT32_MAX / 64 - SEARCH ? 64 * (n + SEARCH) : UINT32_MAX;
    memset(o->update_of, 0xff, (n + 1) * sizeof *o->update_of);
    memset(o->held_copy, 0xff, (p->slot.n + 1) * sizeof *o->held_copy);
    for (size_t i = 0; i < p->update.n; i++)
        o->update_of[p->update.at[i].copy] = (uint32_t)i;
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t r = 0; r < p->step.at[s].n_ref; r++)
            o->readers[p->step.at[s].ref[r].index] += reads(o, s, r);
    return true;
}

/* All steps before s have their positions: s may come next. But a copy that could go away is held back while other
 * steps have to read the old value. */
static void is_ready(order *o, uint32_t s)
{
    knc_update *u = (knc_update *)(uintptr_t)update_of(o, s);
    const knc_slot *from = u ? &o->p->slot.at[u->from] : NULL;
    bool may_wait = u && u->whole && (from->space == KNC_AT_WORK || knc_is_donated(o->p, from));
    if (!may_wait || o->readers[u->from] == 1) {
        push(o, &o->ready, s);
        return;
    }
    u->held = true;
    u->next_held = o->held_copy[u->from];
    o->held_copy[u->from] = o->update_of[s];
    push(o, &o->held, s);
}

static void let_go(order *o, uint32_t s)
{
    uint32_t i = o->update_of[s], *link = &o->held_copy[o->p->update.at[i].from];
    while (*link != i)
        link = &o->p->update.at[*link].next_held;
    *link = o->p->update.at[i].next_held;
    o->p->update.at[i].held = false;
    push(o, &o->ready, s);
}

/* The step has its position: releases the held copy of each slot that no other step has still to read. */
static void has_read(order *o, uint32_t s)
{
    for (uint32_t r = 0; o->update_of && r < o->p->step.at[s].n_ref; r++) {
        uint32_t slot = o->p->step.at[s].ref[r].index;
        if (reads(o, s, r) && --o->readers[slot] == 1 && o->held_copy[slot] != KNC_NO)
            let_go(o, o->p->update.at[o->held_copy[slot]].copy);
    }
}

static bool reads_slot(const order *o, uint32_t s, uint32_t slot)
{
    for (uint32_t r = 0; r < o->p->step.at[s].n_ref; r++)
        if (o->p->step.at[s].ref[r].index == slot)
            return true;
    return false;
}

/* Does a reader of the old value wait for the update of this copy? Then holding the copy is in vain. The search visits
 * a bounded number of the steps that wait for the update; false if it finds no reader among them. */
static bool blocks_itself(order *o, uint32_t copy)
{
    uint32_t queue[SEARCH], n = 1, from = o->p->update.at[o->update_of[copy]].from;
    queue[0] = copy;
    o->stamp++;
    for (uint32_t i = 0; i < n && o->patience; i++)
        for (uint32_t e = o->first_edge[queue[i]]; e != KNC_NO; e = o->next_edge[e]) {
            uint32_t s = o->edge[e];
            if (o->seen[s] == o->stamp)
                continue;
            o->seen[s] = o->stamp;
            o->patience -= o->patience > 0;
            if (reads_slot(o, s, from))
                return true;
            if (n < SEARCH)
                queue[n++] = s;
        }
    return false;
}

/* No step is ready: releases one of the held copies, which becomes a real copy. */
static void let_one_go(order *o)
{
    uint32_t some[CANDIDATES], n = 0, chosen = 0;
    while (o->held.n && n < CANDIDATES) {
        uint32_t s = pop(o, &o->held);
        if (!o->p->update.at[o->update_of[s]].held)
            continue;
        some[n++] = s;
        if (blocks_itself(o, s)) {
            chosen = n - 1;
            break;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (i != chosen)
            push(o, &o->held, some[i]);
    if (n)
        let_go(o, some[chosen]);
}

/* Steps with effects come in the order of their equations: an edge leads from each to the next. False without
 * memory. */
static bool chain_effects(order *o, uint32_t n)
{
    const kni_jaxpr *j = o->p->j;
    uint32_t *step = knx_arena_alloc(&o->p->scratch, ((size_t)j->n_eqn + 1) * sizeof *step), last = KNC_NO;
    if (!step)
        return false;
    memset(step, 0xff, ((size_t)j->n_eqn + 1) * sizeof *step);
    for (uint32_t s = 0; s < n; s++) {
        const knc_step *at = &o->p->step.at[s];
        const kni_eqn *e = &j->eqn[at->eqn];
        bool of_one = !knc_is_kernel(at) && at->kind != KNC_COPY && at->kind != KNC_BAND;
        if (of_one && (kni_bits(e->prim, e->params) & KN_EFFECT))
            step[at->eqn] = s;
    }
    for (uint32_t i = 0; i < j->n_eqn; i++)
        if (step[i] != KNC_NO) {
            if (last != KNC_NO)
                add_edge(o, last, step[i]);
            last = step[i];
        }
    return true;
}

static bool begin(order *o, uint32_t n)
{
    size_t edges = 1 + (size_t)n; /* of effects; those of operands are added to them */
    for (uint32_t s = 0; s < n; s++)
        edges += o->p->step.at[s].n_ref;
    for (size_t i = 0; i < o->p->update.n; i++)
        edges += 1 + o->p->step.at[o->p->update.at[i].step].n_ref;
    knx_arena *a = &o->p->scratch;
    o->waits = knx_arena_zero(a, (n + 1) * sizeof *o->waits);
    o->first_edge = knx_arena_alloc(a, (n + 1) * sizeof *o->first_edge);
    o->ready.at = knx_arena_alloc(a, (n + 1) * sizeof *o->ready.at);
    o->edge = knx_arena_alloc(a, edges * sizeof *o->edge);
    o->next_edge = knx_arena_alloc(a, edges * sizeof *o->next_edge);
    if (!o->waits || !o->first_edge || !o->ready.at || !o->edge || !o->next_edge)
        return false;
    if (o->p->update.n && !begin_updates(o, n))
        return false;
    memset(o->first_edge, 0xff, (n + 1) * sizeof *o->first_edge);
    for (uint32_t s = 0; s < n; s++)
        add_edges(o, s);
    if ((o->p->j->has & KN_EFFECT) && !chain_effects(o, n))
        return false;
    for (uint32_t s = 0; s < n; s++)
        if (!o->waits[s])
            is_ready(o, s);
    return true;
}

/* Sorts the steps and gives all records of the plan that name steps their new numbers. */
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
    for (size_t u = 0; u < p->update.n; u++) {
        p->update.at[u].copy = number[p->update.at[u].copy];
        p->update.at[u].step = number[p->update.at[u].step];
    }
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

/* Notes for reports how each equation was lowered, why, and in which step. */
static void write_notes(knc_plan *p)
{
    knc_note *note = (knc_note *)(uintptr_t)p->p->note;
    for (uint32_t i = 0; i < p->j->n_eqn; i++) {
        const kni_eqn *e = &p->j->eqn[i];
        note[i] = (knc_note){.step = KNC_NO};
        if (!e->n_out)
            continue;
        const knc_value *v = &p->value[e->out];
        for (uint32_t k = 1; k < e->n_out && v->state != KNC_STORED; k++)
            v = &p->value[e->out + k];
        note[i].state = v->state;
        note[i].why = v->why;
        note[i].joined = v->joined;
        note[i].in_blocks = v->state == KNC_STORED && v->slot != KNC_NO && p->slot.at[v->slot].in_blocks;
        if (v->group != KNC_NO)
            note[i].step = p->group.at[knc_find(p, v->group)].step;
        else if (v->state == KNC_INLINE)
            note[i].step = step_of_uses(p, v);
    }
}

knx_error *knc_order_steps(knc_plan *p)
{
    uint32_t n = (uint32_t)p->step.n, done = 0;
    order o = {.p = p};
    uint32_t *old = knx_arena_alloc(&p->scratch, (n + 1) * sizeof *old);
    if (!old || !begin(&o, n))
        return knx_error_nomem();
    while (o.ready.n || o.held.n) {
        if (!o.ready.n)
            let_one_go(&o);
        if (!o.ready.n) /* `held` had only copies that were released before */
            continue;
        uint32_t s = pop(&o, &o.ready);
        old[done++] = s;
        has_read(&o, s);
        for (uint32_t e = o.first_edge[s]; e != KNC_NO; e = o.next_edge[e])
            if (!--o.waits[o.edge[e]])
                is_ready(&o, o.edge[e]);
    }
    if (done != n)
        return knx_error_new(KN_ERROR_VALUE, "program: the steps depend on each other in a circle");
    const uint32_t *all = old;
    KN_TRY(knc_start_routines(p, &all, &n));
    uint32_t *number = knx_arena_alloc(&p->scratch, (n + 1) * sizeof *number);
    knc_step *sorted = knx_arena_alloc(&p->p->arena, (n + 1) * sizeof *sorted);
    if (!number || !sorted)
        return knx_error_nomem();
    renumber(p, all, n, sorted, number);
    write_notes(p);
    p->p->step = sorted;
    p->p->n_step = n;
    return NULL;
}
