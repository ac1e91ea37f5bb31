/* SPDX-License-Identifier: Apache-2.0
 * product_half.h -- runs of float16 and bfloat16 to float32 and back, compiled once per instruction set. */
#ifndef KN_HOST_ROUTINE_PRODUCT_HALF_H
#define KN_HOST_ROUTINE_PRODUCT_HALF_H
#include <stdbool.h>
#include <stdint.h>

typedef struct knr_half_loops {
    void (*widen)(bool bfloat, const uint16_t *from, int64_t n, float *to);
    void (*narrow)(bool bfloat, const float *from, int64_t n, uint16_t *to); /* from and to may be the same place */
} knr_half_loops;
extern const knr_half_loops knr_half_base, knr_half_avx2, knr_half_avx512;
const knr_half_loops *knr_half(void); /* the best ones for this processor */
#endif
