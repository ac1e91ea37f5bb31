/* SPDX-License-Identifier: Apache-2.0
 * steps.h -- programs on a device that runs single steps: what it refuses runs on the host, with the copies that this
 * needs planned when the program is loaded. */
#ifndef KN_DEVICE_STEPS_STEPS_H
#define KN_DEVICE_STEPS_STEPS_H
#include "compile/step.h"
#include "device/device.h"

knx_error *knd_steps_load(const knd_device *d, knc_program *p, knd_loaded **out);
void knd_steps_unload(knd_loaded *l);
knx_error *knd_steps_run(const knd_loaded *l, const knd_operand *in, knx_buffer **out, const knd_options *o);

/* The table of such a device, whose own functions are called in its file like the table's. */
#define KND_STEPS_TABLE                                                                                          \
    .target = target, .alloc = alloc, .free = free_memory, .copy_in = copy_in, .copy_out = copy_out,             \
    .copy = copy, .refuses = refuses, .prepare = prepare, .discard = discard, .launch = launch, .wait = wait,    \
    .load = knd_steps_load, .unload = knd_steps_unload, .run = knd_steps_run

/* The same; what has a text in here[], which says why, runs on the host. */
knx_error *knd_steps_load_as(const knd_device *d, knc_program *p, const char *const *here, knd_loaded **out);
/* Why step s of p cannot run on the device, as a text of the arena; NULL: it can. Loads nothing. arena NULL: nobody
 * reads the text. */
const char *knd_steps_refusal(const knd_device *d, const knc_program *p, const knc_step *s, knx_arena *arena);

/* Why step i runs on the host, as the device said it; NULL: the device runs it. */
const char *knd_steps_reason(const knd_loaded *l, uint32_t i);

/* ---- For the files of this folder. */

/* Where a value is: an operand, an output, the workspace. */
typedef enum knd_act {
    KND_SEND,        /* operand or output: its contents are on the device from now on */
    KND_FETCH,       /* ... on the host, too */
    KND_FETCH_WRITE, /* ... on the host alone */
    KND_BEGIN,       /* an output that has no contents yet begins on the host */
    KND_WRITTEN,     /* the device has changed it */
    KND_TO_DEVICE,   /* bytes of the workspace */
    KND_TO_HOST,
    KND_BY_VALUE, /* the next step takes its reference `number` from the workspace's mirror */
    KND_STEP /* runs, where it belongs */
} knd_act;
typedef struct knd_action {
    uint8_t act;        /* knd_act */
    bool output;        /* of `number`: an output, else an operand */
    uint32_t number;    /* of the operand, output, step */
    size_t at, bytes;   /* of the workspace */
} knd_action;

typedef struct knd_steps_loaded {
    knd_loaded head;
    knd_loaded *host;       /* the same program, for the steps that run there; NULL: there are none */
    void **prepared;        /* per step: the device's; NULL: it is none of the device's own */
    knd_loaded ***inside;   /* per step: loops and branches whose programs run on the device, too: these; else NULL */
    const char **reason;    /* per step; NULL: it runs on the device */
    const knd_action *action;
    uint32_t n_action;
    knd_memory *literals;   /* for loops and branches: literal i lies at i times the target's alignment; or NULL */
    size_t literal_bytes;
    bool chosen; /* by others than the device: which steps run where */
    bool *checks; /* per step: it may fail, and the device tells of it late */
    bool any_check; /* steps of it, or of the programs inside, do */
    bool looks; /* steps of it, or of the programs inside, want values on the host */
    bool waits; /* a while among them: whether it goes on is looked at while it runs */
    knx_arena arena;
} knd_steps_loaded;

/* Does step i run on the device? */
static inline bool knd_is_there(const knd_steps_loaded *l, uint32_t i) { return !l->reason[i]; }
/* Is reference r of a step that runs on the device wanted on the host? The index of a branch is. */
static inline bool knd_wants_here(const knc_step *s, uint32_t r) { return s->kind == KNC_BRANCH && !r; }

knx_error *knd_steps_plan(knd_steps_loaded *l); /* plan.c: the actions */
#endif
