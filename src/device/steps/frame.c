/* SPDX-License-Identifier: Apache-2.0
 * frame.c -- the actions of a program's plan in order: values go where the next step wants them, and the step runs on
 * the device or on the host. */
#include "base/context.h"
#include "base/poll.h"
#include "device/steps/frame.h"
#include <string.h>

/* ---- Values of programs inside of steps. */

knx_error *knd_spot_send(const knd_device *d, knd_spot *s)
{
    if (!s->has && s->held && s->bytes)
        KN_TRY(knd_copy_in(d, s->there.memory, s->there.offset, s->here, s->bytes));
    s->has = true;
    return NULL;
}

knx_error *knd_spot_fetch(const knd_device *d, knd_spot *s)
{
    if (!s->held && s->has && s->bytes)
        KN_TRY(knd_copy_out(d, s->here, s->there.memory, s->there.offset, s->bytes));
    s->held = true;
    return NULL;
}

/* What is here alone stays here alone. */
knx_error *knd_spot_copy(const knd_device *d, knd_spot *to, knd_spot *from)
{
    if (to == from)
        return NULL;
    to->has = from->has;
    to->held = !from->has && from->held;
    if (to->held && to->bytes)
        memcpy(to->here, from->here, to->bytes);
    bool same = to->there.memory == from->there.memory && to->there.offset == from->there.offset;
    if (!to->has || same || !to->bytes)
        return NULL;
    return knd_copy_there(d, to->there.memory, to->there.offset, from->there.memory, from->there.offset, to->bytes);
}

static knx_error *act_on_spot(const knd_frame *f, knd_act act, knd_spot *s)
{
    switch (act) {
    case KND_SEND: return knd_spot_send(f->d, s);
    case KND_FETCH: return knd_spot_fetch(f->d, s);
    case KND_FETCH_WRITE: KN_TRY(knd_spot_fetch(f->d, s)); break;
    case KND_BEGIN: s->held = true; break;
    default: s->has = true, s->held = false; return NULL; /* KND_WRITTEN */
    }
    s->has = false;
    return NULL;
}

/* ---- Values of a whole program. */

/* An operand on the device, wherever it came from. */
static knx_error *send_operand(knd_frame *r, uint32_t i, knd_memory **out)
{
    knd_given *g = &r->given[i];
    const knd_operand *x = &r->in[i];
    knd_memory *own = NULL;
    if (g->buffer)
        return knd_send(r->d, g->buffer, true, out, &own);
    if (g->memory) {
        *out = g->memory;
        return NULL;
    }
    if (x->buffer && !x->offset) {
        KN_TRY(knd_send(r->d, x->buffer, false, out, &own));
        g->memory = own;
        return NULL;
    }
    if (x->buffer)
        KN_TRY(knd_fetch(x->buffer));
    KN_TRY(knd_alloc(r->d, kni_type_bytes(r->p->operand_type[i]), &g->memory));
    *out = g->memory;
    return knd_copy_in(r->d, g->memory, 0, knd_operand_data(x), kni_type_bytes(r->p->operand_type[i]));
}

static knx_error *act_on_buffer(knd_frame *f, const knd_action *a)
{
    knd_memory *there, *own = NULL;
    knx_buffer *b = a->output                    ? f->out[a->number]
                    : f->given[a->number].buffer ? f->given[a->number].buffer
                                                 : f->in[a->number].buffer;
    switch ((knd_act)a->act) {
    case KND_SEND: return a->output ? knd_send(f->d, b, true, &there, &own) : send_operand(f, a->number, &there);
    case KND_FETCH: return b ? knd_fetch(b) : NULL;
    case KND_FETCH_WRITE: return knd_fetch_to_write(b);
    case KND_BEGIN: return knd_begin_here(b);
    default: knd_written(b); return NULL; /* KND_WRITTEN */
    }
}

/* ---- Memory. */

uint64_t knd_frame_bytes(const knd_steps_loaded *l, int threads)
{
    if (l->host)
        return knx_whole_lines(knd_workspace_bytes(l->host, knd_threads(l->host, threads)) + 1);
    return l->looks ? knx_whole_lines(l->head.program->workspace) : 0;
}

void knd_frame_use(knd_frame *f, char *memory)
{
    f->mirror = memory;
    if (!f->l->host)
        return;
    const knd_host_loaded *h = knd_host_of(f->l->host);
    char *room = memory + knd_values_bytes(h);
    f->host = (knd_one_run){.l = h,
                            .p = f->p,
                            .work = memory,
                            .room = room,
                            .scratch = room + h->room,
                            .threads = knd_threads(f->l->host, f->o->threads),
                            .on_step = f->o->on_step,
                            .on_step_env = f->o->on_step_env};
}

bool knd_frame_rooms(knd_frame *f, knx_arena *arena)
{
    f->at = knx_arena_alloc(arena, (f->p->max_ref + 1) * sizeof *f->at);
    f->place = knx_arena_zero(arena, (f->p->max_ref + 1) * sizeof *f->place);
    f->mirrored = knx_arena_zero(arena, f->p->max_ref + 1);
    return f->at && f->place && f->mirrored;
}

/* ---- Steps. */

/* Literals are memory of the device for loops and branches only, which hand them on. */
static void place_literal(const knd_frame *f, uint32_t i, bool handed_on, knd_place *out)
{
    if (handed_on) {
        out->memory = f->l->literals;
        out->offset += i * f->d->target(f->d)->alignment;
    } else {
        out->bits = &f->p->jaxpr->literal[i].bits;
    }
}

