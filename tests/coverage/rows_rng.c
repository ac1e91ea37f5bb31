/* SPDX-License-Identifier: Apache-2.0
 * rows_rng.c -- the calls of rng.def. */
#include "coverage/coverage.h"

/* `call` puts new handles of type T into `children`; what is made of them. */
#define SPAWNED(T, call, ...)   \
    __extension__({             \
        T children[4] = {NULL}; \
        call;                   \
        __VA_ARGS__;            \
    })
#define ADVANCED(generator, ...)                        \
    __extension__({                                     \
        kn_bit_generator bits = generator;              \
        __VA_ARGS__;                                    \
        kn_bit_generator_random_raw(bits, KN_SHAPE(3)); \
    })
#define STATE(call, ...)                     \
    __extension__({                          \
        kn_bit_generator_state saved = call; \
        __VA_ARGS__;                         \
    })

#define TABLE "coverage/rng.def"
#define NAME  rows_rng
#include "coverage/table.h"
