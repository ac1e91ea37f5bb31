/* SPDX-License-Identifier: Apache-2.0
 * execute.c -- runs the steps of a program in order. It allocates the outputs and, if it has to, the workspace;
 * nothing else unless somebody watches. */
#include "base/poll.h"
#include "dist/dist.h"
#include "host/dump.h"
#include "device/host/run.h"
#include "base/float_env.h"
#include <string.h>

typedef knd_one_run run;

static knx_buffer *copy_of(const void *data, uint64_t bytes)
{
    knx_buffer *b = knx_buffer_new(bytes);
    if (b && data && bytes)
        memcpy(b->data, data, bytes);
    return b;
}

/* Operands to be written over that are plain memory: copies in their place. */
static bool own_operands(run *r, knd_operand **mine)
{
    const knc_program *p = r->p;
    for (uint32_t i = 0; i < p->n_overwritten; i++) {
        uint32_t k = p->overwritten[i];
        uint64_t bytes = kni_type_bytes(p->operand_type[k]);
        if (knd_is_whole(&r->in[k], bytes))
            continue;
        if (!*mine) {
            *mine = knx_alloc(p->n_operand * sizeof **mine);
            if (!*mine)
                return false;
            memcpy(*mine, r->in, p->n_operand * sizeof **mine);
            r->in = *mine;
        }
        knx_buffer *b = copy_of(knd_operand_data(&r->in[k]), bytes);
        if (!b)
            return false;
        (*mine)[k] = (knd_operand){.buffer = b};
    }
    return true;
}

static void give_back_operands(const run *r, const knd_operand *in, knd_operand *mine)
{
    for (uint32_t i = 0; mine && i < r->p->n_overwritten; i++) {
        uint32_t k = r->p->overwritten[i];
        if (mine[k].buffer != in[k].buffer)
            knx_buffer_release(mine[k].buffer);
    }
    knx_free(mine);
}

static knx_error *no_memory_for(const knc_program *p, uint32_t k)
{
    kni_type t = knc_output_type(p, (int)k);
    return knx_error_nomem_for(p->output[k].bytes, t.ndim, t.dim, t.dtype->name);
}

static knx_error *make_outputs(const run *r)
{
    const knc_program *p = r->p;
    for (uint32_t k = 0; k < p->n_output; k++) {
        const knc_output *o = &p->output[k];
        const knd_operand *x = &r->in[o->index];
        switch ((knc_output_kind)o->kind) {
        case KNC_OUT_NEW: r->out[k] = knx_buffer_new(o->bytes); break;
        case KNC_OUT_OPERAND:
            r->out[k] =
                knd_is_whole(x, o->bytes) ? knx_buffer_retain(x->buffer) : copy_of(knd_operand_data(x), o->bytes);
            break;
        case KNC_OUT_SAME: r->out[k] = knx_buffer_retain(r->out[o->index]); break;
        case KNC_OUT_DONATED:
            r->out[k] = knd_is_whole(x, o->bytes) ? knx_buffer_retain(x->buffer) : knx_buffer_new(o->bytes);
            break;
        }
        if (!r->out[k])
            return no_memory_for(p, k);
    }
    return NULL;
}

static inline void *address(const run *r, const knc_ref *ref)
{
    switch ((knc_space)ref->space) {
    case KNC_AT_OPERAND: return (char *)(uintptr_t)knd_operand_data(&r->in[ref->index]) + ref->offset;
    case KNC_AT_OUTPUT: return (r->to ? (char *)r->to[ref->index] : (char *)r->out[ref->index]->data) + ref->offset;
    case KNC_AT_WORK: return r->work + ref->offset;
    case KNC_AT_LITERAL: break;
    case KNC_NOWHERE:
    case KNC_AT_BLOCK: return NULL;
    }
    return (char *)(uintptr_t)&r->p->jaxpr->literal[ref->index].bits;
}

void *knd_address(const run *r, const knc_ref *ref) { return address(r, ref); }

