/* SPDX-License-Identifier: Apache-2.0
 * direct.c -- a program that is one call of one stage function: its arguments are made ahead, and a run only adds the
 * addresses of the caller's memory to them. */
#include "base/context.h"
#include "base/float_env.h"
#include "codegen/native.h"
#include "runtime/run.h"

enum { MOST_STREAMS = 16, NOWHERE = 0, FROM_IN = 1, FROM_TO = 2 };

/* A stream: what its words are if the list `from` begins at address 0; NOWHERE: they are whole. */
typedef struct patch {
    kng_words words;
    uint32_t from, index;
} patch;

struct knd_direct {
    kng_function *f;
    int64_t rows, n;
    int n_stream;
    patch stream[MOST_STREAMS];
};

/* What lies at a reference becomes part of a stream's words; false: not known ahead. */
static bool aim(patch *s, const kn_program *p, const knc_ref *ref, uint32_t n_fixed, const kn_operand *fixed)
{
    s->words.at += (int64_t)ref->offset;
    switch ((knc_space)ref->space) {
    case KNC_AT_OPERAND:
        s->from = ref->index < n_fixed ? NOWHERE : FROM_IN;
        s->index = ref->index < n_fixed ? 0 : ref->index - n_fixed;
        s->words.at += ref->index < n_fixed ? (int64_t)(intptr_t)fixed[ref->index].data : 0;
        return true;
    case KNC_AT_OUTPUT:
        s->from = FROM_TO;
        s->index = ref->index;
        return true;
    case KNC_AT_LITERAL:
        s->words.at += (int64_t)(intptr_t)&p->jaxpr->literal[ref->index].bits - (int64_t)ref->offset;
        return true;
    case KNC_AT_WORK:
    case KNC_NOWHERE:
    case KNC_AT_BLOCK: break;
    }
    return false;
}

knd_direct *knd_make_direct(const kn_program *p, uint32_t n_fixed, const kn_operand *fixed, int threads)
{
    const knc_step *s = p->step;
    kng_one call;
    if (!knd_is_one_kernel(p) || !s->u.k.prepared || !kng_one_call(s->u.k.prepared, threads, &call) ||
        call.n_stream > MOST_STREAMS)
        return NULL;
    knd_direct *d = knx_alloc_zero(sizeof *d);
    if (!d)
        return NULL;
    *d = (knd_direct){.f = call.f, .rows = call.args->rows, .n = call.args->n, .n_stream = call.n_stream};
    for (int i = 0; i < d->n_stream; i++) {
        patch *x = &d->stream[i];
        x->words = call.args->stream[i];
        if (call.buffer[i] >= 0 && !aim(x, p, &s->ref[call.buffer[i]], n_fixed, fixed)) {
            knx_free(d);
            return NULL;
        }
    }
    return d;
}

static inline void run(const knd_direct *d, const void *const *in, void *const *to)
{
    static const void *const nowhere[1] = {NULL};
    _Alignas(kng_args) char room[sizeof(kng_args) + MOST_STREAMS * sizeof(kng_words)];
    kng_args *args = (kng_args *)(void *)room;
    args->rows = d->rows;
    args->n = d->n;
    args->phase = 0;
    for (int i = 0; i < d->n_stream; i++) {
        const patch *x = &d->stream[i];
        const void *const *list = x->from == FROM_IN ? in : x->from == FROM_TO ? (const void *const *)to : nowhere;
        args->stream[i] =
            (kng_words){x->words.at + (int64_t)(intptr_t)list[x->index], x->words.row_step, x->words.lane_step};
    }
    d->f(args);
}

/* Asking for the environment waits for all arithmetic before it: longer than a small kernel takes. */
static KNX_TLS bool usual_environment;

__attribute__((noinline)) static void run_looking(const knd_direct *d, const void *const *in, void *const *to)
{
    unsigned before = knx_float_enter();
    run(d, in, to);
    knx_float_leave(before);
    usual_environment = before == 0;
}

void knd_run_direct(const knd_direct *d, const void *const *in, void *const *to)
{
    if (__builtin_expect(usual_environment, 1))
        run(d, in, to);
    else
        run_looking(d, in, to);
}
