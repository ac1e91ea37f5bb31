/* SPDX-License-Identifier: Apache-2.0
 * product_block_isa.c -- rows of rectangles of floats and complex numbers, one multiply-add after the other. */
#include "base/fma.h"
#include "base/isa_name.h"
#include "host/routine/product_block.h"

KNR_BLOCK_LOOP(f32, float, knx_fmaf)
KNR_BLOCK_LOOP(f64, double, knx_fma)

#define COMPLEX(name, T, FMA)                                                          \
    static void name(const knr_block *x, void *sums)                                   \
    {                                                                                  \
        T *acc = sums;                                                                 \
        const char *a_at = x->a, *b_at = x->b;                                         \
        for (int64_t k = 0; k < x->steps; k++, a_at += x->a_step, b_at += x->b_step) { \
            const T *a = (const T *)a_at, *b = (const T *)b_at;                        \
            for (int j = 0; j < x->columns; j++) {                                     \
                T re = b[2 * j], im = b[2 * j + 1];                                    \
                acc[2 * j] = FMA(-a[1], im, FMA(a[0], re, acc[2 * j]));                \
                acc[2 * j + 1] = FMA(a[1], re, FMA(a[0], im, acc[2 * j + 1]));         \
            }                                                                          \
        }                                                                              \
    }
COMPLEX(c64, float, knx_fmaf)
COMPLEX(c128, double, knx_fma)

const knr_block_loops KN_ISA_NAME(knr_block) = {f32, f64, c64, c128};
