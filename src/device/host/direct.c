/* SPDX-License-Identifier: Apache-2.0
 * direct.c -- a program that is one call, of a stage function or of a routine: its arguments are made ahead, and a run
 * only adds the addresses of the caller's memory to them. */
#include "base/context.h"
#include "base/float_env.h"
#include "device/host/run.h"
#include <string.h>

enum { MOST_STREAMS = 16, FEW_STREAMS = 4 };

/* The arguments of a call. */
typedef struct block {
    _Alignas(knh_args) char bytes[sizeof(knh_args) + MOST_STREAMS * sizeof(knh_words)];
} block;
enum { FEW_BYTES = sizeof(knh_args) + FEW_STREAMS * sizeof(knh_words) };

static knh_args *args_of(block *b) { return (knh_args *)(void *)b->bytes; }

/* A stream that begins so many bytes behind the caller's address number `index`. */
typedef struct patch {
    uint32_t stream, index;
    int64_t at;
} patch;

/* Where an operand or a result of a routine is. */
typedef struct place {
    bool out;         /* in the list of results */
    const void *here; /* there, if the caller does not say; NULL: */
    uint32_t index;   /* in the caller's list, */
    size_t offset;
} place;

enum { MOST_PLACES = 8 };
typedef struct routine {
    kni_routine_args args; /* but for addresses and workspace */
    uint32_t n_in, n;      /* operands; these and results */
    place at[MOST_PLACES];
    const kn_place *written; /* the user's line */
} routine;

struct knd_direct {
    knh_function *f;
    const kni_rule *rule; /* of a routine; else NULL, as all of `r` */
    size_t workspace;     /* bytes that the caller gives */
    bool few;             /* streams */
    uint32_t n_in, n_to;
    union {
        struct {
            patch in[MOST_STREAMS], to[MOST_STREAMS]; /* addresses from either list */
            block ready;                              /* but for those */
        };
        routine r;
    };
};

/* What lies at a reference becomes part of a stream's words, or of those that are patched; false: not known ahead. */
static bool aim(knd_direct *d, uint32_t stream, const knc_program *p, const knc_ref *ref, uint32_t n_fixed,
                const knd_operand *fixed)
{
    int64_t *at = &args_of(&d->ready)->stream[stream].at;
    *at += (int64_t)ref->offset;
    switch ((knc_space)ref->space) {
    case KNC_AT_OPERAND:
        if (ref->index < n_fixed)
            *at += (int64_t)(intptr_t)knd_operand_data(&fixed[ref->index]);
        else
            d->in[d->n_in++] = (patch){stream, ref->index - n_fixed, *at};
        return true;
    case KNC_AT_OUTPUT: d->to[d->n_to++] = (patch){stream, ref->index, *at}; return true;
    case KNC_AT_LITERAL:
        *at += (int64_t)(intptr_t)&p->jaxpr->literal[ref->index].bits - (int64_t)ref->offset;
        return true;
    case KNC_AT_WORK:
    case KNC_NOWHERE:
    case KNC_AT_BLOCK: break;
    }
    return false;
}

static bool aim_place(place *to, const knc_program *p, const knc_ref *ref, uint32_t n_fixed, const knd_operand *fixed)
{
    bool given = ref->space == KNC_AT_OPERAND && ref->index >= n_fixed;
    *to = (place){.out = ref->space == KNC_AT_OUTPUT,
                  .index = ref->index - (given ? n_fixed : 0),
                  .offset = ref->space == KNC_AT_LITERAL ? 0 : (size_t)ref->offset};
    if (ref->space == KNC_AT_LITERAL)
        to->here = &p->jaxpr->literal[ref->index].bits;
    else if (ref->space == KNC_AT_OPERAND && !given)
        to->here = knd_operand_data(&fixed[ref->index]);
    return given || to->out || to->here;
}

/* A routine that shares its memory with no value of the program, of a program that is nothing else */
static bool is_one_routine(const knd_loaded *l)
{
    const knc_program *p = l->program;
    const knc_step *s = p->step;
    bool one = p->n_step == 1 && s->kind == KNC_ROUTINE && s->n_ref == s->u.r.n_in + s->u.r.n_out &&
               s->n_ref <= MOST_PLACES && !knd_values_bytes(knd_host_of(l)) && !knd_host_of(l)->room;
    for (uint32_t i = 0; i < p->n_output; i++)
        one = one && p->output[i].kind == KNC_OUT_NEW;
    return one;
}

