/* SPDX-License-Identifier: Apache-2.0
 * memory.c -- the memory of each slot while a program runs: lifetimes over the steps, slots that take over the memory
 * of a slot which no later step reads, offsets in one arena, donated operands that become outputs. */
#include "compile/memory/rooms.h"
#include "compile/plan.h"
#include "base/line.h"
#include <stdlib.h>
#include <string.h>

static void find_lifetimes(knc_plan *p)
{
    for (uint32_t s = 0; s < p->p->n_step; s++)
        for (uint32_t r = 0; r < p->p->step[s].n_ref; r++) {
            knc_slot *slot = &p->slot.at[p->p->step[s].ref[r].index];
            if (slot->first == KNC_NO)
                slot->first = s;
            slot->last = s;
        }
}

static knc_output *outputs(knc_plan *p) { return (knc_output *)(uintptr_t)p->p->output; }

bool knc_is_donated(const knc_plan *p, const knc_slot *s)
{
    if (s->space != KNC_AT_OPERAND || s->overwritten || !p->o->donated || !p->o->donated[s->index])
        return false;
    for (uint32_t k = 0; k < p->p->n_output; k++)
        if (p->p->output[k].index == s->index &&
            (p->p->output[k].kind == KNC_OUT_OPERAND || p->p->output[k].kind == KNC_OUT_DONATED))
            return false;
    return true;
}

static int by_step(const void *a, const void *b)
{
    const knc_reuse *x = a, *y = b;
    return x->step != y->step   ? (x->step > y->step) - (x->step < y->step)
           : x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                                : (x->to > y->to) - (x->to < y->to);
}

/* The step of r is the last reader of the operand `from`, and makes `to`. If the operand is donated an output `to`
 * takes over its buffer; so does a temporary `to` that is the copy of an update. False: the operand keeps its
 * memory. */
static bool take_operand(knc_plan *p, const knc_reuse *r, knc_slot *from, knc_slot *to)
{
    if (!knc_is_donated(p, from))
        return false;
    if (to->space == KNC_AT_OUTPUT && outputs(p)[to->index].kind == KNC_OUT_NEW) {
        outputs(p)[to->index].kind = KNC_OUT_DONATED;
        outputs(p)[to->index].index = from->index;
        return true;
    }
    if (to->space != KNC_AT_WORK || p->p->step[r->step].kind != KNC_COPY)
        return false;
    from->overwritten = true;
    to->space = KNC_AT_OPERAND;
    to->index = from->index;
    return true;
}

/* Is `from` the operand with a carry of a loop, and `to` the output with the next value of this carry? */
static bool is_carry(const knc_plan *p, const knc_slot *from, const knc_slot *to)
{
    return from->space == KNC_AT_OPERAND && to->space == KNC_AT_OUTPUT && to->index < p->o->n_carry &&
           from->index == p->o->first_carry + to->index;
}

/* Gives `from` the memory of `to` wherever a step may write `to` over `from` and no later step reads `from`. Goes from
 * the last step to the first, so that a chain of such values ends up in the buffer of an output; carries of loops and
 * their next values first of all. */
static void take_over(knc_plan *p)
{
    uint8_t *taken = knx_arena_zero(&p->scratch, p->slot.n + 1);
    if (p->reuse.n)
        qsort(p->reuse.at, p->reuse.n, sizeof *p->reuse.at, by_step);
    for (size_t i = taken ? (p->o->n_carry ? 2 : 1) * p->reuse.n : 0; i-- > 0;) {
        const knc_reuse *r = &p->reuse.at[i % p->reuse.n];
        knc_slot *from = &p->slot.at[r->from], *to = &p->slot.at[knc_place_of(p, r->to)];
        if (taken[r->to] || taken[r->from] || from->over != KNC_NO || from->last != r->step || !from->bytes ||
            (i >= p->reuse.n && !is_carry(p, from, to)))
            continue;
        if (from->space == KNC_AT_WORK) {
            from->over = (uint32_t)(to - p->slot.at);
            to->first = from->first < to->first ? from->first : to->first;
        } else if (!take_operand(p, r, from, to)) {
            continue;
        }
        taken[r->to] = 1;
    }
}

/* Gives the buffer of a donated operand to an output of the same size that is first written after the last step that
 * reads the operand. carry: only to the output with the next value of this carry. */
static void use_one_donated(knc_plan *p, const knc_slot *from, bool carry)
{
    for (size_t s = 0; s < p->slot.n; s++) {
        const knc_slot *to = &p->slot.at[s];
        bool fits = to->space == KNC_AT_OUTPUT && to->over == KNC_NO && to->bytes == from->bytes && to->first != KNC_NO;
        if (!fits || to->first <= from->last || outputs(p)[to->index].kind != KNC_OUT_NEW ||
            (carry && !is_carry(p, from, to)))
            continue;
        outputs(p)[to->index].kind = KNC_OUT_DONATED;
        outputs(p)[to->index].index = from->index;
        return;
    }
}

