/* SPDX-License-Identifier: Apache-2.0
 * tables.h -- the numbers of tables.c. */
#ifndef KN_RNG_TABLES_H
#define KN_RNG_TABLES_H
#include <stdint.h>

/* A layer of a ziggurat: an integer below `inside` times `width` lies under the curve wherever it is. */
typedef struct knrng_layer {
    uint64_t inside;
    double width;
} knrng_layer;
typedef struct knrng_layer32 {
    uint32_t inside;
    float width;
} knrng_layer32;
extern const knrng_layer knrng_normal_layer[256], knrng_exponential_layer[256];
extern const double knrng_normal_height[256], knrng_exponential_height[256]; /* of the curve at the layers' ends */
extern const knrng_layer32 knrng_normal_layer32[256], knrng_exponential_layer32[256];
extern const float knrng_normal_height32[256], knrng_exponential_height32[256];
enum { KNRNG_LOG_FACTORIALS = 126 };
extern const double knrng_log_factorials[KNRNG_LOG_FACTORIALS]; /* log(k!) */
extern const uint32_t knrng_mt_jump[624];                       /* coefficients, the lowest in the lowest bit */
#endif
