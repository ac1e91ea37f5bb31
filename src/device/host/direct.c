/* SPDX-License-Identifier: Apache-2.0
 * direct.c -- a program that is one call of one stage function: its arguments are made ahead, and a run only adds the
 * addresses of the caller's memory to them. */
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

struct knd_direct {
    knh_function *f;
    bool few; /* streams */
    uint32_t n_in, n_to;
    patch in[MOST_STREAMS], to[MOST_STREAMS]; /* addresses from either list */
    block ready;                              /* but for those */
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

knd_direct *knd_make_direct(const knd_loaded *l, uint32_t n_fixed, const knd_operand *fixed, int threads)
{
    const knc_program *p = l->program;
    const knc_step *s = p->step;
    knh_one call;
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

/* The block is the caller's own: it may be any thread, in the middle of another call. */
static inline void run(const knd_direct *d, const void *const *in, void *const *to)
{
    block room;
    knh_args *args = args_of(&room);
    memcpy(&room, &d->ready, FEW_BYTES);
    if (__builtin_expect(!d->few, 0))
        memcpy(room.bytes + FEW_BYTES, d->ready.bytes + FEW_BYTES, sizeof room - FEW_BYTES);
    for (uint32_t i = 0; i < d->n_in; i++)
        args->stream[d->in[i].stream].at = d->in[i].at + (int64_t)(intptr_t)in[d->in[i].index];
    for (uint32_t i = 0; i < d->n_to; i++)
        args->stream[d->to[i].stream].at = d->to[i].at + (int64_t)(intptr_t)to[d->to[i].index];
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
