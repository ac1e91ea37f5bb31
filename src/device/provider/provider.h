/* SPDX-License-Identifier: Apache-2.0
 * provider.h -- devices of the user's (docs/providers.md): what the files of this folder share. */
#ifndef KN_DEVICE_PROVIDER_PROVIDER_H
#define KN_DEVICE_PROVIDER_PROVIDER_H
#include "compile/step.h"
#include "device/device.h"
#include "kiln/provider.h"

/* What stands behind kn_provider_step.own. */
typedef struct knd_described {
    const knc_program *p;
    const knc_step *s;
    knd_loaded *host; /* the program on the host, for steps that are no kernels; NULL: not loaded yet */
    char *text;
    knx_arena arena;
} knd_described;

/* Describes step s of p for the table; given back by knd_forget_step, also after an error. */
knx_error *knd_describe_step(const knc_program *p, const knc_step *s, kn_provider_step *out, knd_described *own);
void knd_forget_step(knd_described *own);
/* The error of the last kn_provider_run_here of this thread, if it failed: the caller's. */
knx_error *knd_take_error(void);
#endif
