/* SPDX-License-Identifier: Apache-2.0
 * run.c -- runs a program whose steps are partly a device's and partly the host's: the actions of the plan in order. */
#include "base/poll.h"
#include "base/float_env.h"
#include "device/host/run.h"
#include "device/steps/steps.h"
#include <string.h>

/* An operand: a buffer that knows where it is, or memory of somebody else, which is only read. */
typedef struct given {
    knx_buffer *buffer; /* that a copy may stay with */
    knx_buffer *own;    /* the same, if it is this run's: a copy of what must not be written over */
    knd_memory *memory; /* on the device, of what nobody may keep; given back at the end */
} given;

typedef struct running {
    const knd_steps_loaded *l;
    const knd_device *d;
    const knc_program *p;
    const knd_options *o;
    given *given;
    knd_operand *in; /* as the host's steps find them */
    knx_buffer **out;
    knd_memory *work;      /* the workspace there */
    knx_buffer *work_here; /* and here, with all that the host needs beside it */
    knd_one_run host;
    void **at;
    knd_place *place;
} running;

static uint64_t bytes_of(const running *r, uint32_t i) { return kni_type_bytes(r->p->operand_type[i]); }

static bool is_written(const knc_program *p, uint32_t i)
{
    bool written = false;
    for (uint32_t k = 0; k < p->n_output + p->n_overwritten; k++)
        written |= knd_written_operand(p, k) == i;
    return written;
}

static knx_error *copy_here(const knd_operand *x, uint64_t bytes, knx_buffer **out)
{
    if (x->buffer)
        KN_TRY(knd_fetch(x->buffer));
    *out = knx_buffer_new(bytes);
    if (!*out)
        return knx_error_nomem_for(bytes, 0, NULL, NULL);
    if (bytes)
        memcpy((*out)->data, knd_operand_data(x), bytes);
    return NULL;
}

static knx_error *take_operands(running *r, const knd_operand *in)
{
    for (uint32_t i = 0; i < r->p->n_operand; i++) {
        given *g = &r->given[i];
        r->in[i] = in[i];
        if (knd_is_whole(&in[i], bytes_of(r, i))) {
            g->buffer = in[i].buffer;
        } else if (is_written(r->p, i)) {
            KN_TRY(copy_here(&in[i], bytes_of(r, i), &g->own));
            g->buffer = g->own;
            r->in[i] = (knd_operand){.buffer = g->own};
        }
    }
    return NULL;
}

/* An operand on the device, wherever it came from. */
static knx_error *send_operand(running *r, uint32_t i, knd_memory **out)
{
    given *g = &r->given[i];
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
    KN_TRY(r->d->alloc(r->d, bytes_of(r, i), &g->memory));
    *out = g->memory;
    return r->d->copy_in(r->d, g->memory, 0, knd_operand_data(x), bytes_of(r, i));
}

static knx_error *make_outputs(running *r)
{
    for (uint32_t k = 0; k < r->p->n_output; k++) {
        const knc_output *o = &r->p->output[k];
        switch ((knc_output_kind)o->kind) {
        case KNC_OUT_NEW: KN_TRY(knd_buffer_new(r->d, o->bytes, &r->out[k])); break;
        case KNC_OUT_OPERAND:
            if (knd_is_whole(&r->in[o->index], o->bytes))
                r->out[k] = knx_buffer_retain(r->in[o->index].buffer);
            else
                KN_TRY(copy_here(&r->in[o->index], o->bytes, &r->out[k]));
            break;
        case KNC_OUT_SAME: r->out[k] = knx_buffer_retain(r->out[o->index]); break;
        case KNC_OUT_DONATED: r->out[k] = knx_buffer_retain(r->given[o->index].buffer); break;
        }
    }
    return NULL;
}

static knx_error *make_workspace(running *r)
{
    if (r->p->workspace)
        KN_TRY(r->d->alloc(r->d, r->p->workspace, &r->work));
    if (!r->l->host)
        return NULL;
    const knd_host_loaded *h = knd_host_of(r->l->host);
    int threads = knd_threads(r->l->host, r->o->threads);
    uint64_t bytes = knd_workspace_bytes(r->l->host, threads);
    r->work_here = knx_buffer_new(bytes);
    if (!r->work_here)
        return knx_error_nomem_for(bytes, 0, NULL, NULL);
    char *work = r->work_here->data, *room = work + knd_values_bytes(h);
    r->host = (knd_one_run){.l = h,
                            .p = r->p,
                            .in = r->in,
                            .out = r->out,
                            .work = work,
                            .room = room,
                            .scratch = room + h->room,
                            .threads = threads,
                            .on_step = r->o->on_step,
                            .on_step_env = r->o->on_step_env};
    return NULL;
}