static void use_donated(knc_plan *p)
{
    for (int all = p->o->n_carry == 0; all < 2; all++)
        for (size_t d = 0; p->o->donated && d < p->slot.n; d++) {
            const knc_slot *from = &p->slot.at[d];
            if (knc_is_donated(p, from) && from->first != KNC_NO && from->bytes)
                use_one_donated(p, from, !all);
        }
}

/* The rooms of all temporaries. They have offsets at once, or, in a program of dimension variables, when these have
 * numbers: until then a slot's offset is the number of its room. */
static knx_error *place_temporaries(knc_plan *p, knx_bytes *end)
{
    knc_room *room = knx_arena_alloc(&p->p->arena, (p->slot.n + 1) * sizeof *room);
    uint32_t n = 0;
    if (!room)
        return knx_error_nomem();
    for (size_t i = 0; i < p->slot.n; i++) {
        knc_slot *x = &p->slot.at[i];
        if (x->space != KNC_AT_WORK || x->over != KNC_NO)
            continue;
        if (!x->bytes || x->first == KNC_NO) { /* it needs none */
            x->offset = p->symbolic ? KNC_NO : 0;
            continue;
        }
        room[n] = (knc_room){.bytes = x->bytes, .first = x->first, .last = x->last};
        x->offset = n++;
    }
    p->p->room = room;
    p->p->n_room = n;
    if (p->symbolic)
        return NULL;
    if (!knc_place_rooms(room, n, p->p->n_step, p->o->target->alignment, end))
        return knx_error_nomem();
    for (size_t i = 0; i < p->slot.n; i++) {
        knc_slot *x = &p->slot.at[i];
        if (x->space == KNC_AT_WORK && x->over == KNC_NO && x->bytes && x->first != KNC_NO)
            x->offset = room[x->offset].offset;
    }
    return NULL;
}

static knc_ref place_in(const knc_plan *p, uint32_t s, knx_bytes offset)
{
    const knc_slot *slot = &p->slot.at[knc_place_of(p, s)];
    bool work = slot->space == KNC_AT_WORK;
    knx_bytes first = work && !p->symbolic ? slot->offset : 0;
    return (knc_ref){.space = slot->space,
                     .index = work && p->symbolic ? (uint32_t)slot->offset : slot->index,
                     .offset = first + offset,
                     .first = first,
                     .bytes = slot->space == KNC_AT_LITERAL ? 0 : p->slot.at[s].bytes};
}

/* The references of the step name slots so far; from now on they name operands, outputs, literals or the workspace. */
static void resolve_step(knc_plan *p, const knc_step *s)
{
    for (uint32_t r = 0; r < s->n_ref; r++)
        if (s->ref[r].space != KNC_AT_BLOCK)
            s->ref[r] = place_in(p, s->ref[r].index, s->ref[r].offset);
    for (uint32_t i = 0; s->kind == KNC_BAND && i < s->u.band->n_step; i++)
        resolve_step(p, &s->u.band->step[i].step);
}

static void resolve(knc_plan *p)
{
    for (uint32_t i = 0; i < p->p->n_step; i++)
        resolve_step(p, &p->p->step[i]);
}

/* For observers (programs without fusion): notes for each variable where its value lies. */
static knx_error *note_values(knc_plan *p)
{
    knc_ref *at = p->o->fuse ? NULL : knx_arena_alloc(&p->p->arena, (p->j->n_var + 1) * sizeof *at);
    if (!at)
        return p->o->fuse ? NULL : knx_error_nomem();
    for (uint32_t v = 0; v < p->j->n_var; v++) {
        const knc_value *x = &p->value[v];
        bool stored = x->slot != KNC_NO && (x->state == KNC_STORED || x->state == KNC_ALIAS);
        if (x->state == KNC_GIVEN)
            at[v] = (knc_ref){.space = KNC_AT_OPERAND, .index = v};
        else
            at[v] = stored ? place_in(p, x->slot, x->offset) : (knc_ref){.space = KNC_NOWHERE};
    }
    p->p->value_at = at;
    return NULL;
}

static void count_bytes(const knc_plan *p, knx_bytes arena)
{
    knc_program *q = p->p;
    for (uint32_t i = 0; i < q->n_step; i++)
        q->max_ref = q->step[i].n_ref > q->max_ref ? q->step[i].n_ref : q->max_ref;
    q->workspace = arena;
    for (uint32_t i = 0; i < q->n_operand && !p->symbolic; i++)
        q->values += kni_type_bytes(p->j->type[i]);
    for (uint32_t k = 0; k < q->n_output && !p->symbolic; k++)
        q->values += q->output[k].kind == KNC_OUT_NEW ? q->output[k].bytes : 0;
}

knx_error *knc_plan_memory(knc_plan *p)
{
    knx_bytes arena = 0;
    find_lifetimes(p);
    take_over(p);
    use_donated(p);
    KN_TRY(knc_settle_updates(p));
    KN_TRY(place_temporaries(p, &arena));
    count_bytes(p, arena);
    resolve(p);
    KN_TRY(note_values(p));
    return knc_drop_copies(p);
}
