/* SPDX-License-Identifier: Apache-2.0
 * control_make.c -- the jaxprs of a loop or a branch are compiled to programs of their own, and all memory that these
 * need is laid out in the workspace of the step, so that the step allocates nothing while it runs. */
#include "compile/loops/control.h"

static knx_bytes take(knx_bytes *workspace, knx_bytes bytes, knx_bytes unit)
{
    knx_bytes at = *workspace;
    *workspace += (bytes + unit - 1) & ~(unit - 1);
    return at;
}

static knx_error *compile(const knc_plan *p, const kni_jaxpr *j, const bool *donated, const knc_loop *l,
                          knc_program **out)
{
    const knc_compile_options o = {.target = p->o->target,
                                   .kernels = p->o->kernels,
                                   .fuse = p->o->fuse,
                                   .donated = donated,
                                   .first_carry = l ? l->n_body : 0,
                                   .n_carry = l ? l->n : 0,
                                   .bands = p->o->bands,
                                   .max_buffers = p->o->max_buffers,
                                   .quiet = p->o->quiet};
    return knc_compile(j, &o, out);
}

/* A carry belongs to the loop, so the body may write over it; constants and inputs do not. */
static knx_error *compile_body(const knc_plan *p, const kni_jaxpr *j, knc_loop *l)
{
    bool *donated = knx_alloc_zero((size_t)l->n_body + l->n + l->n_x + 1);
    if (!donated)
        return knx_error_nomem();
    for (uint32_t i = 0; i < l->n; i++)
        donated[l->n_body + i] = true;
    knx_error *error = compile(p, j, donated, l, &l->body);
    knx_free(donated);
    return error;
}

/* ---- Loops. */

/* Does the body leave this carry where it lies: unchanged, or updated in place? */
static bool stays_in_place(const knc_loop *l, uint32_t carry)
{
    const knc_output *o = &l->body->output[carry];
    return (o->kind == KNC_OUT_OPERAND || o->kind == KNC_OUT_DONATED) && o->index == l->n_body + carry;
}

static knx_error *note_bytes(const knc_plan *p, knc_loop *l)
{
    knx_arena *a = &p->p->arena;
    knx_bytes *bytes = knx_arena_alloc(a, ((size_t)l->n + l->n_x + l->n_y + 1) * sizeof *bytes);
    knx_bytes *second = knx_arena_alloc(a, ((size_t)l->n + 1) * sizeof *second);
    if (!bytes || !second)
        return knx_error_nomem();
    for (uint32_t i = 0; i < l->n + l->n_x; i++)
        bytes[i] = kni_type_bytes(kni_in_type(l->body->jaxpr, l->n_body + i));
    for (uint32_t i = 0; i < l->n_y; i++)
        bytes[l->n + l->n_x + i] = kni_type_bytes(kni_out_type(l->body->jaxpr, l->n + i));
    for (uint32_t i = 0; i < l->n; i++)
        second[i] = stays_in_place(l, i) ? KNC_IN_PLACE : 0;
    l->bytes = bytes;
    l->second = second;
    return NULL;
}

void knc_lay_out_loop(knc_loop *l, knx_bytes *second, knx_bytes unit)
{
    l->places = 1;
    l->workspace = 0;
    l->second = second;
    for (uint32_t i = 0; i < l->n; i++)
        if (second[i] != KNC_IN_PLACE) {
            second[i] = take(&l->workspace, l->bytes[i], unit);
            l->places = 2;
        }
    l->go = take(&l->workspace, l->cond ? sizeof(bool) : 0, unit);
    knx_bytes cond = l->cond ? l->cond->workspace : 0, body = l->body->workspace;
    l->work = take(&l->workspace, cond > body ? cond : body, unit);
}

static knx_error *lay_out(const knc_plan *p, knc_loop *l)
{
    KN_TRY(note_bytes(p, l));
    if (p->symbolic)
        l->workspace = 1; /* some: how much shows when the variables have numbers */
    else
        knc_lay_out_loop(l, (knx_bytes *)(uintptr_t)l->second, p->o->target->alignment);
    return NULL;
}

knx_error *knc_make_while(const knc_plan *p, const kni_eqn *e, uint8_t path, knc_loop *l)
{
    const kni_p_while *params = e->params;
    l->path = path;
    l->n_cond = (uint32_t)params->cond_nconsts;
    l->n_body = (uint32_t)params->body_nconsts;
    l->n = e->n_out;
    l->length = params->max_steps > 0 ? params->max_steps : KNC_NO_LENGTH;
    KN_TRY(compile(p, params->cond_jaxpr, NULL, NULL, &l->cond));
    KN_TRY(compile_body(p, params->body_jaxpr, l));
    return lay_out(p, l);
}

knx_error *knc_make_scan(const knc_plan *p, const kni_eqn *e, uint8_t path, knc_loop *l)
{
    const kni_p_scan *params = e->params;
    l->path = path;
    l->n_body = (uint32_t)params->num_consts;
    l->n = (uint32_t)params->num_carry;
    l->n_x = e->n_in - l->n_body - l->n;
    l->n_y = e->n_out - l->n;
    l->length = params->length;
    l->reverse = params->reverse;
    l->on_step = params->on_step;
    KN_TRY(compile_body(p, params->jaxpr, l));
    return lay_out(p, l);
}

/* ---- Branches. */

knx_error *knc_make_branch(const knc_plan *p, const kni_eqn *e, knc_branch *b)
{
    const kni_p_cond *params = e->params;
    knc_program **program = knx_arena_zero(&p->p->arena, ((size_t)params->branches.n + 1) * sizeof *program);
    knx_bytes most = 0;
    if (!program)
        return knx_error_nomem();
    b->program = program;
    for (int i = 0; i < params->branches.n; i++) {
        KN_TRY(compile(p, params->branches.v[i], NULL, NULL, &program[i]));
        b->n++;
        most = program[i]->workspace > most ? program[i]->workspace : most;
    }
    b->workspace = p->symbolic ? 1 : knc_in_units(p, most);
    return NULL;
}
