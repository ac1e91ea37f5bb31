/* SPDX-License-Identifier: Apache-2.0
 * steps.h -- programs on a device that runs single steps: what it refuses runs on the host, with the copies that this
 * needs planned when the program is loaded. A device puts these three functions into its table. */
#ifndef KN_DEVICE_STEPS_STEPS_H
#define KN_DEVICE_STEPS_STEPS_H
#include "compile/step.h"
#include "device/device.h"

knx_error *knd_steps_load(const knd_device *d, knc_program *p, knd_loaded **out);
void knd_steps_unload(knd_loaded *l);
knx_error *knd_steps_run(const knd_loaded *l, const knd_operand *in, knx_buffer **out, const knd_options *o);

/* Why step i runs on the host, as the device said it; NULL: the device runs it. */
const char *knd_steps_reason(const knd_loaded *l, uint32_t i);

/* ---- For the files of this folder. */

/* Where a value is: an operand, an output with a buffer of its own, the workspace. An output over a donated operand is
 * that operand. */
typedef enum knd_act {
    KND_SEND,        /* operand or output: its contents are on the device from now on */
    KND_FETCH,       /* ... on the host, too */
    KND_FETCH_WRITE, /* ... on the host alone */
    KND_BEGIN,       /* an output that has no contents yet begins on the host */
    KND_WRITTEN,     /* the device has changed it */
    KND_TO_DEVICE,   /* bytes of the workspace */
    KND_TO_HOST,
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
    knd_loaded *host;    /* the same program, for the steps that run there; NULL: there are none */
    void **prepared;     /* per step: the device's; NULL: it runs on the host */
    const char **reason; /* per step */
    const knd_action *action;
    uint32_t n_action;
    knx_arena arena;
} knd_steps_loaded;

knx_error *knd_steps_plan(knd_steps_loaded *l); /* plan.c: the actions */
#endif
