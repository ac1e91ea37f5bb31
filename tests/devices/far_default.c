/* SPDX-License-Identifier: Apache-2.0
 * far_default.c -- linked to a program of a user, it makes the far device the one that everything runs on; at the end
 * nothing of it may be left but what the program's context still holds. */
#include "devices/devices.h"
#include <stdio.h>
#include <stdlib.h>

static void say(void)
{
    far_counts c = far_count();
    if (getenv("KILN_TEST_FAR"))
        fprintf(stderr, "far: %lld launches, %lld bytes in, %lld out\n", (long long)c.launches, (long long)c.copied_in,
                (long long)c.copied_out);
}

__attribute__((constructor)) static void begin(void)
{
    if (knd_register(&far_device))
        abort();
    knd_set_default(&far_device);
    atexit(say);
}
