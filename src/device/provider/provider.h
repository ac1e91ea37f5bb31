/* SPDX-License-Identifier: Apache-2.0
 * provider.h -- devices of the user's (docs/providers.md): what the files of this folder share. */
#ifndef KN_DEVICE_PROVIDER_PROVIDER_H
#define KN_DEVICE_PROVIDER_PROVIDER_H
#include "compile/step.h"
#include "device/device.h"
#include "kiln/provider.h"

/* What stands behind kn_provider_step.own. */
typedef struct knv_own {
    const knc_program *p;
    const knc_step *s;
    knd_loaded *host; /* the program on the host, for steps that are no kernels; NULL: not loaded yet */
    char *text;
    knx_arena arena;
} knv_own;

/* Describes step s of p for the table; given back by knv_forget, also after an error. */
knx_error *knv_describe(const knc_program *p, const knc_step *s, kn_provider_step *out, knv_own *own);
void knv_forget(knv_own *own);
/* The error of the last kn_provider_run_here of this thread, if it failed: the caller's. */
knx_error *knv_take_error(void);
#endif