static knd_direct *make_routine(const knd_loaded *l, uint32_t n_fixed, const knd_operand *fixed, int threads)
{
    const knc_program *p = l->program;
    const knc_step *s = p->step;
    knd_direct *d = knx_alloc_zero(sizeof *d);
    bool well = d != NULL;
    for (uint32_t i = 0; well && i < s->n_ref; i++)
        well = aim_place(&d->r.at[i], p, &s->ref[i], n_fixed, fixed);
    if (!well) {
        knx_free(d);
        return NULL;
    }
    d->rule = &knd_host_of(l)->step->routine->rule;
    d->workspace = knd_workspace_bytes(l, threads);
    d->r.args.threads = d->rule->prim->bits & KN_THREADS ? threads : 1;
    d->r.n_in = s->u.r.n_in;
    d->r.n = s->n_ref;
    d->r.written = p->jaxpr->eqn[s->eqn].place;
    return d;
}

size_t knd_direct_workspace(const knd_direct *d) { return d->workspace; }

knd_direct *knd_make_direct(const knd_loaded *l, uint32_t n_fixed, const knd_operand *fixed, int threads)
{
    const knc_program *p = l->program;
    const knc_step *s = p->step;
    knh_one call;
    if (is_one_routine(l))
        return make_routine(l, n_fixed, fixed, threads);
    if (!knd_is_one_kernel(l) || !knh_one_call(knd_host_of(l)->step->prepared, threads, &call) ||
        call.n_stream > MOST_STREAMS)
        return NULL;
    knd_direct *d = knx_alloc_zero(sizeof *d);
    if (!d)
        return NULL;
    d->f = call.f;
    d->few = call.n_stream <= FEW_STREAMS;
    knh_args *args = args_of(&d->ready);
    args->rows = call.args->rows;
    args->n = call.args->n;
    for (int i = 0; i < call.n_stream; i++) {
        args->stream[i] = call.args->stream[i];
        if (call.buffer[i] >= 0 && !aim(d, (uint32_t)i, p, &s->ref[call.buffer[i]], n_fixed, fixed)) {
            knx_free(d);
            return NULL;
        }
    }
    return d;
}

static knx_error *call_routine(const knd_direct *d, const void *const *in, void *const *to, void *workspace)
{
    void *at[MOST_PLACES];
    for (uint32_t i = 0; i < d->r.n; i++) {
        const place *x = &d->r.at[i];
        const char *from = x->here ? x->here : x->out ? to[x->index] : in[x->index];
        at[i] = (char *)(uintptr_t)from + x->offset;
    }
    kni_routine_args args = {.x = (const void *const *)at,
                             .y = at + d->r.n_in,
                             .workspace = d->workspace ? workspace : NULL,
                             .threads = d->r.args.threads};
    return knx_error_placed(d->rule->prim->run(d->rule, &args), d->r.written);
}

/* The block is the caller's own: it may be any thread, in the middle of another call. */
static inline knx_error *run(const knd_direct *d, const void *const *in, void *const *to, void *workspace)
{
    block room;
    if (d->rule)
        return call_routine(d, in, to, workspace);
    knh_args *args = args_of(&room);
    memcpy(&room, &d->ready, FEW_BYTES);
    if (__builtin_expect(!d->few, 0))
        memcpy(room.bytes + FEW_BYTES, d->ready.bytes + FEW_BYTES, sizeof room - FEW_BYTES);
    for (uint32_t i = 0; i < d->n_in; i++)
        args->stream[d->in[i].stream].at = d->in[i].at + (int64_t)(intptr_t)in[d->in[i].index];
    for (uint32_t i = 0; i < d->n_to; i++)
        args->stream[d->to[i].stream].at = d->to[i].at + (int64_t)(intptr_t)to[d->to[i].index];
    d->f(args);
    return NULL;
}

/* Asking for the environment waits for all arithmetic before it: longer than a small kernel takes. */
static KNX_TLS bool usual_environment;

__attribute__((noinline)) static knx_error *run_looking(const knd_direct *d, const void *const *in, void *const *to,
                                                        void *workspace)
{
    unsigned before = knx_float_enter();
    knx_error *error = run(d, in, to, workspace);
    knx_float_leave(before);
    usual_environment = before == 0;
    return error;
}

knx_error *knd_run_direct(const knd_direct *d, const void *const *in, void *const *to, void *workspace)
{
    return __builtin_expect(usual_environment, 1) ? run(d, in, to, workspace) : run_looking(d, in, to, workspace);
}
