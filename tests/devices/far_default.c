/* SPDX-License-Identifier: Apache-2.0
 * far_default.c -- linked to a program of a user, it makes the far device the one that everything runs on; at the end
 * nothing of it may be left but what the program's context still holds. */
#include "devices/devices.h"
#include "device/offload/offload.h"
#include <stdio.h>
#include <stdlib.h>

static void say(void)
{
    far_counts c = far_count();
    if (getenv("KILN_TEST_FAR"))
        fprintf(stderr, "far: %lld launches, %lld bytes in, %lld out\n", (long long)c.launches, (long long)c.copied_in,
                (long long)c.copied_out);
}

/* With KILN_TEST_AUTO the device "auto" over it, by costs with which small programs are on both. */
static const knd_device *decide_by_costs(void)
{
    const kn_offload_costs c = {.size_ = sizeof c,
                                .up = 1e9,
                                .down = 1e9,
                                .up_latency = 1e-6,
                                .down_latency = 1e-6,
                                .here = {1e-6, 1e8, 1e7, 1e7},
                                .there = {1e-6, 1e9, 1e9, 1e9}};
    kn_offload_set_costs(far_device.name, &c);
    knd_auto_use(&far_device);
    return &knd_auto;
}

__attribute__((constructor)) static void begin(void)
{
    if (knd_register(&far_device))
        abort();
    knd_set_default(getenv("KILN_TEST_AUTO") ? decide_by_costs() : &far_device);
    atexit(say);
}
