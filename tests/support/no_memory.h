/* SPDX-License-Identifier: Apache-2.0
 * no_memory.h -- programs whose allocations fail: what comes out is a MemoryError or the right answer, and nothing is lost
 * or leaked. */
#ifndef KN_TEST_NO_MEMORY_H
#define KN_TEST_NO_MEMORY_H
#include <stdint.h>

/* Runs the program, which gives a number, or NaN where something failed, with one allocation in `step` failing, alone or
 * with all that follow in turns; step 0: every one, in both ways. Kiln is shut down after each run. after: what else has
 * to be true then (may be NULL). */
void no_memory_check(double (*program)(void), int64_t step, void (*after)(void));
#endif
