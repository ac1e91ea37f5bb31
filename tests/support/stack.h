/* SPDX-License-Identifier: Apache-2.0
 * stack.h -- threads with little stack. */
#ifndef KN_TEST_STACK_H
#define KN_TEST_STACK_H
#include <stddef.h>
#include <unistd.h>

/* The bytes of a small stack: so many, or the least that a thread can have here. */
static inline size_t test_stack(size_t bytes)
{
    size_t least = (size_t)sysconf(_SC_THREAD_STACK_MIN);
    return bytes > least ? bytes : least;
}
#endif
