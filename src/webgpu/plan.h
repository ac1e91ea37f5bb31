/* SPDX-License-Identifier: Apache-2.0
 * plan.h -- steps made ready, and their launches. */
#ifndef KN_WEBGPU_PLAN_H
#define KN_WEBGPU_PLAN_H
#include "webgpu/gpu.h"
#include "webgpu/webgpu.h"

enum { KNG_REFS = 255, KNG_LATE = 64 }; /* of a step: references, words that data moves, at most */

/* A plan for references that share memories in one way. */
typedef struct kng_variant {
    const uint8_t *slot; /* per reference */
    uint32_t n_slot;
    kng_plan plan;
    kng_pipeline **pipeline; /* per dispatch */
    struct kng_variant *next;
    knx_arena arena;
} kng_variant;

typedef struct kng_prepared {
    const knc_program *program;
    const knc_step *step;
    const kng_kind *kind; /* NULL: a copy */
    knd_memory *literals; /* NULL: there are none */
    kng_variant *variant; /* the newest first */
    uint32_t literal[];   /* per reference: where in the memory of literals it lies */
} kng_prepared;

/* May a kernel's launch have this value as words, if it is on the host? */
static inline bool kng_may_give(const knc_step *s, uint32_t r)
{
    return knc_is_kernel(s) && s->ref[r].bytes <= KNW_GIVEN_BYTES && !knc_is_written(s, r);
}
const kng_kind *kng_kind_of(const knc_program *p, const knc_step *s);
const char *kng_refuses(kng_gpu *g, const knc_program *p, const knc_step *s);
knx_error *kng_prepare(kng_gpu *g, const knc_program *p, const knc_step *s, kng_prepared **out);
void kng_discard(kng_gpu *g, kng_prepared *x);
knx_error *kng_variant_for(kng_gpu *g, kng_prepared *x, const uint8_t *slot, uint32_t n_slot, kng_variant **out);
knx_error *kng_launch(kng_gpu *g, kng_prepared *x, const knd_place *at); /* launch.c */
/* shift.c: the words of a plan that data moves (KNC_PUT), computed on the device when the launch runs. */
typedef struct kng_moved {
    knd_memory *memory; /* to be freed; NULL: nothing moves */
    int n;
    struct kng_moved_word {
        uint32_t dispatch;
        kng_late_word late;
    } *word;
} kng_moved;
/* apart.c: values of one memory that are too far apart to be bound together are in memories of their own for a launch.
 * `out`: the places of the references then, of `a`, or `at` itself. After an error, too, kng_put_back ends it. */
typedef struct kng_apart_span {
    knd_memory *memory, *copy;
    uint64_t begin, end; /* bytes of `memory` */
    bool written;
} kng_apart_span;
typedef struct kng_apart {
    uint32_t n;
    kng_apart_span *span;
    knd_place *place; /* per reference */
} kng_apart;
knx_error *kng_take_apart(kng_gpu *g, const knc_step *s, const knd_place *at, kng_apart *a, const knd_place **out);
knx_error *kng_put_back(kng_gpu *g, kng_apart *a, knx_error *error); /* returns `error`, or what went wrong here */

/* base: per reference, bytes from the beginning of what is bound; moved here if the host has all positions. */
knx_error *kng_move(kng_gpu *g, const kng_prepared *x, const kng_plan *plan, uint64_t *base, const knd_place *at,
                    kng_moved *out);
#endif