static knx_error *run_routine(const run *r, uint32_t i, void **at)
{
    const knc_step *s = &r->p->step[i];
    const kni_rule *rule = &r->l->step[i].routine->rule;
    uint32_t n = s->u.r.n_in + s->u.r.n_out;
    bool shared = rule->prim->bits & KN_THREADS;
    const kni_routine_args args = {.x = (const void *const *)at,
                                   .y = at + s->u.r.n_in,
                                   .workspace = shared         ? r->scratch
                                                : s->n_ref > n ? at[n]
                                                               : NULL,
                                   .threads = shared ? r->threads : 1};
    const kni_prim *p = rule->prim;
    knx_error *error = (s->half == KNC_START ? p->start : s->half == KNC_WAIT ? p->wait : p->run)(rule, &args);
    return knx_error_placed(error, r->p->jaxpr->eqn[s->eqn].place);
}

/* Addresses move there, or back. */
static void shift(const knc_step *s, void **at, bool back)
{
    for (uint32_t i = 0; i < s->u.k.n_shift; i++) {
        const knc_shift *x = &s->u.k.shift[i];
        int64_t bytes = knx_position(x->dtype, at[x->start], x->most) * x->bytes;
        for (int k = 0; k < 2 && x->ref[k] != KNC_NO; k++)
            at[x->ref[k]] = (char *)at[x->ref[k]] + (back ? -bytes : bytes);
    }
}

static KNX_HOT knx_error *run_kernel(const run *r, uint32_t i, void **at)
{
    const knc_step *s = &r->p->step[i];
    const knh_prepared *prepared = r->l->step[i].prepared;
    const knk_launch launch = {.buffer = at, .map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner};
    knh_dump(s->u.k.kernel, &launch);
    knx_error *error = prepared ? knh_run_prepared(prepared, &launch, r->scratch, r->threads)
                                : knk_interpret(s->u.k.kernel, &launch, r->scratch);
    return __builtin_expect(error != NULL, 0) ? knx_error_placed(error, r->p->jaxpr->eqn[s->eqn].place) : NULL;
}

KNX_HOT knx_error *knd_run_step_at(const run *r, uint32_t i, void **at)
{
    const knc_step *s = &r->p->step[i];
    knx_error *error = NULL;
    switch ((knc_step_kind)s->kind) {
    case KNC_KERNEL: return run_kernel(r, i, at);
    case KNC_PUT:
        shift(s, at, false);
        error = run_kernel(r, i, at);
        shift(s, at, true); /* the addresses of a loop are used again */
        break;
    case KNC_ROUTINE: return run_routine(r, i, at);
    case KNC_LOOP: return knx_error_placed(knd_run_loop(r, i, at), r->p->jaxpr->eqn[s->eqn].place);
    case KNC_BRANCH: return knx_error_placed(knd_run_branch(r, i, at), r->p->jaxpr->eqn[s->eqn].place);
    case KNC_PRODUCT: knd_run_product(r, i, at); break;
    case KNC_BAND: return knd_run_band(r, i);
    case KNC_COPY:
        if (at[0] != at[1]) /* of a donated operand: in place after all */
            memcpy(at[0], at[1], s->u.bytes);
        break;
    }
    return error;
}

KNX_HOT knx_error *knd_run_step(const run *r, uint32_t i, void **at)
{
    const knc_step *s = &r->p->step[i];
    KN_KNOWN(at);
    for (uint32_t k = 0; s->kind != KNC_BAND && k < s->n_ref; k++)
        at[k] = address(r, &s->ref[k]);
    return knd_run_step_at(r, i, at);
}

/* What an observer is shown. `saved`: operands in whose place a result is. */
typedef struct view {
    const void **x, **y;
    kni_type *xt;
    knx_buffer **saved;
} view;

static const void *value_at(const run *r, kni_atom a)
{
    const kni_jaxpr *j = r->p->jaxpr;
    return kni_is_literal(a) ? &j->literal[a & ~KN_LITERAL_BIT].bits : knd_address(r, &r->p->value_at[a]);
}

/* Before the step: an update finds its operand where its result will be. */
static knx_error *look_at(const run *r, const kni_eqn *e, view *v)
{
    for (uint32_t k = 0; k < e->n_out; k++)
        v->y[k] = value_at(r, e->out + k);
    for (uint32_t i = 0; i < e->n_in; i++) {
        v->x[i] = e->prim->updates == (int)i + 1 ? v->y[0] : value_at(r, e->in[i]);
        v->xt[i] = kni_atom_type(r->p->jaxpr, e->in[i]);
        size_t bytes = kni_type_bytes(v->xt[i]);
        bool written = false;
        for (uint32_t k = 0; k < e->n_out; k++)
            written |= bytes && v->x[i] == v->y[k];
        if (!written)
            continue;
        v->saved[i] = copy_of(v->x[i], bytes);
        if (!v->saved[i])
            return knx_error_nomem();
        v->x[i] = v->saved[i]->data;
    }
    return NULL;
}

