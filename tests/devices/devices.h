/* SPDX-License-Identifier: Apache-2.0
 * devices.h -- devices for tests. `far:0` and `far:1` have memory of their own, which nobody else can read, no 64-bit
 * floats, 8 buffers for each kernel, and want temporaries at multiples of 256 bytes; their kernels are run by the
 * interpreter, their other steps by the host over their memory, and they refuse and fail on request. far:0 has a gate. `null` loads anything and runs nothing: for tests of the compiler, for any target. */
#ifndef KN_TESTS_DEVICES_DEVICES_H
#define KN_TESTS_DEVICES_DEVICES_H
#include "device/device.h"
#include "kiln/offload.h"

extern const knd_device far_device, far_second, null_device; /* far:0, far:1, null */

/* What a far device is to do from now on: so many more allocations, launches and copies go well. -1: all. A launch or
 * copy that does not go well means that the device is lost: nothing but freeing works until it is found again. */
typedef struct far_faults {
    int64_t allocations, launches, copies;
} far_faults;
void far_fail_on(const knd_device *d, far_faults after);
void far_find_again_on(const knd_device *d); /* not lost, no faults */

/* Which steps, beside kernels, they do not refuse: all at first. Returns what it was before. */
enum { FAR_PRODUCTS = 1, FAR_ROUTINES = 2, FAR_PUTS = 4, FAR_ALL = 7 };
unsigned far_take(unsigned kinds);

/* What it did since far_forget_on. */
typedef struct far_counts {
    int64_t launches, copied_in, copied_out; /* bytes */
    int64_t allocations, live;               /* pieces of memory; live: that are not given back */
    int64_t waits;
    int64_t left_out;                        /* launches behind a gate that was shut */
} far_counts;
far_counts far_count_on(const knd_device *d);
void far_forget_on(const knd_device *d);

/* The same for far:0. */
static inline void far_fail(far_faults after) { far_fail_on(&far_device, after); }
static inline void far_find_again(void) { far_find_again_on(&far_device); }
static inline far_counts far_count(void) { return far_count_on(&far_device); }
static inline void far_forget(void) { far_forget_on(&far_device); }

/* With a clock: what copies and launches would take, as the costs say, is added up; nobody waits. NULL: without one. */
void far_clock_on(const knd_device *d, const kn_offload_costs *costs);
double far_seconds_on(const knd_device *d); /* since the clock was set */

/* A device of the user's, "mine:0", which is a table (kiln/provider.h) and runs steps by kn_provider_run_here. Made known
 * when it is first asked for. */
const knd_device *mine_device(void);
typedef struct mine_counts {
    int64_t live, prepared, launches; /* pieces of memory, steps; that are there now, but for launches */
} mine_counts;
mine_counts mine_count(void);

/* Facts that the null device says to the compiler; NULL: the far device's. */
void null_target(const knc_target *t);
#endif
