/* SPDX-License-Identifier: Apache-2.0
 * scalar.h -- loops and branches as kernels (docs/loops.md, "The compiled loop"). */
#ifndef KN_COMPILE_LOOPS_SCALAR_H
#define KN_COMPILE_LOOPS_SCALAR_H
#include "compile/plan.h"

/* A loop or a branch as one kernel that is a step of its own: its buffers are operands and results of the equation. */
typedef struct knc_scalar {
    knk_kernel *kernel; /* NULL: the equation becomes no kernel, for the reason `why` */
    knx_text why;
    int n_buffer;
    const uint32_t *buffer; /* per buffer: number of the operand; results follow on the operands */
    const knk_map_values *map;
    const int64_t *par;
    const int64_t *const *inner;
} knc_scalar;
/* Numbers and lists live in p->p->arena. Errors are lack of memory alone. */
knx_error *knc_scalar_kernel(knc_plan *p, const kni_eqn *e, knc_scalar *out);
#endif