static knx_error *run_observed_step(const run *r, uint32_t number, void **at)
{
    const knc_step *s = &r->p->step[number];
    if (s->kind == KNC_COPY)
        return knd_run_step(r, number, at);
    const kni_eqn *e = &r->p->jaxpr->eqn[s->eqn];
    knx_arena arena = KN_ARENA_INIT;
    view v = {.x = knx_arena_zero(&arena, (e->n_in + 1) * sizeof *v.x),
              .y = knx_arena_zero(&arena, (e->n_out + 1) * sizeof *v.y),
              .xt = knx_arena_zero(&arena, (e->n_in + 1) * sizeof *v.xt),
              .saved = knx_arena_zero(&arena, (e->n_in + 1) * sizeof *v.saved)};
    knx_error *error = v.x && v.y && v.xt && v.saved ? look_at(r, e, &v) : knx_error_nomem();
    if (!error)
        error = knd_run_step(r, number, at);
    if (!error)
        error = knx_error_placed(r->observer->after(r->observer->env, e, (int)e->n_in, v.x, v.xt, (int)e->n_out, v.y,
                                                    &r->p->jaxpr->type[e->out]),
                                 e->place);
    for (uint32_t i = 0; v.saved && i < e->n_in; i++)
        knx_buffer_release(v.saved[i]);
    knx_arena_free(&arena);
    return error;
}

static knx_error *run_any_step(const run *r, uint32_t i, void **at)
{
    return r->observer ? run_observed_step(r, i, at) : knd_run_step(r, i, at);
}

typedef struct any_step {
    const run *r;
    uint32_t i;
    void **at;
} any_step;

static knx_error *run_told_step(void *env)
{
    const any_step *x = env;
    return run_any_step(x->r, x->i, x->at);
}

KNX_HOT knx_error *knd_run_steps(const run *r)
{
    const knc_program *p = r->p;
    void *few[KND_FEW_REFS], **at = p->max_ref > KND_FEW_REFS ? (void **)(void *)r->room : few;
    for (uint32_t i = 0; i < p->n_step; i++) {
        KN_TRY(knx_poll());
        if (__builtin_expect(r->on_step != NULL, 0))
            KN_TRY(knd_tell_step(&knd_host, p, i, knd_step_support(&r->l->head, i), r->on_step, r->on_step_env,
                                 run_told_step, &(any_step){r, i, at}));
        else
            KN_TRY(run_any_step(r, i, at));
        if (__builtin_expect(r->l->starts, 0))
            kndist_progress();
    }
    return NULL;
}

static void copy(void *to, const void *from, size_t bytes)
{
    if (to != from && bytes)
        memcpy(to, from, bytes);
}

knx_error *knd_run_to(const run *r)
{
    const knc_program *p = r->p;
    KN_TRY(knd_run_steps(r));
    for (uint32_t k = 0; k < p->n_output; k++) {
        const knc_output *o = &p->output[k];
        if (o->kind == KNC_OUT_OPERAND)
            copy(r->to[k], knd_operand_data(&r->in[o->index]), o->bytes);
        else if (o->kind == KNC_OUT_SAME)
            copy(r->to[k], r->to[o->index], o->bytes);
    }
    return NULL;
}

/* The memory of a run: values, room, scratch. Values without elements have an address too, where there is nothing. */
static void use_workspace(run *r, void *workspace)
{
    static _Alignas(64) char nothing[64];
    r->work = workspace ? workspace : nothing;
    r->room = r->work + knd_values_bytes(r->l);
    r->scratch = r->room + r->l->room;
}

knx_error *knd_run_into(const knd_loaded *l, const knd_operand *in, void *const *to, void *workspace, int threads)
{
    run r = {.l = knd_host_of(l), .p = l->program, .in = in, .to = to, .threads = knd_threads(l, threads)};
    use_workspace(&r, workspace);
    unsigned env = knx_float_enter();
    uint64_t started = kndist_started();
    knx_error *error = knd_run_to(&r);
    if (__builtin_expect(error != NULL, 0))
        kndist_abandon(started, error);
    knx_float_leave(env);
    return error;
}

