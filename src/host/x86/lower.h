/* SPDX-License-Identifier: Apache-2.0
 * lower.h -- a stage of a kernel to the machine code of a stage function (stage.h). */
#ifndef KN_HOST_X86_LOWER_H
#define KN_HOST_X86_LOWER_H
#include "host/x86/emit.h"
#include "host/stage/stage.h"

typedef struct knh_lowered {
    int spills, reloads, copies; /* for reports: stores and loads that the allocator added; copies interleaved */
} knh_lowered;
/* Leaves the finished code in `a` (position-independent but for the addresses of the interpreter's loops).
 * NotImplementedError if the stage does not fit (too many streams or values): the interpreter runs it then. */
knx_error *knh_lower(const knh_request *r, knh_target target, knh_asm *a, knh_lowered *info);
#endif
