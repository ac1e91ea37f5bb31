/* SPDX-License-Identifier: Apache-2.0
 * execute.c -- runs the steps of a program in order. It allocates the outputs and, if it has to, the workspace;
 * nothing else. */
#include "runtime/execute.h"
#include "compile/step.h"
#include "runtime/float_env.h"
#include <string.h>

typedef struct run {
    const kn_program *p;
    const kn_operand *in;
    kn_buffer **out;
    char *work;
} run;

static bool holds(const kn_operand *x, size_t bytes)
{
    return x->buffer && x->data == x->buffer->data && x->buffer->bytes >= bytes;
}

static kn_buffer *copy_of(const void *data, size_t bytes)
{
    kn_buffer *b = knx_buffer_new(bytes);
    if (b && bytes)
        memcpy(b->data, data, bytes);
    return b;
}

static bool make_outputs(const run *r)
{
    const kn_program *p = r->p;
    for (uint32_t k = 0; k < p->n_output; k++) {
        const knc_output *o = &p->output[k];
        const kn_operand *x = &r->in[o->index];
        switch ((knc_output_kind)o->kind) {
        case KNC_OUT_NEW: r->out[k] = knx_buffer_new(o->bytes); break;
        case KNC_OUT_OPERAND:
            r->out[k] = holds(x, o->bytes) ? knx_buffer_retain(x->buffer) : copy_of(x->data, o->bytes);
            break;
        case KNC_OUT_SAME: r->out[k] = knx_buffer_retain(r->out[o->index]); break;
        case KNC_OUT_DONATED:
            r->out[k] = holds(x, o->bytes) ? knx_buffer_retain(x->buffer) : knx_buffer_new(o->bytes);
            break;
        }
        if (!r->out[k])
            return false;
    }
    return true;
}

static inline void *address(const run *r, const knc_ref *ref)
{
    switch ((knc_space)ref->space) {
    case KNC_AT_OPERAND: return (char *)(uintptr_t)r->in[ref->index].data + ref->offset;
    case KNC_AT_OUTPUT: return (char *)r->out[ref->index]->data + ref->offset;
    case KNC_AT_WORK: return r->work + ref->offset;
    case KNC_AT_LITERAL: break;
    }
    return (char *)(uintptr_t)&r->p->jaxpr->literal[ref->index].bits;
}

static kn_error *run_routine(const run *r, const knc_step *s, void **at)
{
    const kn_eqn *e = &r->p->jaxpr->eqn[s->eqn];
    uint32_t n = s->u.r.n_in + s->u.r.n_out;
    const kn_routine_args args = {.params = e->params,
                                  .n_in = (int)s->u.r.n_in,
                                  .n_out = (int)s->u.r.n_out,
                                  .xt = s->u.r.xt,
                                  .yt = s->u.r.yt,
                                  .x = (const void *const *)at,
                                  .y = at + s->u.r.n_in,
                                  .workspace = s->n_ref > n ? at[n] : NULL};
    kn_error *error = e->prim->run(&args);
    if (error && !error->place &&
        atomic_load_explicit(&error->refs, memory_order_relaxed) >= 0) /* not the shared one */
        error->place = e->place;
    return error;
}

static kn_error *run_step(const run *r, const knc_step *s, void **at)
{
    for (uint32_t i = 0; i < s->n_ref; i++)
        at[i] = address(r, &s->ref[i]);
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL:
        knk_interpret(s->u.k.kernel,
                      &(knk_launch){.buffer = at, .map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner},
                      r->work);
        break;
    case KNC_ROUTINE: return run_routine(r, s, at);
    case KNC_COPY: memcpy(at[0], at[1], s->u.bytes); break;
    }
    return NULL;
}

static kn_error *run_steps(const run *r)
{
    const kn_program *p = r->p;
    void *few[KNC_FEW_REFS], **at = p->max_ref > KNC_FEW_REFS ? (void **)(r->work + p->addresses_at) : few;
    for (uint32_t i = 0; i < p->n_step; i++)
        KN_TRY(run_step(r, &p->step[i], at));
    return NULL;
}

kn_error *knd_run(const kn_program *p, const kn_operand *in, kn_buffer **out, void *workspace)
{
    run r = {p, in, out, workspace};
    kn_buffer *pooled = NULL;
    for (uint32_t k = 0; k < p->n_output; k++)
        out[k] = NULL;
    if (!workspace && p->workspace) {
        pooled = knx_buffer_new(p->workspace);
        r.work = pooled ? pooled->data : NULL;
    }
    kn_error *error = (p->workspace && !r.work) || !make_outputs(&r) ? knx_error_nomem() : NULL;
    if (!error && p->n_step) {
        unsigned env = knd_float_enter();
        error = run_steps(&r);
        knd_float_leave(env);
    }
    knx_buffer_release(pooled);
    for (uint32_t k = 0; error && k < p->n_output; k++) {
        knx_buffer_release(out[k]);
        out[k] = NULL;
    }
    return error;
}
