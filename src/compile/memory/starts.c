/* SPDX-License-Identifier: Apache-2.0
 * starts.c -- routines that wait for others (rows with `start`: collectives of a mesh) become two steps, once all steps
 * have an order. The start goes right behind the last step that makes its operands, the wait right before the first
 * one that reads the result, or that would be written over an operand; everything else stays in its order. What lies
 * between them runs while bytes are under way.
 *
 * The start refers to the operands and the workspace, and to results that are filled from then on; so all of them have
 * memory from the start to the wait. As this costs memory there is a limit for what is under way at once. */
#include "compile/memory/starts.h"
#include <string.h>

enum { UNDER_WAY = 64 << 20 }; /* bytes of workspaces and results; one routine may have more */

typedef struct routine {
    uint32_t step, at;      /* its number, its place among all steps */
    uint32_t ready, wanted; /* it may start, has to be waited for, before the step of this place */
    uint32_t next_ready, next_wanted, next_sender; /* KNC_NO: the last one of the list */
    uint32_t waits_for;      /* of its operands: those that come from routines which were not waited for yet */
    uint32_t first_receiver; /* list of `link`: routines that read its result */
    knx_bytes bytes;
    bool started, queued;
} routine;
typedef struct link {
    uint32_t routine, next;
} link;

typedef struct starter {
    knc_plan *p;
    const uint32_t *old;
    uint32_t n, n_routine;
    routine *x;
    uint32_t *place;          /* per step: where it is in `old` */
    uint32_t *number;         /* per step: of the routine, KNC_NO */
    uint32_t *maker, *sender; /* per slot: the routine that makes it, the first one that has it as an operand; KNC_NO */
    uint32_t *ready, *wanted; /* per place: the first routine of the list; KNC_NO */
    link *link;
    uint32_t n_link;
    uint32_t *queue, first, last; /* ready ones beyond the limit */
    knx_bytes under_way;
    uint32_t *out, n_out;
} starter;

static bool has_halves(const knc_plan *p, const knc_step *s)
{
    return s->kind == KNC_ROUTINE && p->j->eqn[s->eqn].prim->start && s->u.r.workspace;
}

static bool fills_early(const knc_plan *p, const knc_step *s) { return p->j->eqn[s->eqn].prim->bits & KN_FILLS_EARLY; }

static uint32_t *list(starter *t, size_t n)
{
    uint32_t *at = knx_arena_alloc(&t->p->scratch, (n + 1) * sizeof *at);
    if (at)
        memset(at, 0xff, (n + 1) * sizeof *at);
    return at;
}

static bool begin(starter *t)
{
    knc_plan *p = t->p;
    knx_arena *a = &p->scratch;
    size_t operands = 0;
    for (uint32_t s = 0; s < t->n; s++)
        operands += has_halves(p, &p->step.at[s]) ? p->step.at[s].u.r.n_in : 0;
    t->x = knx_arena_zero(a, (t->n_routine + 1) * sizeof *t->x);
    t->link = knx_arena_alloc(a, (operands + 1) * sizeof *t->link);
    t->place = list(t, t->n);
    t->number = list(t, t->n);
    t->maker = list(t, p->slot.n);
    t->sender = list(t, p->slot.n);
    t->ready = list(t, t->n);
    t->wanted = list(t, t->n);
    t->queue = list(t, t->n_routine);
    t->out = list(t, (size_t)t->n + t->n_routine);
    return t->x && t->link && t->place && t->number && t->maker && t->sender && t->ready && t->wanted && t->queue &&
           t->out;
}

/* In the order of their places. */
static void find_routines(starter *t)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const knc_step *s = &t->p->step.at[t->old[i]];
        t->place[t->old[i]] = i;
        if (!has_halves(t->p, s))
            continue;
        routine *x = &t->x[n];
        *x = (routine){.step = t->old[i], .at = i, .wanted = t->n, .next_sender = KNC_NO, .first_receiver = KNC_NO};
        x->bytes = s->u.r.workspace;
        t->number[t->old[i]] = n;
        for (uint32_t r = 0; r < s->u.r.n_out; r++) {
            uint32_t slot = s->ref[s->u.r.n_in + r].index;
            t->maker[slot] = n;
            x->bytes += fills_early(t->p, s) ? t->p->slot.at[slot].bytes : 0;
        }
        x->next_sender = t->sender[s->ref[0].index]; /* these rows have one operand */
        t->sender[s->ref[0].index] = n++;
    }
}

static void want(routine *x, uint32_t place)
{
    if (place > x->at && place < x->wanted)
        x->wanted = place;
}

