/* SPDX-License-Identifier: Apache-2.0
 * product_block.h -- one row of a rectangle in plain loops: a vector of columns, a block of k. Those that multiply and
 * add at once are compiled for processors that can and for those that cannot. */
#ifndef KN_HOST_ROUTINE_PRODUCT_BLOCK_H
#define KN_HOST_ROUTINE_PRODUCT_BLOCK_H
#include <stdbool.h>
#include <stdint.h>

typedef struct knr_block {
    const char *a, *b;
    int64_t a_step, b_step; /* bytes from step to step */
    int64_t steps;
    int columns;
    bool a_signed, b_signed;
} knr_block;
typedef void knr_block_loop(const knr_block *x, void *sums);

typedef struct knr_block_loops {
    knr_block_loop *f32, *f64, *c64, *c128;
} knr_block_loops;
extern const knr_block_loops knr_block_base, knr_block_avx2;

/* A loop over real numbers; a whole vector of columns has a number of turns that the compiler knows. */
#define KNR_BLOCK_LOOP(name, T, STEP)                                               \
    static void name(const knr_block *x, void *sums)                                \
    {                                                                               \
        T *acc = sums;                                                              \
        const char *a = x->a, *b_at = x->b;                                         \
        for (int64_t k = 0; k < x->steps; k++, a += x->a_step, b_at += x->b_step) { \
            const T *b = (const T *)b_at, v = *(const T *)a;                        \
            if (x->columns == 64 / (int)sizeof(T)) {                                \
                for (int j = 0; j < 64 / (int)sizeof(T); j++)                       \
                    acc[j] = STEP(v, b[j], acc[j]);                                 \
            } else {                                                                \
                for (int j = 0; j < x->columns; j++)                                \
                    acc[j] = STEP(v, b[j], acc[j]);                                 \
            }                                                                       \
        }                                                                           \
    }
#endif
