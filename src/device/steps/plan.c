/* SPDX-License-Identifier: Apache-2.0
 * plan.c -- which copies the steps of a program need that run partly on a device and partly on the host. Operands and
 * outputs are buffers, which know where they are; of the workspace the plan follows which bytes are valid where. */
#include "device/steps/steps.h"
#include <string.h>

enum { DEVICE, HOST };

typedef struct span {
    size_t begin, end;
} span;
typedef KN_VEC(span) span_list; /* sorted, apart from each other */

typedef struct planner {
    knd_steps_loaded *l;
    const knc_program *p;
    span_list valid[2];
    bool *begun; /* per output: something was written there */
    KN_VEC(knd_action) action;
} planner;

static bool add(planner *p, knd_action a) { return KN_VEC_PUSH(&p->action, a); }

/* Takes [begin, end) out of the list. */
static bool take_out(span_list *l, size_t begin, size_t end)
{
    span_list rest = {0};
    for (size_t i = 0; i < l->n; i++) {
        span s = l->at[i];
        if (s.begin < begin && !KN_VEC_PUSH(&rest, ((span){s.begin, s.end < begin ? s.end : begin})))
            return false;
        if (s.end > end && !KN_VEC_PUSH(&rest, ((span){s.begin > end ? s.begin : end, s.end})))
            return false;
    }
    KN_VEC_FREE(l);
    *l = rest;
    return true;
}

static bool put_in(span_list *l, size_t begin, size_t end)
{
    if (begin == end)
        return true;
    if (!take_out(l, begin, end) || !KN_VEC_RESERVE(l, 1))
        return false;
    size_t i = l->n++;
    for (; i && l->at[i - 1].begin > begin; i--)
        l->at[i] = l->at[i - 1];
    l->at[i] = (span){begin, end};
    return true;
}

/* What is valid on the other side only, of these bytes, comes over. */
static bool bring(planner *p, int side, size_t begin, size_t end)
{
    const span_list *there = &p->valid[!side];
    for (size_t i = 0; i < there->n; i++) {
        size_t at = there->at[i].begin > begin ? there->at[i].begin : begin;
        size_t stop = there->at[i].end < end ? there->at[i].end : end;
        for (size_t k = 0; k <= p->valid[side].n && at < stop; k++) {
            span here = k < p->valid[side].n ? p->valid[side].at[k] : (span){stop, stop};
            size_t gap = here.begin < stop ? here.begin : stop;
            if (gap > at &&
                !add(p, (knd_action){.act = side == DEVICE ? KND_TO_DEVICE : KND_TO_HOST, .at = at, .bytes = gap - at}))
                return false;
            at = here.end > at ? here.end : at;
        }
    }
    for (size_t i = 0; i < there->n; i++) {
        size_t at = there->at[i].begin > begin ? there->at[i].begin : begin;
        size_t stop = there->at[i].end < end ? there->at[i].end : end;
        if (at < stop && !put_in(&p->valid[side], at, stop))
            return false;
    }
    return true;
}

/* The operand or output that a reference lies in. An output over a donated operand is one of its own: of a whole
 * program both have one buffer; of a program inside of a loop it may be another carry's place. */
static knd_action buffer_of(const planner *p, const knc_ref *ref, knd_act act)
{
    const knc_output *o = ref->space == KNC_AT_OUTPUT ? &p->p->output[ref->index] : NULL;
    while (o && o->kind == KNC_OUT_SAME)
        o = &p->p->output[o->index];
    bool output = o && o->kind != KNC_OUT_OPERAND;
    return (knd_action){.act = (uint8_t)act,
                        .output = output,
                        .number = !o       ? ref->index
                                  : output ? (uint32_t)(o - p->p->output)
                                           : o->index};
}

/* Is this reference memory that a routine only works in? */
static bool is_scratch(const knc_step *s, uint32_t r)
{
    return (s->kind == KNC_ROUTINE || s->kind == KNC_LOOP || s->kind == KNC_BRANCH) && r >= s->u.r.n_in + s->u.r.n_out;
}

