/* SPDX-License-Identifier: Apache-2.0
 * run.c -- a run of a program: its operands are taken, wherever they are, its outputs and its memory are made. */
#include "base/float_env.h"
#include "device/steps/frame.h"
#include <string.h>

typedef knd_frame running;

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
        knd_given *g = &r->given[i];
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
        KN_TRY(knd_alloc(r->d, r->p->workspace, &r->work));
    uint64_t bytes = knd_frame_bytes(r->l, r->o->threads);
    if (!bytes)
        return NULL;
    r->work_here = knx_buffer_new(bytes);
    if (!r->work_here)
        return knx_error_nomem_for(bytes, 0, NULL, NULL);
    knd_frame_use(r, r->work_here->data);
    r->host.in = r->in;
    r->host.out = r->out;
    return NULL;
}

/* Runs that the operands' contents depend on: if one is known to have failed, so has this one. */
static knx_error *find_doubt(const running *r, const knd_operand *in, knd_doubt *out)
{
    for (uint32_t i = 0; i < r->p->n_operand; i++)
        if (in[i].buffer)
            knd_add_doubt(r->d, out, knd_doubt_of(r->d, in[i].buffer));
    return knd_failed(r->d, out);
}

static void leave_doubt(const running *r, const knd_doubt *doubt)
{
    for (uint32_t k = 0; doubt->last && k < r->p->n_output; k++)
        if (r->p->output[k].kind != KNC_OUT_OPERAND)
            knd_set_doubt(r->out[k], doubt);
}

static knx_error *run_actions(running *r, const knd_operand *in)
{
    KN_TRY(take_operands(r, in));
    KN_TRY(make_outputs(r));
    KN_TRY(make_workspace(r));
    unsigned env = knx_float_enter();
    knx_error *error = knd_frame_run(r);
    knx_float_leave(env);
    return error;
}

/* A run with steps that can fail has a number, and what it makes is in doubt until somebody looks. */
static knx_error *run_in_doubt(running *r, const knd_operand *in)
{
    knd_doubt doubt = {0};
    uint64_t number, outer;
    KN_TRY(find_doubt(r, in, &doubt));
    r->doubt = &doubt;
    if (r->l->any_check) {
        KN_TRY(r->d->begin_checks(r->d, &number, &outer));
        knd_doubt_run(r->d, &doubt, number);
    }
    knx_error *error = run_actions(r, in);
    if (r->l->any_check)
        r->d->end_checks(r->d, outer);
    r->doubt = NULL;
    if (!error)
        leave_doubt(r, &doubt);
    return error;
}

static void give_back(running *r)
{
    for (uint32_t i = 0; i < r->p->n_operand; i++) {
        knx_buffer_release(r->given[i].own);
        knd_free(r->d, r->given[i].memory, bytes_of(r, i));
    }
    knd_free(r->d, r->work, r->p->workspace);
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
    knx_error *error = NULL;
    knd_lock();
    if (r.given && r.in && knd_frame_rooms(&r, &arena)) {
        error = run_in_doubt(&r, in);
        give_back(&r);
    } else {
        error = knx_error_nomem();
    }
    knd_unlock();
    knx_arena_free(&arena);
    return error;
}