bool knd_is_one_kernel(const knd_loaded *l) { return knd_host_of(l)->one_kernel; }

knx_error *knd_run_kernel(const knd_loaded *l, uint32_t n_fixed, const knd_operand *fixed, const void *const *in,
                          void *const *to, void *workspace, int threads)
{
    const knc_step *s = l->program->step;
    void *at[KND_FEW_REFS];
    run r = {.l = knd_host_of(l), .p = l->program, .in = fixed};
    use_workspace(&r, workspace);
    for (uint32_t i = 0; i < s->n_ref; i++) {
        const knc_ref *ref = &s->ref[i];
        if (ref->space == KNC_AT_OUTPUT)
            at[i] = (char *)to[ref->index] + ref->offset;
        else if (ref->space == KNC_AT_OPERAND && ref->index >= n_fixed)
            at[i] = (char *)(uintptr_t)in[ref->index - n_fixed] + ref->offset;
        else
            at[i] = knd_address(&r, ref);
    }
    const knk_launch launch = {.buffer = at, .map = s->u.k.map, .par = s->u.k.par, .inner = s->u.k.inner};
    unsigned env = knx_float_enter();
    knx_error *error = knh_run_prepared(r.l->step->prepared, &launch, r.scratch, threads);
    knx_float_leave(env);
    return __builtin_expect(error != NULL, 0) ? knx_error_placed(error, r.p->jaxpr->eqn[s->eqn].place) : NULL;
}

static knx_error *run_steps_in(run *r, const knd_operand *in)
{
    knd_operand *mine = NULL;
    knx_error *error = own_operands(r, &mine) ? make_outputs(r) : knx_error_nomem();
    if (!error && r->p->n_step) {
        unsigned env = knx_float_enter();
        uint64_t started = kndist_started();
        error = knd_run_steps(r);
        if (__builtin_expect(error != NULL, 0)) /* the memory goes that others may still read */
            kndist_abandon(started, error);
        knx_float_leave(env);
    }
    give_back_operands(r, in, mine);
    return error;
}

/* What is only on a device comes to the host; what is written over there is not what the device has any more. */
static knx_error *fetch_operands(const knc_program *p, const knd_operand *in)
{
    for (uint32_t i = 0; i < p->n_operand; i++)
        if (in[i].buffer && __builtin_expect(in[i].buffer->away != NULL, 0))
            KN_TRY(knd_fetch(in[i].buffer));
    for (uint32_t k = 0; k < p->n_output + p->n_overwritten; k++) {
        uint32_t i = knd_written_operand(p, k);
        const knd_operand *x = i == KNC_NO ? NULL : &in[i];
        if (x && x->buffer && !x->lent && __builtin_expect(x->buffer->away != NULL, 0))
            KN_TRY(knd_fetch_to_write(x->buffer));
    }
    return NULL;
}

KNX_HOT knx_error *knd_host_run(const knd_loaded *l, const knd_operand *in, knx_buffer **out, const knd_options *o)
{
    const knc_program *p = l->program;
    run r = {.l = knd_host_of(l),
             .p = p,
             .in = in,
             .out = out,
             .threads = knd_threads(l, o->threads),
             .observer = o->observer,
             .on_step = o->on_step,
             .on_step_env = o->on_step_env};
    knx_buffer *pooled = NULL;
    void *workspace = o->workspace;
    if (o->observer && !p->value_at)
        return knx_error_new(KN_ERROR_VALUE, "only a program that was compiled without fusion can be observed");
    if (__builtin_expect(atomic_load_explicit(&knd_buffers_away, memory_order_relaxed) != 0, 0))
        KN_TRY(fetch_operands(p, in));
    uint64_t bytes = o->workspace ? 0 : knd_workspace_bytes(l, r.threads);
    if (bytes) {
        pooled = knx_buffer_scratch(bytes);
        workspace = pooled ? pooled->data : NULL;
    }
    use_workspace(&r, workspace);
    knx_error *error = bytes && !pooled ? knx_error_nomem_for(bytes, 0, NULL, NULL) : run_steps_in(&r, in);
    knx_buffer_release(pooled);
    return error;
}

knx_error *knd_run_observed(const knd_loaded *l, const knd_operand *in, knx_buffer **out, void *workspace,
                            const knd_observer *o)
{
    return knd_run_with(l, in, out, &(knd_options){.threads = 1, .workspace = workspace, .observer = o});
}