/* The contents of an operand or of a part of the workspace that need not be on the device; NULL: they are there, or
 * have to be. */
static const void *value_here(knd_frame *f, const knc_step *s, uint32_t r)
{
    const knc_ref *ref = &s->ref[r];
    if (ref->space == KNC_AT_WORK && f->mirrored[r]) {
        f->mirrored[r] = false;
        return f->mirror + ref->offset;
    }
    if (ref->space != KNC_AT_OPERAND || !f->d->by_value || !f->d->by_value(f->d, s, r))
        return NULL;
    if (!f->given) {
        const knd_spot *x = f->x[ref->index];
        return x->held && !x->has ? x->here + ref->offset : NULL;
    }
    const knd_operand *x = &f->in[ref->index];
    if (x->buffer && (!x->buffer->data || knd_is_on(f->d, x->buffer)))
        return NULL;
    return f->given[ref->index].memory ? NULL : (const char *)knd_operand_data(x) + ref->offset;
}

/* What a reference is on the device: its contents are there by an action before, or come now. */
static knx_error *find_place(knd_frame *f, const knc_step *s, uint32_t r, bool handed_on, knd_place *out)
{
    const knc_ref *ref = &s->ref[r];
    knd_memory *own = NULL;
    const knd_spot *spot = NULL;
    if (!handed_on && (out->bits = value_here(f, s, r))) {
        *out = (knd_place){.bits = out->bits};
        return NULL;
    }
    *out = (knd_place){.offset = ref->offset};
    switch ((knc_space)ref->space) {
    case KNC_AT_OPERAND:
        if (f->given)
            return send_operand(f, ref->index, &out->memory);
        KN_TRY(knd_spot_send(f->d, f->x[ref->index]));
        spot = f->x[ref->index];
        break;
    case KNC_AT_OUTPUT:
        if (f->given)
            return knd_send(f->d, f->out[ref->index], true, &out->memory, &own);
        spot = f->y[ref->index];
        break;
    case KNC_AT_WORK:
        out->memory = f->work;
        out->offset += f->work_at;
        break;
    case KNC_AT_LITERAL: place_literal(f, ref->index, handed_on, out); break;
    case KNC_NOWHERE:
    case KNC_AT_BLOCK: break;
    }
    if (spot) {
        out->memory = spot->there.memory;
        out->offset += spot->there.offset;
    }
    return NULL;
}

static knx_error *name_check(const knd_frame *f, const kn_place *place)
{
    const char *operation = knx_context() ? knx_context()->operation : "";
    if (f->o->whose)
        f->o->whose(f->o->whose_env, &place, &operation);
    return f->d->name_check(f->d, place, operation);
}

static knx_error *run_there(knd_frame *f, uint32_t i)
{
    const knc_step *s = &f->p->step[i];
    bool inside = f->l->inside[i] != NULL;
    if (f->l->checks[i])
        KN_TRY(name_check(f, f->p->jaxpr->eqn[s->eqn].place));
    for (uint32_t k = 0; k < s->n_ref; k++)
        if (!knd_wants_here(s, k))
            KN_TRY(find_place(f, s, k, inside, &f->place[k]));
    knx_error *error = inside ? knd_run_inside(f, i) : knd_launch(f->d, f->l->prepared[i], f->place);
    return s->eqn < f->p->jaxpr->n_eqn ? knx_error_placed(error, f->p->jaxpr->eqn[s->eqn].place) : error;
}

typedef struct told {
    knd_frame *f;
    uint32_t i;
} told;

static knx_error *run_told(void *env)
{
    const told *t = env;
    return knd_is_there(t->f->l, t->i) ? run_there(t->f, t->i) : knd_run_step(&t->f->host, t->i, t->f->at);
}

static knx_error *run_step(knd_frame *f, uint32_t i)
{
    told t = {f, i};
    KN_TRY(knx_poll());
    if (!f->o->on_step)
        return run_told(&t);
    int support = knd_is_there(f->l, i) ? KN_SUPPORT_NATIVE : knd_step_support(f->l->host, i);
    return knd_tell_step(knd_is_there(f->l, i) ? f->d : &knd_host, f->p, i, support, f->o->on_step, f->o->on_step_env,
                         run_told, &t);
}

static knx_error *act(knd_frame *f, const knd_action *a)
{
    switch ((knd_act)a->act) {
    case KND_TO_DEVICE: return knd_copy_in(f->d, f->work, f->work_at + a->at, f->mirror + a->at, a->bytes);
    case KND_TO_HOST:
        KN_TRY(knd_copy_out(f->d, f->mirror + a->at, f->work, f->work_at + a->at, a->bytes));
        return knd_frame_failed(f);
    case KND_BY_VALUE: f->mirrored[a->number] = true; return NULL;
    case KND_STEP: return run_step(f, a->number);
    default: break;
    }
    if (f->given)
        KN_TRY(act_on_buffer(f, a));
    else
        KN_TRY(act_on_spot(f, (knd_act)a->act, a->output ? f->y[a->number] : f->x[a->number]));
    return a->act == KND_FETCH || a->act == KND_FETCH_WRITE ? knd_frame_failed(f) : NULL;
}

knx_error *knd_frame_run(knd_frame *f)
{
    for (uint32_t i = 0; i < f->l->n_action; i++)
        KN_TRY(act(f, &f->l->action[i]));
    return NULL;
}
