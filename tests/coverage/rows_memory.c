/* SPDX-License-Identifier: Apache-2.0
 * rows_memory.c -- the calls of memory.def. */
#include "coverage/coverage.h"

/* What a loop over an iterator `it` gathers: `value` of each turn. */
#define GATHER(setup, condition, step, value)    \
    __extension__({                              \
        double gathered[64];                     \
        int64_t count = 0;                       \
        setup;                                   \
        for (; condition; step)                  \
            gathered[count++] = (double)(value); \
        kn_from(gathered, KN_SHAPE(count));      \
    })
#define WITH(type, it, new, ...) \
    __extension__({              \
        type it = new;           \
        __VA_ARGS__;             \
    })
#define PAIR(p, q) kn_of(double, (double)(p), (double)(q))

#define TABLE      "coverage/memory.def"
#define NAME       rows_memory
#include "coverage/table.h"
