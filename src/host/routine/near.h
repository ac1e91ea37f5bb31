/* SPDX-License-Identifier: Apache-2.0
 * near.h -- parts that come again and again: each has a thread that takes it first, so that its memory is in that
 * thread's cache the next time. */
#ifndef KN_HOST_ROUTINE_NEAR_H
#define KN_HOST_ROUTINE_NEAR_H
#include <stdint.h>

/* Runs f(arg, part, worker) for parts first .. end - 1 as knx_parallel does; part number i is worker i % threads' as
 * long as that one is not late. If `urgent` is not negative, that part (none of the others) is begun before all. */
void knr_parallel_near(int threads, int64_t first, int64_t end, int64_t urgent,
                       void (*f)(void *arg, int64_t part, int worker), void *arg);
#endif