/* What a reference is on the device: its contents are there by an action before. */
static knx_error *find_place(running *r, const knc_ref *ref, knd_place *out)
{
    knd_memory *own = NULL;
    *out = (knd_place){.offset = ref->offset};
    switch ((knc_space)ref->space) {
    case KNC_AT_OPERAND: return send_operand(r, ref->index, &out->memory);
    case KNC_AT_OUTPUT: return knd_send(r->d, r->out[ref->index], true, &out->memory, &own);
    case KNC_AT_WORK: out->memory = r->work; return NULL;
    case KNC_AT_LITERAL: out->bits = &r->p->jaxpr->literal[ref->index].bits; return NULL;
    case KNC_NOWHERE:
    case KNC_AT_BLOCK: break;
    }
    return NULL;
}

static knx_error *run_there(running *r, uint32_t i)
{
    const knc_step *s = &r->p->step[i];
    for (uint32_t k = 0; k < s->n_ref; k++)
        KN_TRY(find_place(r, &s->ref[k], &r->place[k]));
    knx_error *error = r->d->launch(r->d, r->l->prepared[i], r->place);
    return s->eqn < r->p->jaxpr->n_eqn ? knx_error_placed(error, r->p->jaxpr->eqn[s->eqn].place) : error;
}

typedef struct told {
    running *r;
    uint32_t i;
} told;

static knx_error *run_told(void *env)
{
    const told *t = env;
    return t->r->l->prepared[t->i] ? run_there(t->r, t->i) : knd_run_step(&t->r->host, t->i, t->r->at);
}

static knx_error *run_step(running *r, uint32_t i)
{
    told t = {r, i};
    KN_TRY(knx_poll());
    if (!r->o->on_step)
        return run_told(&t);
    int support = r->l->prepared[i] ? KN_SUPPORT_NATIVE : knd_step_support(r->l->host, i);
    return knd_tell_step(r->p, i, support, r->o->on_step, r->o->on_step_env, run_told, &t);
}

static knx_error *act(running *r, const knd_action *a)
{
    knd_memory *there;
    knx_buffer *b = a->act >= KND_TO_DEVICE      ? NULL
                    : a->output                  ? r->out[a->number]
                    : r->given[a->number].buffer ? r->given[a->number].buffer
                                                 : r->in[a->number].buffer;
    char *here = r->work_here ? (char *)r->work_here->data + a->at : NULL;
    knd_memory *own = NULL;
    switch ((knd_act)a->act) {
    case KND_SEND: return a->output ? knd_send(r->d, b, true, &there, &own) : send_operand(r, a->number, &there);
    case KND_FETCH: return b ? knd_fetch(b) : NULL;
    case KND_FETCH_WRITE: return knd_fetch_to_write(b);
    case KND_BEGIN: return knd_begin_here(b);
    case KND_WRITTEN: knd_written(b); return NULL;
    case KND_TO_DEVICE: return r->d->copy_in(r->d, r->work, a->at, here, a->bytes);
    case KND_TO_HOST: return r->d->copy_out(r->d, here, r->work, a->at, a->bytes);
    case KND_STEP: break;
    }
    return run_step(r, a->number);
}

static knx_error *run_actions(running *r, const knd_operand *in)
{
    KN_TRY(take_operands(r, in));
    KN_TRY(make_outputs(r));
    KN_TRY(make_workspace(r));
    unsigned env = knx_float_enter();
    knx_error *error = NULL;
    for (uint32_t i = 0; !error && i < r->l->n_action; i++)
        error = act(r, &r->l->action[i]);
    knx_float_leave(env);
    return error;
}

static void give_back(running *r)
{
    for (uint32_t i = 0; i < r->p->n_operand; i++) {
        knx_buffer_release(r->given[i].own);
        if (r->given[i].memory)
            r->d->free(r->d, r->given[i].memory);
    }
    if (r->work)
        r->d->free(r->d, r->work);
    knx_buffer_release(r->work_here);
}

knx_error *knd_steps_run(const knd_loaded *loaded, const knd_operand *in, knx_buffer **out, const knd_options *o)
{
    const knd_steps_loaded *l = (const knd_steps_loaded *)loaded;
    const knc_program *p = loaded->program;
    knx_arena arena = KN_ARENA_INIT;
    running r = {.l = l, .d = loaded->device, .p = p, .o = o, .out = out};
    if (o->observer)
        return knx_error_new(KN_ERROR_VALUE, "programs are watched on the host only");
    r.given = knx_arena_zero(&arena, (p->n_operand + 1) * sizeof *r.given);
    r.in = knx_arena_zero(&arena, (p->n_operand + 1) * sizeof *r.in);
    r.at = knx_arena_alloc(&arena, (p->max_ref + 1) * sizeof *r.at);
    r.place = knx_arena_alloc(&arena, (p->max_ref + 1) * sizeof *r.place);
    knx_error *error = NULL;
    knd_lock();
    if (r.given && r.in && r.at && r.place) {
        error = run_actions(&r, in);
        give_back(&r);
    } else {
        error = knx_error_nomem();
    }
    knd_unlock();
    knx_arena_free(&arena);
    return error;
}
