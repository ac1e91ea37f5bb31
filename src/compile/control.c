/* SPDX-License-Identifier: Apache-2.0
 * control.c -- steps of control flow: the jaxprs of a loop are compiled to programs of their own, and their memory is
 * laid out in the workspace of the step, so that the loop runs without asking for memory. */
#include "compile/plan.h"

enum { ALIGN = 64 };

static size_t aligned(size_t n) { return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1); }

static size_t take(knc_loop *l, size_t bytes)
{
    size_t at = l->workspace;
    l->workspace += aligned(bytes);
    return at;
}

/* Does the body leave this carry where it is: not changed, or written over? */
static bool stays_in_place(const knc_loop *l, uint32_t carry)
{
    const knc_output *o = &l->body->output[carry];
    return (o->kind == KNC_OUT_OPERAND || o->kind == KNC_OUT_DONATED) && o->index == l->n_body + carry;
}

static kn_error *lay_out(const knc_plan *p, knc_loop *l)
{
    kn_arena *a = &p->p->arena;
    size_t *bytes = knx_arena_alloc(a, (l->n + 1) * sizeof *bytes);
    size_t *second = knx_arena_alloc(a, (l->n + 1) * sizeof *second);
    if (!bytes || !second)
        return knx_error_nomem();
    l->cond_in = take(l, ((size_t)l->n_cond + l->n) * sizeof(kn_operand));
    l->body_in = take(l, ((size_t)l->n_body + l->n) * sizeof(kn_operand));
    l->to = take(l, l->n * sizeof(void *));
    l->spare = take(l, l->n * sizeof(void *));
    l->go = take(l, sizeof(bool));
    for (uint32_t i = 0; i < l->n; i++) {
        bytes[i] = kni_type_bytes(kni_in_type(l->body->jaxpr, l->n_body + i));
        second[i] = stays_in_place(l, i) ? KNC_IN_PLACE : take(l, bytes[i]);
    }
    l->work = take(l, l->cond->workspace > l->body->workspace ? l->cond->workspace : l->body->workspace);
    l->bytes = bytes;
    l->second = second;
    return NULL;
}

/* A carry belongs to the loop, so the body may write over it; constants do not. */
static kn_error *compile_parts(const knc_plan *p, const kn_p_while *params, knc_loop *l)
{
    kn_compile_options o = {.kernels = p->o->kernels, .fuse = p->o->fuse, .bands = p->o->bands};
    KN_TRY(knc_compile(params->cond_jaxpr, &o, &l->cond));
    bool *donated = knx_alloc_zero((size_t)l->n_body + l->n + 1);
    if (!donated)
        return knx_error_nomem();
    for (uint32_t i = 0; i < l->n; i++)
        donated[l->n_body + i] = true;
    o.donated = donated;
    kn_error *error = knc_compile(params->body_jaxpr, &o, &l->body);
    knx_free(donated);
    return error;
}

kn_error *knc_make_loop(const knc_plan *p, const kn_eqn *e, const knc_loop **out)
{
    const kn_p_while *params = e->params;
    knc_loop *l = knx_arena_zero(&p->p->arena, sizeof *l);
    if (!l)
        return knx_error_nomem();
    l->n_cond = (uint32_t)params->cond_nconsts;
    l->n_body = (uint32_t)params->body_nconsts;
    l->n = e->n_out;
    l->path = KN_PATH_STEPWISE;
    l->length = KNC_NO_LENGTH;
    kn_error *error = compile_parts(p, params, l);
    if (!error)
        error = lay_out(p, l);
    if (error) {
        knc_release(l->cond);
        knc_release(l->body);
        return error;
    }
    *out = l;
    return NULL;
}

void knc_drop_step(const knc_step *s)
{
    for (uint32_t i = 0; s->kind == KNC_BAND && i < s->u.band->n_step; i++)
        knc_drop_step(&s->u.band->step[i].step);
    if (s->kind == KNC_KERNEL) {
        knk_release(s->u.k.kernel);
    } else if (s->kind == KNC_PRODUCT) {
        const knc_attached *all[] = {s->u.p.fill_a, s->u.p.fill_b, s->u.p.finish};
        for (int i = 0; i < 3; i++)
            knk_release(all[i] ? all[i]->kernel : NULL);
    } else if (s->kind == KNC_LOOP) {
        knc_release(s->u.r.loop->cond);
        knc_release(s->u.r.loop->body);
    }
}