static void find_wanted(starter *t)
{
    const knc_plan *p = t->p;
    for (uint32_t i = 0; i < t->n; i++)
        for (uint32_t r = 0; r < p->step.at[t->old[i]].n_ref; r++) {
            uint32_t by = t->maker[p->step.at[t->old[i]].ref[r].index];
            if (by != KNC_NO)
                want(&t->x[by], i);
        }
    for (size_t r = 0; r < p->reuse.n; r++) /* that step may write over its operand */
        for (uint32_t k = t->sender[p->reuse.at[r].from]; k != KNC_NO; k = t->x[k].next_sender)
            want(&t->x[k], t->place[p->reuse.at[r].step]);
    for (uint32_t k = t->n_routine; k-- > 0;) {
        t->x[k].next_wanted = t->wanted[t->x[k].wanted];
        t->wanted[t->x[k].wanted] = k;
    }
}

static void find_ready(starter *t)
{
    const knc_plan *p = t->p;
    for (uint32_t k = t->n_routine; k-- > 0;) {
        routine *x = &t->x[k];
        const knc_step *s = &p->step.at[x->step];
        for (uint32_t r = 0; r < s->u.r.n_in; r++) {
            uint32_t maker = p->slot.at[s->ref[r].index].maker, by = maker == KNC_NO ? KNC_NO : t->number[maker];
            uint32_t from = by != KNC_NO ? t->x[by].wanted : maker != KNC_NO ? t->place[maker] + 1 : 0;
            x->ready = from > x->ready ? from : x->ready;
            if (by == KNC_NO)
                continue;
            t->link[t->n_link] = (link){k, t->x[by].first_receiver};
            t->x[by].first_receiver = t->n_link++;
            x->waits_for++;
        }
        x->next_ready = t->ready[x->ready];
        t->ready[x->ready] = k;
    }
}

static knx_error *add_start(starter *t, uint32_t k)
{
    knc_plan *p = t->p;
    routine *x = &t->x[k];
    knc_step s = p->step.at[x->step];
    uint32_t n = s.u.r.n_in + s.u.r.n_out, kept = fills_early(p, &s) ? n : s.u.r.n_in;
    knc_ref *ref = knx_arena_alloc(&p->p->arena, (n + 1) * sizeof *ref);
    if (!ref)
        return knx_error_nomem();
    memcpy(ref, s.ref, kept * sizeof *ref);
    ref[kept] = s.ref[n];
    s.ref = ref;
    s.n_ref = kept + 1;
    s.u.r.n_out = kept - s.u.r.n_in;
    s.half = KNC_START;
    p->step.at[x->step].half = KNC_WAIT;
    p->slot.at[ref[kept].index].maker = (uint32_t)p->step.n;
    x->started = true;
    t->under_way += x->bytes;
    t->out[t->n_out++] = (uint32_t)p->step.n;
    return KN_VEC_PUSH(&p->step, s) ? NULL : knx_error_nomem();
}

static bool fits(const starter *t, const routine *x) { return !t->under_way || t->under_way + x->bytes <= UNDER_WAY; }

static knx_error *start_ready(starter *t, uint32_t place)
{
    for (uint32_t k = t->ready[place]; k != KNC_NO; k = t->x[k].next_ready) {
        routine *x = &t->x[k];
        if (x->started || x->queued || x->waits_for)
            continue;
        x->queued = t->first < t->last || !fits(t, x);
        if (x->queued)
            t->queue[t->last++] = k;
        else
            KN_TRY(add_start(t, k));
    }
    return NULL;
}

static knx_error *wait_for(starter *t, uint32_t k)
{
    routine *x = &t->x[k];
    if (!x->started)
        KN_TRY(add_start(t, k));
    t->out[t->n_out++] = x->step;
    t->under_way -= x->bytes;
    for (uint32_t l = x->first_receiver; l != KNC_NO; l = t->link[l].next)
        t->x[t->link[l].routine].waits_for--;
    for (; t->first < t->last; t->first++) {
        uint32_t next = t->queue[t->first];
        if (t->x[next].started)
            continue;
        if (!fits(t, &t->x[next]))
            break;
        KN_TRY(add_start(t, next));
    }
    return NULL;
}

static knx_error *write_out(starter *t)
{
    for (uint32_t i = 0; i <= t->n; i++) {
        KN_TRY(start_ready(t, i));
        for (uint32_t k = t->wanted[i]; k != KNC_NO; k = t->x[k].next_wanted)
            KN_TRY(wait_for(t, k));
        KN_TRY(start_ready(t, i));
        if (i < t->n && t->number[t->old[i]] == KNC_NO)
            t->out[t->n_out++] = t->old[i];
    }
    return NULL;
}

knx_error *knc_start_routines(knc_plan *p, const uint32_t **order, uint32_t *n)
{
    starter t = {.p = p, .old = *order, .n = *n};
    if (!p->o->fuse || !p->o->target->starts || p->symbolic)
        return NULL;
    for (uint32_t s = 0; s < t.n; s++)
        t.n_routine += has_halves(p, &p->step.at[s]);
    if (!t.n_routine)
        return NULL;
    if (!begin(&t))
        return knx_error_nomem();
    find_routines(&t);
    find_wanted(&t);
    find_ready(&t);
    KN_TRY(write_out(&t));
    *order = t.out;
    *n = t.n_out;
    return NULL;
}
