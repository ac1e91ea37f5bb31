/* SPDX-License-Identifier: Apache-2.0
 * devices.h -- two devices for tests. `far` has memory of its own, which nobody else can read, no 64-bit floats, 8
 * buffers for each kernel, and wants everything at multiples of 256 bytes; its kernels are run by the interpreter, and it
 * fails on request. `null` loads anything and runs nothing: for tests of the compiler, for any target. */
#ifndef KN_TESTS_DEVICES_DEVICES_H
#define KN_TESTS_DEVICES_DEVICES_H
#include "device/device.h"

extern const knd_device far_device, null_device;

/* What the far device is to do from now on: so many more allocations, launches and copies go well. -1: all. A launch or
 * copy that does not go well means that the device is lost: nothing but freeing works until it is found again. */
typedef struct far_faults {
    int64_t allocations, launches, copies;
} far_faults;
void far_fail(far_faults after);
void far_find_again(void); /* not lost, no faults */

/* What it did since far_forget. */
typedef struct far_counts {
    int64_t launches, copied_in, copied_out; /* bytes */
    int64_t allocations, live;               /* pieces of memory; live: that are not given back */
} far_counts;
far_counts far_count(void);
void far_forget(void);

/* Facts that the null device says to the compiler; NULL: the far device's. */
void null_target(const knc_target *t);
#endif
