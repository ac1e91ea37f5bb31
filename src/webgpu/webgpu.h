/* SPDX-License-Identifier: Apache-2.0
 * webgpu.h -- the device WebGPU (docs/devices.md): what the files of this folder share. The engine is any library that
 * has the functions of the standard header webgpu.h, loaded at run time.
 *
 *     engine.c    the library, its functions, adapters         device.c    the table knd_device
 *     abi.h       the part of webgpu.h that is used            gpu.h       an adapter with all that is kept for it
 *     memory.c    memory, up and down                          copy.c      copies of any bytes
 *     queue.c     commands, encoded and submitted late         times.c     the time of each dispatch
 *     pipeline.c  pipelines by text                            cache.c     texts in files
 *     group.c     bind groups                                  probe.c     how the device rounds
 *     gate.c      dispatches that may turn out to be none  turns.c     a small loop as one dispatch
 *     plan.c      a step as dispatches                         launch.c    a plan with its memory
 *     shift.c     places that are data                         kernel.c    plans of kernels (src/wgsl/)
 *     band.c      plans of bands: band_cut.c says of which rows
 *     checks.c    checks that fail on the device
 *     routine/    plans of products, sorts, ... */
#ifndef KN_WEBGPU_WEBGPU_H
#define KN_WEBGPU_WEBGPU_H
#include "compile/step.h"
#include "device/device.h"
#include "wgsl/wgsl.h"

/* A step is made of dispatches. A dispatch's text declares its uniform block as binding 0 and the memory of slot i as
 * binding 1 + i. `slot` says which of the step's references share a memory: references that lie in one memory must
 * have one slot, since no two bindings that are written may overlap. Which do is known at the launch; plans are made
 * and kept for each pattern. */
typedef struct kng_pattern {
    uint32_t n_ref, n_slot;
    /* Per reference of the step, or KNW_GIVEN (of kernels); the scratch, if the plan wants one, is slot n_slot. */
    const uint8_t *slot;
} kng_pattern;

typedef struct kng_dispatch {
    const char *text;      /* WGSL with an entry point `main` */
    uint32_t n_words;
    uint32_t *words;       /* of the uniform block, but for: */
    uint32_t n_at;         /* words[at_word[i]] = byte offset of reference at_ref[i] / at_unit[i] */
    const uint32_t *at_word, *at_ref, *at_unit;
    const uint32_t *at_more; /* added to that; NULL: nothing */
    uint32_t n_given;      /* the elements of reference given_ref[i], 16 bytes at most, go to words[given_word[i]] */
    const uint32_t *given_word, *given_ref;
    uint32_t slots;        /* a bit per slot that the text declares */
    uint32_t record;       /* it checks: this word is where the run's record begins, the next one the line's number */
    uint32_t grid[3];      /* workgroups; a 0: there is nothing to do */
} kng_dispatch;

typedef struct kng_plan {
    uint32_t n;
    kng_dispatch *dispatch;
    uint64_t scratch; /* bytes, of a slot of its own behind the others */
    bool checks;      /* the records of checks are one more slot behind that of the scratch */
} kng_plan;

/* A kind of step that the device runs. */
typedef struct kng_kind {
    const char *(*refuses)(const knw_facts *f, const knc_program *p, const knc_step *s);
    /* What it makes lies in the arena. */
    knx_error *(*plan)(const knw_facts *f, bool exact, const knc_program *p, const knc_step *s, const kng_pattern *at,
                       knx_arena *arena, kng_plan *out);
} kng_kind;
extern const kng_kind kng_kernels, kng_products, kng_bands;
/* The routine of a primitive, by its name; NULL: there is none. */
const kng_kind *kng_routine(const char *primitive);
#endif
