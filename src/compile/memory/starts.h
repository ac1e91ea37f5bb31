/* SPDX-License-Identifier: Apache-2.0
 * starts.h -- steps that start, and steps that wait for what was started. */
#ifndef KN_COMPILE_MEMORY_STARTS_H
#define KN_COMPILE_MEMORY_STARTS_H
#include "compile/plan.h"

/* order[0 .. *n - 1]: the steps in the order in which they run. Where routines are cut in two it becomes a new list,
 * and the plan has more steps. */
knx_error *knc_start_routines(knc_plan *p, const uint32_t **order, uint32_t *n);
#endif