/* What the host needs of a buffer that it writes to. */
static knd_act act_to_write(const planner *p, const knc_ref *ref)
{
    knd_action a = buffer_of(p, ref, KND_FETCH_WRITE);
    bool own = a.output && p->p->output[a.number].kind == KNC_OUT_NEW;
    return own && !p->begun[a.number] ? KND_BEGIN : KND_FETCH_WRITE;
}

static bool covers(const span_list *l, size_t begin, size_t end)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].begin <= begin && l->at[i].end >= end)
            return true;
    return false;
}

static bool by_value(const planner *p, const knc_step *s, uint32_t r)
{
    const knd_device *d = p->l->head.device;
    return d->by_value && d->by_value(d, s, r);
}

/* What is here alone goes by value, if the device takes it so. */
static bool bring_value(planner *p, const knc_step *s, uint32_t r)
{
    const knc_ref *ref = &s->ref[r];
    size_t end = ref->first + ref->bytes;
    bool here = covers(&p->valid[HOST], ref->first, end) && !covers(&p->valid[DEVICE], ref->first, end);
    if (here && by_value(p, s, r))
        return add(p, (knd_action){.act = KND_BY_VALUE, .number = r});
    return bring(p, DEVICE, ref->first, end);
}

static bool before(planner *p, const knc_step *s, int side)
{
    for (uint32_t r = 0; r < s->n_ref; r++) {
        const knc_ref *ref = &s->ref[r];
        bool written = knc_is_written(s, r), fine = true;
        int to = knd_wants_here(s, r) ? HOST : side;
        if (ref->space == KNC_AT_WORK)
            fine = is_scratch(s, r) ||
                   (to == DEVICE ? bring_value(p, s, r) : bring(p, to, ref->first, ref->first + ref->bytes));
        else if (ref->space == KNC_AT_OPERAND && to == DEVICE && by_value(p, s, r))
            continue; /* it is sent when the step begins, if at all */
        else if (ref->space == KNC_AT_OPERAND || ref->space == KNC_AT_OUTPUT)
            fine = add(p, buffer_of(p, ref, to == DEVICE ? KND_SEND : written ? act_to_write(p, ref) : KND_FETCH));
        if (!fine)
            return false;
    }
    return true;
}

static bool after(planner *p, const knc_step *s, int side)
{
    for (uint32_t r = 0; r < s->n_ref; r++) {
        const knc_ref *ref = &s->ref[r];
        bool fine = true;
        if (!knc_is_written(s, r))
            continue;
        if (ref->space == KNC_AT_OUTPUT) {
            knd_action a = buffer_of(p, ref, KND_WRITTEN);
            if (a.output)
                p->begun[a.number] = true;
        }
        if (ref->space == KNC_AT_WORK)
            fine = put_in(&p->valid[side], ref->first, ref->first + ref->bytes) &&
                   take_out(&p->valid[!side], ref->first, ref->first + ref->bytes);
        else if (ref->space != KNC_AT_LITERAL && side == DEVICE)
            fine = add(p, buffer_of(p, ref, KND_WRITTEN));
        if (!fine)
            return false;
    }
    return true;
}

knx_error *knd_steps_plan(knd_steps_loaded *l)
{
    planner p = {.l = l, .p = l->head.program};
    p.begun = knx_alloc_zero(p.p->n_output + 1);
    bool fine = p.begun != NULL;
    for (uint32_t i = 0; fine && i < p.p->n_step; i++) {
        const knc_step *s = &p.p->step[i];
        int side = knd_is_there(l, i) ? DEVICE : HOST;
        fine = before(&p, s, side) && add(&p, (knd_action){.act = KND_STEP, .number = i}) && after(&p, s, side);
    }
    knd_action *action = fine ? knx_arena_alloc(&l->arena, (p.action.n + 1) * sizeof *action) : NULL;
    if (action && p.action.n)
        memcpy(action, p.action.at, p.action.n * sizeof *action);
    l->action = action;
    l->n_action = (uint32_t)p.action.n;
    knx_free(p.begun);
    KN_VEC_FREE(&p.action);
    KN_VEC_FREE(&p.valid[0]);
    KN_VEC_FREE(&p.valid[1]);
    return l->action ? NULL : knx_error_nomem();
}
