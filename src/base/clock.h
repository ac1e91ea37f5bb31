/* SPDX-License-Identifier: Apache-2.0
 * clock.h -- time that only goes forward. */
#ifndef KN_BASE_CLOCK_H
#define KN_BASE_CLOCK_H
#include <stdint.h>
#include <time.h>

static inline int64_t knx_nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static inline double knx_seconds(void) { return 1e-9 * (double)knx_nanoseconds(); }
#endif
